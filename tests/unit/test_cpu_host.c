/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of /proc/cpuinfo, /proc/meminfo and the control groups, on made-up machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "host_cgroup.h"
#include "host_cpu.h"
#include "host_memory.h"
#include "scratch_tree.h"
#include "sysroot.h"

#define FLAGS_V1 "fpu sse sse2 lm "
#define FLAGS_V2 FLAGS_V1 "cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2 "
#define FLAGS_V3 FLAGS_V2 "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave "
#define FLAGS_V4 FLAGS_V3 "avx512f avx512bw avx512cd avx512dq avx512vl "

static struct mxt_host_cpu parse_cpu(const char *text)
{
	struct mxt_host_cpu cpu;
	mxt_host_cpu_parse(text, strlen(text), &cpu);
	return cpu;
}

static void test_x86_identity(void **state)
{
	(void)state;
	struct mxt_host_cpu cpu = parse_cpu("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\n"
					    "model\t\t: 2\nmodel name\t: AMD EPYC\nflags\t\t: " FLAGS_V4
					    "avx512_bf16\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n");
	assert_int_equal(cpu.kind, MXT_CPU_X86);
	assert_string_equal(cpu.vendor, "amd");
	assert_string_equal(cpu.name, "AMD EPYC");
	assert_string_equal(cpu.arch, "x86_64-v4");
	assert_int_equal(cpu.family, 26);
	assert_int_equal(cpu.model, 2);
	assert_true(mxt_host_cpu_has(&cpu, MXT_CPU_AVX512_BF16));
	assert_false(mxt_host_cpu_has(&cpu, MXT_CPU_AMX_TILE));
}

