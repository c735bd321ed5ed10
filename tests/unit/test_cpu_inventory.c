/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about CPU hosts, and what is tried on them: recorded machines, made-up ones, and this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "cpu_candidates.h"
#include "cpu_inventory.h"
#include "error.h"
#include "json.h"
#include "scratch.h"
#include "sysroot.h"

/* Writes folder/path, with the folders that lead to it. */
static void put(const char *folder, const char *path, const char *text)
{
	char *full = mxt_scratch_path(folder, path);
	for (char *slash = strchr(full + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(full, 0777);
		*slash = '/';
	}
	free(full);
	free(mxt_scratch_write(folder, path, text));
}

static void put_cpu(const char *folder, unsigned cpu, const char *file, const char *text)
{
	char path[96];
	(void)snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/%s", cpu, file);
	put(folder, path, text);
}

/* One package of four cores with two threads each; two last-level caches of 8 MiB. */
static void make_machine(const char *folder)
{
	static const char *const siblings[] = {"11", "22", "44", "88"};
	put(folder, "proc/cpuinfo",
	    "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nmodel name : Made up\n"
	    "flags : lm sse2 pni ssse3 sse4_1 sse4_2 popcnt cx16 lahf_lm avx avx2 fma f16c bmi1 bmi2 abm movbe "
	    "xsave\n");
	put(folder, "proc/meminfo", "MemTotal: 32000000 kB\nMemAvailable: 31000000 kB\n");
	put(folder, "proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-7\n");
	put(folder, "sys/devices/system/cpu/online", "0-7\n");
	put(folder, "sys/devices/system/cpu/possible", "0-7\n");
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		char core[8];
		(void)snprintf(core, sizeof core, "%u\n", cpu % 4);
		put_cpu(folder, cpu, "online", "1\n");
		put_cpu(folder, cpu, "topology/core_id", core);
		put_cpu(folder, cpu, "topology/physical_package_id", "0\n");
		put_cpu(folder, cpu, "topology/thread_siblings", siblings[cpu % 4]);
		put_cpu(folder, cpu, "topology/core_siblings", "ff\n");
		put_cpu(folder, cpu, "cache/index0/level", "3\n");
		put_cpu(folder, cpu, "cache/index0/type", "Unified\n");
		put_cpu(folder, cpu, "cache/index0/size", "8192K\n");
		put_cpu(folder, cpu, "cache/index0/shared_cpu_map", cpu % 4 < 2 ? "33\n" : "cc\n");
	}
}

static void expect_topology(const char *folder, uint32_t threads, uint32_t cores, uint64_t llc_bytes)
{
	const struct mxt_sysroot root = {.prefix = folder};
	struct mxt_cpu_topology topology;
	assert_int_equal(mxt_cpu_topology_read(&root, &topology, NULL), 0);
	assert_int_equal(topology.threads, threads);
	assert_int_equal(topology.cores, cores);
	assert_int_equal(topology.llc_bytes, llc_bytes);
}

static void test_topology(void **state)
{
	const char *folder = *state;
	make_machine(folder);
	assert_int_equal(setenv("HWLOC_PLUGINS_PATH", "kept", 1), 0);
	expect_topology(folder, 8, 4, 16 << 20);
	assert_string_equal(getenv("HWLOC_PLUGINS_PATH"), "kept");
	assert_null(getenv("HWLOC_FSROOT"));
	put(folder, "proc/self/status", "Name:\tx\nCpus_allowed_list:\t0,4-5\n"); /* both threads of core 0, one of 1 */
	expect_topology(folder, 3, 2, 8 << 20);
	put(folder, "proc/self/status", "Name:\tx\n");
	expect_topology(folder, 8, 4, 16 << 20);
}

static void test_topology_clock(void **state)
{
	const char *folder = *state;
	const struct mxt_sysroot root = {.prefix = folder};
	struct mxt_cpu_topology topology;
	make_machine(folder);
	put_cpu(folder, 0, "cpufreq/cpuinfo_max_freq", "4200000\n");
	put_cpu(folder, 0, "cpufreq/scaling_driver", "acpi-cpufreq\n");
	assert_int_equal(mxt_cpu_topology_read(&root, &topology, NULL), 0);
	assert_int_equal(topology.max_mhz, 0);
	put_cpu(folder, 0, "cpufreq/scaling_driver", "intel_pstate\n");
	assert_int_equal(mxt_cpu_topology_read(&root, &topology, NULL), 0);
	assert_int_equal(topology.max_mhz, 4200);
}

