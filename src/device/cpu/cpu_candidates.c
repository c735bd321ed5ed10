/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_inventory.h"
#include "environ.h"
#include "error.h"
#include "number.h"

#define MAX_CANDIDATES 16

/* A list under construction. */
struct builder {
	const struct mxt_cpu_host *host;
	char *const *environment;
	enum mxt_blas_kind blas; /* the library of the bare environment */
	struct mxt_candidate_list list;
	bool failed; /* memory ran out */
};

/* Takes `env`. `skip` is why the candidate cannot be tried; NULL: it can. */
static void add(struct builder *builder, const char *name, json_t *env, const char *choice, const char *skip)
{
	if (builder->failed || builder->list.count == MAX_CANDIDATES) {
		json_decref(env);
		return;
	}
	struct mxt_candidate *item = &builder->list.items[builder->list.count++];
	*item = (struct mxt_candidate){
	    .name = strdup(name),
	    .env = env,
	    .choice = strdup(choice),
	    .deterministic = true, /* work is divided by number of threads, never by which of them comes first */
	    .skip = skip ? strdup(skip) : NULL,
	};
	builder->failed = !item->name || !item->env || !item->choice || (skip && !item->skip);
}

/* How the number of threads is told to a build: names of variables, up to two. */
struct threads_row {
	enum mxt_blas_kind kind;
	enum mxt_blas_threading threading;
	const char *variables[2];
};

static const struct threads_row threads_rows[] = {
    {MXT_BLAS_OPENBLAS, MXT_BLAS_PTHREAD, {"OPENBLAS_NUM_THREADS", NULL}},
    {MXT_BLAS_OPENBLAS, MXT_BLAS_OPENMP, {"OMP_NUM_THREADS", NULL}},
    {MXT_BLAS_OPENBLAS, MXT_BLAS_UNKNOWN, {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}},
    {MXT_BLAS_BLIS, MXT_BLAS_PTHREAD, {"BLIS_NUM_THREADS", NULL}},
    {MXT_BLAS_BLIS, MXT_BLAS_OPENMP, {"BLIS_NUM_THREADS", NULL}},
    {MXT_BLAS_BLIS, MXT_BLAS_UNKNOWN, {"BLIS_NUM_THREADS", NULL}},
};

/* Adds the variables that give `kind` so many threads. False when its build has only one. */
static bool set_threads(const struct builder *builder, enum mxt_blas_kind kind, uint32_t threads, json_t *env)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(threads_rows); i++) {
		const struct threads_row *row = &threads_rows[i];
		if (row->kind != kind || row->threading != builder->host->blas[kind].threading)
			continue;
		for (size_t j = 0; j < MXT_ARRAY_LEN(row->variables) && row->variables[j]; j++)
			(void)json_object_set_new(env, row->variables[j], json_sprintf("%u", threads));
		return true;
	}
	return false;
}

/* What the library does when nothing is set: OpenBLAS takes every logical processor, BLIS one. */
static uint32_t default_threads(const struct builder *builder)
{
	return builder->blas == MXT_BLAS_OPENBLAS ? builder->host->topology.threads : 1;
}

static void add_thread_count(struct builder *builder, uint32_t threads)
{
	char name[32];
	(void)snprintf(name, sizeof name, "threads=%u", threads);
	for (size_t i = 0; i < builder->list.count && !builder->failed; i++)
		if (strcmp(builder->list.items[i].name, name) == 0)
			return;
	json_t *env = json_object();
	bool settable = env && set_threads(builder, builder->blas, threads, env);
	add(builder, name, env, mxt_blas_name(builder->blas), settable ? NULL : "this build is single-threaded");
}

/* All usable cores (fewer than the default where cores have siblings or a quota holds), one less, half of them. */
static void add_threads(struct builder *builder)
{
	uint32_t units = mxt_cpu_host_units(builder->host);
	const uint32_t counts[] = {units, units - 1, units / 2};
	for (size_t i = 0; i < MXT_ARRAY_LEN(counts); i++)
		if (counts[i] > 0 && counts[i] != default_threads(builder))
			add_thread_count(builder, counts[i]);
}

/* Core types by what their kernels need, the least first. Zen is left out: its float32 kernels are Haswell's. */
struct core_type_row {
	const char *name;
	uint64_t features;
};

#define AVX2_FEATURES (MXT_CPU_BIT(MXT_CPU_AVX2) | MXT_CPU_BIT(MXT_CPU_FMA))
#define AVX512_FEATURES                                                                                                \
	(AVX2_FEATURES | MXT_CPU_BIT(MXT_CPU_AVX512F) | MXT_CPU_BIT(MXT_CPU_AVX512BW) |                                \
	 MXT_CPU_BIT(MXT_CPU_AVX512CD) | MXT_CPU_BIT(MXT_CPU_AVX512DQ) | MXT_CPU_BIT(MXT_CPU_AVX512VL))

static const struct core_type_row core_types[] = {
    {"Haswell", AVX2_FEATURES},
    {"SkylakeX", AVX512_FEATURES},
    {"Cooperlake", AVX512_FEATURES | MXT_CPU_BIT(MXT_CPU_AVX512_BF16) | MXT_CPU_BIT(MXT_CPU_AVX512_VNNI)},
};

static bool runs_here(const struct mxt_cpu_host *host, const struct core_type_row *row)
{
	return host->cpu.kind == MXT_CPU_X86 && (host->cpu.features & row->features) == row->features;
}

/* Is this version at least 0.3.21, whose choices are known? */
static bool choices_known(const char *version)
{
	static const uint64_t known[] = {0, 3, 21};
	const char *at = version;
	for (size_t i = 0; i < MXT_ARRAY_LEN(known); i++) {
		uint64_t part = 0;
		if (mxt_parse_u64(at, &at, &part) < 0)
			return false;
		if (part != known[i])
			return part > known[i];
		at += *at == '.';
	}
	return true;
}