static void test_levels(void **state)
{
	(void)state;
	static const struct {
		const char *text, *arch;
	} rows[] = {
	    {"flags : " FLAGS_V1, "x86_64-v1"},
	    {"flags : " FLAGS_V2, "x86_64-v2"},
	    {"flags : " FLAGS_V3, "x86_64-v3"},
	    {"flags : " FLAGS_V4, "x86_64-v4"},
	    {"flags : " FLAGS_V2 "avx512f avx512bw avx512cd avx512dq avx512vl", "x86_64-v2"},
	    {"flags : fpu sse sse2", "other"}, /* 32-bit */
	    {"Features : fp asimd sve\nCPU part : 0xd40", "aarch64"},
	    {"Features : half thumb vfp", "other"},
	    {"", "other"},
	    {"isa : rv64imafdc", "other"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(parse_cpu(rows[i].text).arch, rows[i].arch);
}

static void test_arm_identity(void **state)
{
	(void)state;
	struct mxt_host_cpu cpu = parse_cpu("processor\t: 0\nFeatures\t: fp asimd sve sve2\nCPU implementer\t: 0x41\n"
					    "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n");
	assert_string_equal(cpu.vendor, "arm");
	assert_int_equal(cpu.family, 8);
	assert_int_equal(cpu.model, 0xd4f);
	assert_true(mxt_host_cpu_has(&cpu, MXT_CPU_SVE2));
	assert_string_equal(mxt_cpu_feature_name(MXT_CPU_SVE2), "sve2");
}

static void test_cpu_hostile_text(void **state)
{
	(void)state;
	char text[4096];
	memset(text, 'A', sizeof text);
	memcpy(text, "vendor_id :", 11);
	struct mxt_host_cpu cpu;
	mxt_host_cpu_parse(text, sizeof text, &cpu);
	assert_int_equal(strlen(cpu.vendor), sizeof cpu.vendor - 1);
	cpu = parse_cpu("model name : a\x01\xff"
			"b\nmodel : 99999999999999999999\ncpu family : x\nvendor_id :\n");
	assert_string_equal(cpu.name, "a??b");
	assert_int_equal(cpu.model, 0);
	assert_int_equal(cpu.family, 0);
	assert_string_equal(cpu.vendor, "unknown");
}

static void test_memory(void **state)
{
	(void)state;
	struct mxt_host_memory memory;
	mxt_host_memory_parse("MemTotal:       24684064 kB\nMemFree: 1 kB\nMemAvailable:   100 kB\n", &memory);
	assert_int_equal(memory.total_bytes, UINT64_C(24684064) * 1024);
	assert_int_equal(memory.available_bytes, 102400);
	mxt_host_memory_parse("MemTotalX: 5 kB\nMemTotal: many\nMemAvailable: 99999999999999999999 kB", &memory);
	assert_int_equal(memory.total_bytes, 0);
	assert_int_equal(memory.available_bytes, 0);
}

static void test_memory_class(void **state)
{
	(void)state;
	static const struct {
		double gib;
		uint32_t class;
	} rows[] = {{0.1, 1},   {0.97, 1},    {1.4, 1},     {1.42, 2},   {3.8, 4},   {4.9, 6},
		    {7.6, 8},   {15.5, 16},   {23.5, 24},   {31.2, 32},  {62.7, 64}, {94, 96},
		    {251, 256}, {503.5, 512}, {1510, 1536}, {2015, 2048}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(mxt_memory_class_gib((uint64_t)(rows[i].gib * 0x1p30)), rows[i].class);
	assert_int_equal(mxt_memory_class_gib(0), 1);
}

static void test_cpu_max(void **state)
{
	(void)state;
	assert_int_equal(mxt_cgroup_parse_cpu_max("max 100000"), 0);
	assert_int_equal(mxt_cgroup_parse_cpu_max("150000 100000"), 1500);
	assert_int_equal(mxt_cgroup_parse_cpu_max("1 1000000"), 1);
	assert_int_equal(mxt_cgroup_parse_cpu_max("100000 0"), 0);
	assert_int_equal(mxt_cgroup_parse_cpu_max("100000"), 0);
	assert_int_equal(mxt_cgroup_parse_cpu_max("18446744073709551615 1"), 0);
	assert_int_equal(mxt_cgroup_parse_cpu_max(""), 0);
}

#define V1_MOUNTS                                                                                                      \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                                                            \
	"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"                \
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define V2_MOUNT "26 23 0:24 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

struct locate_row {
	const char *membership, *mountinfo, *controller;
	unsigned version;
	const char *dir;
};

static const struct locate_row locate_rows[] = {
    {"0::/user.slice/a", V2_MOUNT, "cpu", 2, "/sys/fs/cgroup/user.slice/a"},
    {"0::/", V2_MOUNT, "memory", 2, "/sys/fs/cgroup"},
    {"4:memory:/a/b\n0::/", V1_MOUNTS V2_MOUNT, "memory", 1, "/sys/fs/cgroup/memory/a/b"},
    {"0::/\n3:cpu,cpuacct:/x", V1_MOUNTS V2_MOUNT, "cpu", 1, "/sys/fs/cgroup/cpu,cpuacct/x"},
    {"0::/s", V1_MOUNTS "9 31 0:3 / /sys/fs/cgroup/unified rw - cgroup2 c rw\n", "cpu", 2, "/sys/fs/cgroup/unified/s"},
    /* A container that sees its own group as the root of the mount. */
    {"4:memory:/docker/id", "9 8 0:3 /docker/id /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory", "memory", 1,
     "/sys/fs/cgroup/memory"},
    {"4:memory:/docker/idx", "9 8 0:3 /docker/id /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory", "memory", 1,
     "/sys/fs/cgroup/memory"},
    {"0::/../../outer", V2_MOUNT, "cpu", 2, "/sys/fs/cgroup"},
    /* Escapes of mountinfo: a blank in the mount point, a backslash in the mounted group's name. */
    {"0::/a\\x2db/c", "9 8 0:3 /a\\134x2db /my\\040groups rw - cgroup2 c rw", "cpu", 2, "/my groups/c"},
    {"4:memory:/a", V2_MOUNT, "memory", 0, NULL},
    {"", "", "cpu", 0, NULL},
    {"::\n0:\n0::", "1 2 3 4 5 6 7\n- - - - - - - -\n", "cpu", 0, NULL},
};

static void test_locate(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof locate_rows / sizeof locate_rows[0]; i++) {
		const struct locate_row *row = &locate_rows[i];
		struct mxt_cgroup_place place;
		assert_int_equal(mxt_cgroup_locate(row->membership, row->mountinfo, row->controller, &place), 0);
		assert_int_equal(place.version, row->version);
		if (row->dir)
			assert_string_equal(place.dir, row->dir);
		else
			assert_null(place.dir);
		free(place.dir);
	}
}

static void expect_limits(const struct scratch_tree *tree, uint64_t cpu_milli, const char *cpu_file,
			  uint64_t memory_bytes, const char *memory_file)
{
	struct mxt_host_cgroup cgroup;
	assert_int_equal(mxt_host_cgroup_read(&tree->root, &cgroup, NULL), 0);
	assert_int_equal(cgroup.cpu_milli.value, cpu_milli);
	assert_int_equal(cgroup.memory_bytes.value, memory_bytes);
	if (cpu_file)
		assert_string_equal(cgroup.cpu_milli.file, cpu_file);
	if (memory_file)
		assert_string_equal(cgroup.memory_bytes.file, memory_file);
	mxt_host_cgroup_finish(&cgroup);
}

static void test_limits_v2_nested(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/proc/self/cgroup", "0::/pod/box\n");
	scratch_tree_write(tree, "/proc/self/mountinfo", V2_MOUNT);
	expect_limits(tree, 0, NULL, 0, NULL);
	scratch_tree_write(tree, "/sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/cpu.max", "800000 100000\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/pod/box/memory.max", "4294967296\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/pod/box/memory.high", "max\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/pod/memory.high", "2147483648\n");
	expect_limits(tree, 2500, "/sys/fs/cgroup/pod/cpu.max", UINT64_C(2147483648), "/sys/fs/cgroup/pod/memory.high");
}

static void test_limits_v1(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/proc/self/cgroup", "4:memory:/a\n3:cpu,cpuacct:/a\n0::/\n");
	scratch_tree_write(tree, "/proc/self/mountinfo", V1_MOUNTS);
	scratch_tree_write(tree, "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
	expect_limits(tree, 0, NULL, 0, NULL);
	scratch_tree_write(tree, "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
	scratch_tree_write(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
	expect_limits(tree, 500, "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", 1073741824,
		      "/sys/fs/cgroup/memory/memory.limit_in_bytes");
}

static void test_missing_files(void **state)
{
	struct scratch_tree *tree = *state;
	struct mxt_host_cpu cpu;
	struct mxt_host_memory memory;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	expect_limits(tree, 0, NULL, 0, NULL);
	assert_true(mxt_host_cpu_read(&tree->root, &cpu, &err) < 0);
	assert_non_null(strstr(mxt_error_text(&err), "/proc/cpuinfo"));
	assert_true(mxt_host_memory_read(&tree->root, &memory, &err) < 0);
}

static void test_live(void **state)
{
	(void)state;
	struct mxt_sysroot root = MXT_SYSROOT_LIVE;
	struct mxt_host_cpu cpu;
	struct mxt_host_memory memory;
	struct mxt_host_cgroup cgroup;
	assert_int_equal(mxt_host_cpu_read(&root, &cpu, NULL), 0);
	assert_int_equal(mxt_host_memory_read(&root, &memory, NULL), 0);
	assert_int_equal(mxt_host_cgroup_read(&root, &cgroup, NULL), 0);
	mxt_host_cgroup_finish(&cgroup);
	assert_true(memory.total_bytes > memory.available_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_x86_identity),
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_arm_identity),
	    cmocka_unit_test(test_cpu_hostile_text),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_memory_class),
	    cmocka_unit_test(test_cpu_max),
	    cmocka_unit_test(test_locate),
	    cmocka_unit_test_setup_teardown(test_limits_v2_nested, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_limits_v1, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_missing_files, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test(test_live),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