static void expect_no_processors(const char *folder)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_sysroot root = {.prefix = folder};
	struct mxt_cpu_topology topology;
	assert_true(mxt_cpu_topology_read(&root, &topology, &err) < 0);
	assert_int_equal(err.id, MXT_E_NO_PROCESSOR);
}

static void test_topology_hostile(void **state)
{
	const char *folder = *state;
	expect_no_processors(folder);
	put(folder, "proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-99999999\n");
	expect_no_processors(folder);
	put(folder, "proc/self/status", "Name:\tx\nCpus_allowed_list:\t\n");
	expect_no_processors(folder);
	put(folder, "proc/self/status", "Name:\tx\nCpus_allowed_list:\t1\n");
	put_cpu(folder, 0, "topology/thread_siblings", "zzzz\n");
	expect_topology(folder, 1, 1, 0);
}

struct recorded {
	const char *host, *platform, *stack;
};

static const struct recorded recorded[] = {
    {"cgroup-v1",
     "{\"arch\":\"x86_64-v3\",\"family\":6,\"memory_gib\":2,\"model\":63,\"units\":1,\"vendor\":\"intel\"}",
     "{\"openblas\":\"0.3.13 serial\",\"provider\":\"built-in\",\"torch\":\"none\"}"},
    {"graviton", "{\"arch\":\"aarch64\",\"family\":8,\"memory_gib\":16,\"model\":3407,\"units\":4,\"vendor\":\"arm\"}",
     "{\"openblas\":\"0.3.28 pthread\",\"provider\":\"built-in\",\"torch\":\"none\"}"},
    {"xeon-container",
     "{\"arch\":\"x86_64-v4\",\"family\":6,\"memory_gib\":16,\"model\":143,\"units\":4,\"vendor\":\"intel\"}",
     "{\"openblas\":\"0.3.26 openmp\",\"provider\":\"built-in\",\"torch\":\"none\"}"},
    {"no-blas", "{\"arch\":\"x86_64-v3\",\"family\":6,\"memory_gib\":8,\"model\":158,\"units\":2,\"vendor\":\"intel\"}",
     "{\"provider\":\"built-in\",\"torch\":\"none\"}"},
};

static void expect_json(const json_t *value, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(value, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), text);
}

static void test_recorded_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
		char folder[512];
		(void)snprintf(folder, sizeof folder, "%s/tests/fixtures/hosts/%s", getenv("MXT_SOURCE_ROOT"),
			       recorded[i].host);
		const struct mxt_sysroot root = {.prefix = folder};
		struct mxt_inventory inventory;
		assert_int_equal(mxt_cpu_inventory(&root, NULL, NULL, &inventory, NULL), 0);
		expect_json(inventory.platform, recorded[i].platform);
		expect_json(inventory.stack, recorded[i].stack);
		mxt_inventory_finish(&inventory);
	}
}

static void test_this_host(void **state)
{
	(void)state;
	const struct mxt_sysroot root = MXT_SYSROOT_LIVE;
	struct mxt_inventory inventory;
	struct mxt_candidate_list list;
	assert_int_equal(mxt_cpu_inventory(&root, NULL, NULL, &inventory, NULL), 0);
	assert_true(inventory.units > 0 && inventory.memory_bytes > 0 && inventory.llc_bytes > 0);
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(inventory.devices, &buf, NULL), 0);
	assert_int_equal(mxt_cpu_candidates(&root, &inventory, MXT_PROBLEM_GEMM, NULL, &list, NULL), 0);
	mxt_candidate_list_finish(&list);
	mxt_inventory_finish(&inventory);
}

#define HASWELL                                                                                                        \
	(MXT_CPU_BIT(MXT_CPU_AVX2) | MXT_CPU_BIT(MXT_CPU_FMA) | MXT_CPU_BIT(MXT_CPU_SSE2) | MXT_CPU_BIT(MXT_CPU_AVX))
#define SKYLAKE                                                                                                        \
	(HASWELL | MXT_CPU_BIT(MXT_CPU_AVX512F) | MXT_CPU_BIT(MXT_CPU_AVX512BW) | MXT_CPU_BIT(MXT_CPU_AVX512CD) |      \
	 MXT_CPU_BIT(MXT_CPU_AVX512DQ) | MXT_CPU_BIT(MXT_CPU_AVX512VL))
#define COOPER (SKYLAKE | MXT_CPU_BIT(MXT_CPU_AVX512_BF16) | MXT_CPU_BIT(MXT_CPU_AVX512_VNNI))