/*
 * What OpenBLAS takes by itself: the most that Intel's and AMD's processors can run. Builds may or may not have a type
 * of their own for processors with AMX.
 */
static bool taken_by_default(const struct mxt_cpu_host *host, size_t index)
{
	for (size_t i = index + 1; i < MXT_ARRAY_LEN(core_types); i++)
		if (runs_here(host, &core_types[i]))
			return false;
	bool known_vendor = strcmp(host->cpu.vendor, "intel") == 0 || strcmp(host->cpu.vendor, "amd") == 0;
	return known_vendor && !mxt_host_cpu_has(&host->cpu, MXT_CPU_AMX_TILE) &&
	       choices_known(host->blas[MXT_BLAS_OPENBLAS].version);
}

static void add_core_types(struct builder *builder)
{
	static const char variable[] = "OPENBLAS_CORETYPE";
	bool set = mxt_environ_get(builder->environment, variable) != NULL;
	const char *skip = set ? "kept: set by the caller for correctness" : NULL;
	for (size_t i = 0; i < MXT_ARRAY_LEN(core_types) && builder->blas == MXT_BLAS_OPENBLAS; i++) {
		if (!runs_here(builder->host, &core_types[i]) || taken_by_default(builder->host, i))
			continue;
		char name[48];
		(void)snprintf(name, sizeof name, "coretype=%s", core_types[i].name);
		add(builder, name, json_pack("{s:s}", variable, core_types[i].name), mxt_blas_name(builder->blas),
		    skip);
	}
}

static const char *binding_skip(enum mxt_blas_threading threading)
{
	static const char *const reasons[] = {
	    [MXT_BLAS_UNKNOWN] = "the library's file does not tell whether its threads are OpenMP's",
	    [MXT_BLAS_SERIAL] = "this build is single-threaded",
	    [MXT_BLAS_PTHREAD] = "this build starts its own threads and ignores OMP_PROC_BIND and OMP_PLACES",
	    [MXT_BLAS_OPENMP] = NULL,
	};
	return reasons[threading];
}

static void add_bindings(struct builder *builder)
{
	static const char *const ways[] = {"close", "spread"};
	const struct mxt_cpu_topology *topology = &builder->host->topology;
	/* One memory node: both ways put one thread on each core. */
	size_t n_ways = topology->numa_nodes > 1 || topology->packages > 1 ? 2 : 1;
	const char *skip = binding_skip(builder->host->blas[builder->blas].threading);
	for (size_t i = 0; i < n_ways && topology->threads > 1; i++) {
		char name[32];
		(void)snprintf(name, sizeof name, "bind=%s", ways[i]);
		add(builder, name, json_pack("{s:s, s:s}", "OMP_PROC_BIND", ways[i], "OMP_PLACES", "cores"),
		    mxt_blas_name(builder->blas), skip);
	}
}

/* BLIS runs one thread unless it is told otherwise. */
static void add_blis(struct builder *builder)
{
	if (builder->blas == MXT_BLAS_BLIS)
		return;
	json_t *env = json_pack("{s:s}", "MINDXTRAIN_CPU_BLAS", mxt_blas_name(MXT_BLAS_BLIS));
	const char *skip = builder->host->blas[MXT_BLAS_BLIS].path ? NULL : "libblis.so.4 is not installed";
	if (env && !skip)
		(void)set_threads(builder, MXT_BLAS_BLIS, mxt_cpu_host_units(builder->host), env);
	add(builder, "blas=blis", env, mxt_blas_name(MXT_BLAS_BLIS), skip);
}

static void build_gemm(struct builder *builder)
{
	add_bindings(builder);
	add_blis(builder);
	add_core_types(builder);
	add_threads(builder);
	builder->list.bare_choice = strdup(mxt_blas_name(builder->blas));
}

static void build_attention(struct builder *builder)
{
	add(builder, "flash", json_pack("{s:s}", "MINDXTRAIN_CPU_ATTENTION", "flash"), "flash", NULL);
	builder->list.bare_choice = strdup("math");
}

static int by_name(const void *a, const void *b)
{
	const struct mxt_candidate *x = a, *y = b;
	return strcmp(x->name, y->name);
}

int mxt_cpu_candidates_for(const struct mxt_cpu_host *host, enum mxt_problem_kind probe, char *const *environment,
			   struct mxt_candidate_list *ret_list, struct mxt_error *err)
{
	static void (*const build[MXT_PROBLEM_KIND_COUNT])(struct builder * builder) = {
	    [MXT_PROBLEM_ATTENTION] = build_attention,
	    [MXT_PROBLEM_GEMM] = build_gemm,
	};
	struct builder builder = {.host = host, .environment = environment, .blas = mxt_cpu_host_default_blas(host)};
	builder.list.items = calloc(MAX_CANDIDATES, sizeof *builder.list.items);
	if (!builder.list.items)
		return mxt_error_oom(err);
	build[probe](&builder);
	if (builder.failed || !builder.list.bare_choice) {
		mxt_candidate_list_finish(&builder.list);
		return mxt_error_oom(err);
	}
	qsort(builder.list.items, builder.list.count, sizeof *builder.list.items, by_name);
	*ret_list = builder.list;
	return 0;
}

int mxt_cpu_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
		       enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
		       struct mxt_error *err)
{
	(void)inventory;
	struct mxt_cpu_host host;
	int rc = mxt_cpu_host_read(root, &host, err);
	if (rc < 0)
		return rc;
	rc = mxt_cpu_candidates_for(&host, probe, environment, ret_list, err);
	mxt_cpu_host_finish(&host);
	return rc;
}
