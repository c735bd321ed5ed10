/* SPDX-License-Identifier: Apache-2.0 */
#include "tunable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_csv.h"
#include "sim_number.h"
#include "sim_rocm_blas.h"
#include "sim_solutions.h"

#define MAX_ROWS   1024
#define TEXT_BYTES 160
#define TUNING_NS  1e6 /* for each solution */

#if SIM_TORCH_MINOR >= 9
#define STACK_KEY "HIP_VERSION"
#else
#define STACK_KEY "ROCM_VERSION"
#endif

struct pair { /* of a Validator line */
	char key[TEXT_BYTES], value[TEXT_BYTES];
};
enum { MAX_VALIDATORS = 5 };

struct row {
	char op[TEXT_BYTES], params[TEXT_BYTES], solution[TEXT_BYTES];
};

static struct {
	bool is_read;
	struct row rows[MAX_ROWS];
	size_t count;
} results; /* of this process */

int hipRuntimeGetVersion(int *version);

static bool is_set(const char *variable, const char *value)
{
	const char *set = getenv(variable);
	return set && strcmp(set, value) == 0;
}

bool mxt_sim_tunable_is_on(void)
{
	return is_set("PYTORCH_TUNABLEOP_ENABLED", "1");
}

static void copy(char to[static TEXT_BYTES], const char *from)
{
	(void)snprintf(to, TEXT_BYTES, "%s", from);
}

/* "%d" becomes the device's number, or else the number goes before the last dot. */
static void file_name(const char *variable, const char *otherwise, char path[static 4096])
{
	const char *given = getenv(variable), *name = given ? given : otherwise, *at = strstr(name, "%d");
	const char *dot = strrchr(name, '.');
	int len = at ? (int)(at - name) : dot ? (int)(dot - name) : (int)strlen(name);
	(void)snprintf(path, 4096, "%.*s0%s", len, name, at ? at + 2 : dot ? dot : "");
}

/* ---- what a file must say ---- */

static size_t validators(struct pair pairs[static MAX_VALIDATORS])
{
	int version = 0;
	size_t count = 0;
	char revision[128] = "";
	copy(pairs[count].key, "PT_VERSION");
	copy(pairs[count++].value, SIM_TORCH_VERSION);
	copy(pairs[count].key, STACK_KEY);
	(void)hipRuntimeGetVersion(&version);
	(void)snprintf(pairs[count].value, TEXT_BYTES, "%d", version / 10000000 * 100 + version / 100000 % 100);
#if SIM_TORCH_MINOR < 9
	copy(pairs[count].value, SIM_ROCM_BUILD);
#endif
	count++;
	copy(pairs[count].key, "GCN_ARCH_NAME");
	copy(pairs[count++].value, mxt_sim_scenario()->device.arch);
	if (!is_set("PYTORCH_TUNABLEOP_ROCBLAS_ENABLED", "0")) {
		copy(pairs[count].key, "ROCBLAS_VERSION");
		(void)rocblas_get_version_string(pairs[count++].value, TEXT_BYTES);
	}
	if (!is_set("PYTORCH_TUNABLEOP_HIPBLASLT_ENABLED", "0")) {
		copy(pairs[count].key, "HIPBLASLT_VERSION");
		(void)hipblasLtGetVersion(NULL, &version);
		(void)hipblasLtGetGitRevision(NULL, revision);
		(void)snprintf(pairs[count++].value, TEXT_BYTES, "%d-%s", version, revision);
	}
	return count;
}

static int place_of(const struct pair *pairs, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(pairs[i].key, key) == 0)
			return (int)i;
	return -1;
}

static bool complain(const char *what, const char *key, const char *why)
{
	(void)fprintf(stderr, "[W] Warning: %s: \"%s\"%s\n", what, key, why);
	return false;
}

/* The keys of both must be the same, and then the values. */
static bool agree(const struct pair *seen, size_t n_seen)
{
	struct pair needed[MAX_VALIDATORS];
	size_t n_needed = validators(needed);
	bool same = true;
	for (size_t i = 0; i < n_needed; i++)
		if (place_of(seen, n_seen, needed[i].key) < 0)
			same = complain("Unmatched validator", needed[i].key,
					" is required, but the tuning results does not provide it.");
	for (size_t i = 0; i < n_seen; i++)
		if (place_of(needed, n_needed, seen[i].key) < 0)
			same = complain("Unmatched validator", seen[i].key,
					" is provided, but pytorch is unable to consume it.");
	for (size_t i = 0; same && i < n_needed; i++)
		if (strcmp(seen[place_of(seen, n_seen, needed[i].key)].value, needed[i].value) != 0)
			return complain("Failed validator", needed[i].key, "");
	return same;
}