/* A host of `threads` logical processors on `cores` cores with a pthread OpenBLAS 0.3.21. */
static struct mxt_cpu_host make_host(uint64_t features, uint32_t threads, uint32_t cores)
{
	static char path[] = "/usr/lib/libopenblas.so.0";
	struct mxt_cpu_host host = {
	    .cpu = {.kind = MXT_CPU_X86, .vendor = "intel", .features = features},
	    .topology = {.threads = threads, .cores = cores, .packages = 1, .numa_nodes = 1},
	};
	host.blas[MXT_BLAS_OPENBLAS] = (struct mxt_blas_file){path, path, "0.3.21", MXT_BLAS_PTHREAD};
	return host;
}

/* Candidates as "name name! …": those with ! cannot be tried. */
static void expect_candidates(const struct mxt_cpu_host *host, char *const *environment, const char *expected)
{
	struct mxt_candidate_list list;
	assert_int_equal(mxt_cpu_candidates_for(host, MXT_PROBLEM_GEMM, environment, &list, NULL), 0);
	MXT_CLEANUP_BUF struct mxt_buf names = MXT_BUF_INIT;
	for (size_t i = 0; i < list.count; i++)
		mxt_buf_printf(&names, "%s%s%s", i ? " " : "", list.items[i].name, list.items[i].skip ? "!" : "");
	assert_string_equal(mxt_buf_text(&names), expected);
	mxt_candidate_list_finish(&list);
}

static void test_candidates(void **state)
{
	(void)state;
	struct mxt_cpu_host host = make_host(HASWELL, 2, 2);
	expect_candidates(&host, NULL, "bind=close! blas=blis! threads=1");
	host = make_host(COOPER, 2, 2);
	host.blas[MXT_BLAS_BLIS] = host.blas[MXT_BLAS_OPENBLAS];
	expect_candidates(&host, NULL, "bind=close! blas=blis coretype=Haswell coretype=SkylakeX threads=1");
	char longer[] = "OPENBLAS_CORETYPEX=1", kept[] = "OPENBLAS_CORETYPE=Haswell";
	char *set[] = {longer, kept, NULL};
	expect_candidates(&host, set, "bind=close! blas=blis coretype=Haswell! coretype=SkylakeX! threads=1");
	set[1] = NULL;
	expect_candidates(&host, set, "bind=close! blas=blis coretype=Haswell coretype=SkylakeX threads=1");
	host = make_host(SKYLAKE, 16, 8); /* siblings */
	expect_candidates(&host, NULL, "bind=close! blas=blis! coretype=Haswell threads=4 threads=7 threads=8");
	host.cgroup.cpu_milli.value = 3500; /* a quota */
	expect_candidates(&host, NULL, "bind=close! blas=blis! coretype=Haswell threads=1 threads=2 threads=3");
	host = make_host(SKYLAKE, 1, 1);
	expect_candidates(&host, NULL, "blas=blis! coretype=Haswell");
}

/* Where it is not known what OpenBLAS takes by itself, nothing is left out. */
static void test_unknown_default(void **state)
{
	(void)state;
	struct mxt_cpu_host host = make_host(SKYLAKE, 1, 1);
	memcpy(host.blas[MXT_BLAS_OPENBLAS].version, "0.3.20", 7);
	expect_candidates(&host, NULL, "blas=blis! coretype=Haswell coretype=SkylakeX");
	memcpy(host.blas[MXT_BLAS_OPENBLAS].version, "1.0", 4);
	expect_candidates(&host, NULL, "blas=blis! coretype=Haswell");
	memcpy(host.blas[MXT_BLAS_OPENBLAS].version, "unknown", 8);
	expect_candidates(&host, NULL, "blas=blis! coretype=Haswell coretype=SkylakeX");
	host = make_host(COOPER | MXT_CPU_BIT(MXT_CPU_AMX_TILE), 1, 1);
	expect_candidates(&host, NULL, "blas=blis! coretype=Cooperlake coretype=Haswell coretype=SkylakeX");
	host = make_host(SKYLAKE, 1, 1);
	memcpy(host.cpu.vendor, "via", 4);
	expect_candidates(&host, NULL, "blas=blis! coretype=Haswell coretype=SkylakeX");
	host.cpu.kind = MXT_CPU_ARM;
	expect_candidates(&host, NULL, "blas=blis!");
}

static void test_candidates_by_build(void **state)
{
	(void)state;
	struct mxt_cpu_host host = make_host(HASWELL, 4, 4);
	host.blas[MXT_BLAS_OPENBLAS].threading = MXT_BLAS_OPENMP;
	expect_candidates(&host, NULL, "bind=close blas=blis! threads=2 threads=3");
	host.topology.numa_nodes = 2;
	expect_candidates(&host, NULL, "bind=close bind=spread blas=blis! threads=2 threads=3");
	host.blas[MXT_BLAS_OPENBLAS].threading = MXT_BLAS_SERIAL;
	expect_candidates(&host, NULL, "bind=close! bind=spread! blas=blis! threads=2! threads=3!");
	/* BLIS alone runs one thread: all of them are a candidate. */
	host.blas[MXT_BLAS_BLIS] = host.blas[MXT_BLAS_OPENBLAS];
	host.blas[MXT_BLAS_BLIS].threading = MXT_BLAS_PTHREAD;
	host.blas[MXT_BLAS_OPENBLAS] = (struct mxt_blas_file)MXT_BLAS_FILE_INIT;
	expect_candidates(&host, NULL, "bind=close! bind=spread! threads=2 threads=3 threads=4");
}

static void expect_env(const struct mxt_candidate_list *list, const char *name, const char *env, const char *choice)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].name, name) != 0)
			continue;
		expect_json(list->items[i].env, env);
		assert_string_equal(list->items[i].choice, choice);
		return;
	}
	fail_msg("no candidate %s", name);
}

static void test_candidate_environments(void **state)
{
	(void)state;
	struct mxt_cpu_host host = make_host(COOPER, 8, 4);
	host.blas[MXT_BLAS_BLIS] = host.blas[MXT_BLAS_OPENBLAS];
	struct mxt_candidate_list list;
	assert_int_equal(mxt_cpu_candidates_for(&host, MXT_PROBLEM_GEMM, NULL, &list, NULL), 0);
	assert_string_equal(list.bare_choice, "openblas");
	expect_env(&list, "threads=4", "{\"OPENBLAS_NUM_THREADS\":\"4\"}", "openblas");
	expect_env(&list, "coretype=Haswell", "{\"OPENBLAS_CORETYPE\":\"Haswell\"}", "openblas");
	expect_env(&list, "blas=blis", "{\"BLIS_NUM_THREADS\":\"4\",\"MINDXTRAIN_CPU_BLAS\":\"blis\"}", "blis");
	mxt_candidate_list_finish(&list);
	assert_int_equal(mxt_cpu_candidates_for(&host, MXT_PROBLEM_ATTENTION, NULL, &list, NULL), 0);
	assert_string_equal(list.bare_choice, "math");
	assert_int_equal(list.count, 1);
	expect_env(&list, "flash", "{\"MINDXTRAIN_CPU_ATTENTION\":\"flash\"}", "flash");
	mxt_candidate_list_finish(&list);
}

static void test_limits(void **state)
{
	(void)state;
	struct mxt_cpu_host host = make_host(SKYLAKE, 16, 8);
	assert_int_equal(mxt_cpu_host_units(&host), 8);
	assert_true(mxt_cpu_host_peak_flops(&host) == 8 * 5.5e9 * 64);
	host.cgroup.cpu_milli.value = 400;
	assert_int_equal(mxt_cpu_host_units(&host), 1);
	host.cgroup.cpu_milli.value = 9000;
	assert_int_equal(mxt_cpu_host_units(&host), 8);
	host.memory.total_bytes = 1000;
	assert_int_equal(mxt_cpu_host_memory(&host), 1000);
	host.cgroup.memory_bytes.value = 2000;
	assert_int_equal(mxt_cpu_host_memory(&host), 1000);
	host.cgroup.memory_bytes.value = 500;
	assert_int_equal(mxt_cpu_host_memory(&host), 500);
	host.topology.max_mhz = 3000;
	host.cpu.features = HASWELL;
	assert_true(mxt_cpu_host_peak_flops(&host) == 8 * 3e9 * 32);
	assert_int_equal(mxt_cpu_host_llc(&host), 32 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_topology, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_topology_clock, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_topology_hostile, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(test_recorded_hosts),
	    cmocka_unit_test(test_this_host),
	    cmocka_unit_test(test_candidates),
	    cmocka_unit_test(test_unknown_default),
	    cmocka_unit_test(test_candidates_by_build),
	    cmocka_unit_test(test_candidate_environments),
	    cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