/* ---- files ---- */

static const struct row *row_of(const char *op, const char *params)
{
	for (size_t i = 0; i < results.count; i++)
		if (strcmp(results.rows[i].op, op) == 0 && strcmp(results.rows[i].params, params) == 0)
			return &results.rows[i];
	return NULL;
}

/* The first row of a problem stays. */
static void add(const char *op, const char *params, const char *solution)
{
	if (row_of(op, params) || results.count == MAX_ROWS)
		return;
	struct row *row = &results.rows[results.count++];
	copy(row->op, op);
	copy(row->params, params);
	copy(row->solution, solution);
}

/* A later line of the same key replaces the one before. */
static void add_validator(struct pair *seen, size_t *count, const struct mxt_sim_csv *csv)
{
	int place = place_of(seen, *count, csv->fields[1]);
	if (place < 0 && *count == (size_t)2 * MAX_VALIDATORS)
		return;
	struct pair *pair = &seen[place < 0 ? (int)(*count)++ : place];
	copy(pair->key, csv->fields[1]);
	copy(pair->value, csv->fields[2]);
}

static void read_results(void)
{
	char path[4096];
	struct pair seen[2 * MAX_VALIDATORS];
	struct mxt_sim_csv csv = {.text = NULL};
	size_t n_seen = 0;
	if (results.is_read)
		return;
	results.is_read = true;
	file_name("PYTORCH_TUNABLEOP_FILENAME", "tunableop_results.csv", path);
	FILE *file = is_set("PYTORCH_TUNABLEOP_RECORD_UNTUNED", "1") ? NULL : fopen(path, "re");
	if (!file)
		return;
	while (mxt_sim_csv_next(&csv, file)) {
		if (csv.count >= 3 && strcmp(csv.fields[0], "Validator") == 0)
			add_validator(seen, &n_seen, &csv);
		else if (csv.count >= 3)
			add(csv.fields[0], csv.fields[1], csv.fields[2]);
	}
	if (!agree(seen, n_seen))
		results.count = 0;
	mxt_sim_csv_finish(&csv);
	(void)fclose(file);
}

static void write_results(void)
{
	char path[4096];
	struct pair pairs[MAX_VALIDATORS];
	size_t count = validators(pairs);
	file_name("PYTORCH_TUNABLEOP_FILENAME", "tunableop_results.csv", path);
	FILE *file = fopen(path, "we");
	if (!file)
		return;
	for (size_t i = 0; i < count; i++)
		(void)fprintf(file, "Validator,%s,%s\n", pairs[i].key, pairs[i].value);
	for (size_t i = 0; i < results.count; i++)
		(void)fprintf(file, "%s,%s,%s,0.01\n", results.rows[i].op, results.rows[i].params,
			      results.rows[i].solution);
	(void)fclose(file);
}

static void record_untuned(const char *op, const char *params)
{
	char path[4096];
	file_name("PYTORCH_TUNABLEOP_UNTUNED_FILENAME", "tunableop_untuned.csv", path);
	FILE *file = fopen(path, "ae");
	if (!file)
		return;
	(void)fprintf(file, "%s,%s\n", op, params);
	(void)fclose(file);
	add(op, params, "Default"); /* told once */
}

/* ---- problems ---- */

static const char *type_name(int32_t dtype)
{
	switch (dtype) {
	case MXT_SIM_BFLOAT16:
		return "BFloat16";
	case MXT_SIM_FLOAT16:
		return "Half";
	case MXT_SIM_FLOAT64:
		return "double";
	default:
		return "float";
	}
}

static void sign(const struct mxt_sim_gemm *gemm, bool with_bias, char op[static TEXT_BYTES],
		 char params[static TEXT_BYTES])
{
	char batch[32] = "";
	if (gemm->batch > 1)
		(void)snprintf(batch, sizeof batch, "_B_%lld", (long long)gemm->batch);
	(void)snprintf(op, TEXT_BYTES, "Gemm%sTunableOp_%s_%c%c",
		       gemm->batch > 1 ? "StridedBatched"
		       : with_bias     ? "AndBias"
				       : "",
		       type_name(gemm->dtype), gemm->ta ? 'T' : 'N', gemm->tb ? 'T' : 'N');
	(void)snprintf(params, TEXT_BYTES, "%c%c_%lld_%lld_%lld%s_ld_%lld_%lld_%lld", gemm->ta ? 't' : 'n',
		       gemm->tb ? 't' : 'n', (long long)gemm->m, (long long)gemm->n, (long long)gemm->k, batch,
		       (long long)gemm->lda, (long long)gemm->ldb, (long long)gemm->ldd);
}

/* As torch does since 2.7; before, the transposes were part of it. */
static void name(enum mxt_sim_blas blas, int index, char text[static TEXT_BYTES])
{
	if (blas == MXT_SIM_CUBLASLT)
		(void)snprintf(text, TEXT_BYTES, "Gemm_Hipblaslt_%d", index);
	else
		(void)snprintf(text, TEXT_BYTES, "Gemm_Rocblas_%d", index);
}

/* The solution of that name; false: there is none. */
static bool find(const struct mxt_sim_gemm *gemm, const char *wanted, enum mxt_sim_blas *ret_blas,
		 struct mxt_sim_solution *ret_solution)
{
	char text[TEXT_BYTES];
	for (int blas = 0; blas < MXT_SIM_BLAS_COUNT; blas++)
		for (int rank = 0; rank < mxt_sim_solution_count((enum mxt_sim_blas)blas); rank++) {
			*ret_blas = (enum mxt_sim_blas)blas;
			*ret_solution = mxt_sim_solution_at(*ret_blas, gemm, rank);
			name(*ret_blas, ret_solution->index, text);
			if (strcmp(text, wanted) == 0)
				return ret_solution->index != mxt_sim_scenario()->solutions[blas].vanish;
		}
	return false;
}

/* The fastest of all, and the time that trying them takes. */
static void tune(const struct mxt_sim_gemm *gemm, const char *op, const char *params)
{
	char best[TEXT_BYTES] = "Default";
	double least_ns = -1, spent_ns = 0;
	for (int blas = 0; blas < MXT_SIM_BLAS_COUNT; blas++)
		for (int rank = 0; rank < mxt_sim_solution_count((enum mxt_sim_blas)blas); rank++) {
			const struct mxt_sim_cost *cost = &mxt_sim_scenario()->mm[blas];
			struct mxt_sim_solution solution = mxt_sim_solution_at((enum mxt_sim_blas)blas, gemm, rank);
			double ns =
			    solution.factor * (cost->fixed_ns + mxt_sim_gemm_flops(gemm) / cost->flops_per_s * 1e9);
			spent_ns += TUNING_NS;
			if (least_ns >= 0 && ns >= least_ns)
				continue;
			least_ns = ns;
			name((enum mxt_sim_blas)blas, solution.index, best);
		}
	const struct mxt_sim_cost spent = {spent_ns, 1e18, 0};
	mxt_sim_launch(&spent, 0, 0, mxt_sim_gemm_hash(gemm), 0);
	add(op, params, best);
	write_results();
}

int mxt_sim_tunable_route(const struct mxt_sim_gemm *gemm, bool with_bias, struct mxt_sim_route *route)
{
	char op[TEXT_BYTES], params[TEXT_BYTES];
	struct mxt_sim_solution solution;
	read_results();
	sign(gemm, with_bias, op, params);
	if (!row_of(op, params) && is_set("PYTORCH_TUNABLEOP_RECORD_UNTUNED", "1"))
		record_untuned(op, params);
	if (!row_of(op, params) && !is_set("PYTORCH_TUNABLEOP_TUNING", "0"))
		tune(gemm, op, params);
	const struct row *row = row_of(op, params);
	if (!row || strcmp(row->solution, "Default") == 0)
		return 0;
	if (!find(gemm, row->solution, &route->blas, &solution)) {
		route->why = "TunableOp: the results name a solution that there is not";
		return -1;
	}
	route->is_pinned = true;
	route->index = solution.index;
	route->factor = solution.factor;
	return 0;
}
