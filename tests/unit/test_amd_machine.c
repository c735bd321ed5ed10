/* SPDX-License-Identifier: Apache-2.0 */
/* AMD's GPUs as the kernel shows them: on the machines of tests/fixtures/hosts, and on made-up ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>

#include "amd_machine.h"
#include "amd_model.h"
#include "error.h"
#include "kfd_properties.h"
#include "scratch_tree.h"

#define MI300X_BYTES UINT64_C(206141652992)

static void read_fixture(const char *name, char *const *environment, struct mxt_amd_machine *machine)
{
	char prefix[512];
	(void)snprintf(prefix, sizeof prefix, "%s/tests/fixtures/hosts/%s", getenv("MXT_SOURCE_ROOT"), name);
	const struct mxt_sysroot root = {.prefix = prefix};
	assert_int_equal(mxt_amd_machine_read(&root, environment, machine, NULL), 0);
}

static void test_properties(void **state)
{
	(void)state;
	struct mxt_kfd_node node = {.simd_count = 7};
	assert_int_equal(mxt_kfd_node_parse("simd_count 1216\nunknown 3\nhive_id 18446744073709551615", &node), 0);
	assert_int_equal(node.simd_count, 1216);
	assert_true(node.hive_id == UINT64_MAX);
	assert_int_equal(node.num_xcc, 0);
	struct mxt_kfd_link link;
	assert_int_equal(mxt_kfd_link_parse("type 11\nnode_to 3\nweight 15\nflags 1\n", &link), 0);
	assert_int_equal(link.type, MXT_KFD_XGMI);
	assert_int_equal(link.node_to, 3);
}

static void test_properties_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "",
	    "\n",
	    "simd_count",
	    "simd_count \n",
	    "simd_count -1",
	    "simd_count 1 2",
	    "a 1\n\n",
	    "simd 1\r",
	    "simd_count 1.5",
	    " 5",
	    "simd_count 18446744073709551616",
	};
	struct mxt_kfd_node node = {.simd_count = 7};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(mxt_kfd_node_parse(bad[i], &node), -EINVAL);
	assert_int_equal(node.simd_count, 7); /* untouched */
}

static void test_arch(void **state)
{
	(void)state;
	static const struct {
		uint64_t version;
		const char *name;
	} rows[] = {{90402, "gfx942"}, {90010, "gfx90a"}, {90500, "gfx950"},   {110501, "gfx1151"},
		    {0, ""},           {91600, ""},       {UINT64_MAX / 2, ""}};
	char name[MXT_AMD_ARCH];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(mxt_kfd_arch(rows[i].version, name), rows[i].name);
}

static void expect_mi300x(const struct mxt_amd_gpu *gpu)
{
	assert_string_equal(gpu->arch, "gfx942");
	assert_string_equal(gpu->name, "AMD Instinct MI300X");
	assert_true(gpu->known);
	assert_int_equal(gpu->device_id, 0x74a1);
	assert_int_equal(gpu->units, 304);
	assert_int_equal(gpu->card_units, 304);
	assert_int_equal(gpu->xccs, 8);
	assert_int_equal(gpu->partitions, 1);
	assert_true(gpu->memory_bytes == MI300X_BYTES && gpu->card_memory_bytes == MI300X_BYTES);
	assert_string_equal(gpu->compute_partition, "SPX");
	assert_true(gpu->compute_partition_told);
	assert_string_equal(gpu->memory_partition, "NPS1");
	assert_int_equal(gpu->max_mhz, 2100);
	assert_int_equal(gpu->render, MXT_DEVICE_OPEN);
	assert_true(gpu->peak_bf16_flops > 1307.4e12 && gpu->peak_bf16_flops < 1307.5e12);
	assert_true(gpu->peak_bytes > 5.3e12 && gpu->peak_bytes < 5.4e12);
}

static void test_eight(void **state)
{
	(void)state;
	static const char *const addresses[] = {"0000:05:00.0", "0000:27:00.0", "0000:47:00.0", "0000:65:00.0",
						"0000:85:00.0", "0000:a7:00.0", "0000:c7:00.0", "0000:e5:00.0"};
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-8", NULL, &machine);
	assert_true(machine.driver);
	assert_string_equal(machine.driver_version, "6.12.12");
	assert_int_equal(machine.kfd, MXT_DEVICE_OPEN);
	assert_true(mxt_reading_is(machine.numa_balancing, 0));
	assert_int_equal(machine.n_gpus, 8);
	assert_int_equal(machine.n_cards, 8);
	assert_int_equal(machine.shown_cards, 8);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_FULL);
	assert_string_equal(machine.mesh_reason, "");
	for (uint32_t i = 0; i < 8; i++) {
		expect_mi300x(&machine.gpus[i]);
		assert_string_equal(machine.gpus[i].pci, addresses[i]);
		assert_true(machine.gpus[i].hive_id == UINT64_C(15188982192727901047));
		assert_int_equal(machine.gpus[i].card, i);
		assert_int_equal(machine.gpus[i].render_minor, 128 + 8 * i);
		assert_int_equal(machine.gpus[i].xgmi_links, 7);
	}
}

static void test_lost_card(void **state)
{
	(void)state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-7-of-8", NULL, &machine);
	assert_int_equal(machine.n_cards, 7);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_FULL);
	assert_int_equal(machine.gpus[0].xgmi_links, 6);
	assert_true(mxt_reading_is(machine.numa_balancing, 1));
}

static void test_link_down(void **state)
{
	(void)state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-link-down", NULL, &machine);
	assert_int_equal(machine.n_cards, 8);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_BROKEN);
	assert_int_equal(machine.missing_links, 1);
	assert_string_equal(machine.mesh_reason, "GPU 2 (0000:47:00.0) and GPU 5 (0000:a7:00.0): no direct xGMI link");
	assert_int_equal(machine.gpus[2].xgmi_links, 6);
	assert_int_equal(machine.gpus[3].xgmi_links, 7);
}

/* A pair that a job does not use breaks nothing. */
static void test_link_down_elsewhere(void **state)
{
	(void)state;
	char *environment[] = {(char[]){"HIP_VISIBLE_DEVICES=0,1,2,3"}, NULL};
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-link-down", environment, &machine);
	assert_int_equal(machine.n_cards, 4);
	assert_int_equal(machine.shown_cards, 8);
	assert_string_equal(machine.hidden_by, "HIP_VISIBLE_DEVICES");
	assert_int_equal(machine.mesh, MXT_AMD_MESH_FULL);
}

static void test_partitions(void **state)
{
	(void)state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-cpx", NULL, &machine);
	assert_int_equal(machine.n_gpus, 8);
	assert_int_equal(machine.n_cards, 1);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_NONE);
	for (uint32_t i = 0; i < 8; i++) {
		const struct mxt_amd_gpu *gpu = &machine.gpus[i];
		assert_int_equal(gpu->partition, i);
		assert_int_equal(gpu->partitions, 8);
		assert_string_equal(gpu->pci, "0000:05:00.0");
		assert_string_equal(gpu->compute_partition, "CPX");
		assert_string_equal(gpu->memory_partition, "NPS4");
		assert_int_equal(gpu->units, 38);
		assert_int_equal(gpu->card_units, 304);
		assert_int_equal(gpu->xccs, 1);
		assert_int_equal(gpu->card_xccs, 8);
		assert_true(gpu->card_memory_bytes == MI300X_BYTES);
		assert_int_equal(gpu->memory_bytes >> 30, i < 6 ? 24 : 23);
		assert_int_equal(gpu->xgmi_links, 0);
	}
}

static void test_virtual_function(void **state)
{
	(void)state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-vf", NULL, &machine);
	assert_int_equal(machine.n_gpus, 1);
	assert_string_equal(machine.gpus[0].name, "AMD Instinct MI300X VF");
	assert_string_equal(machine.gpus[0].pci, "0000:83:00.0");
	assert_string_equal(machine.gpus[0].compute_partition, "SPX");
	assert_false(machine.gpus[0].compute_partition_told);
	assert_string_equal(machine.gpus[0].memory_partition, "");
}

static void test_control_group(void **state)
{
	(void)state;
	const struct mxt_amd_gpu *gpu = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-cgroup", NULL, &machine);
	assert_int_equal(machine.n_gpus, 1);
	assert_int_equal(machine.n_closed, 7);
	assert_int_equal(mxt_amd_machine_find(&machine, 0, &gpu, NULL), 0);
	assert_string_equal(gpu->pci, "0000:65:00.0");
	assert_int_equal(mxt_amd_machine_find(&machine, 1, &gpu, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
	mxt_error_clear(&err);
}

static void test_no_driver(void **state)
{
	(void)state;
	const struct mxt_amd_gpu *gpu = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("epyc-2s-mi300x", NULL, &machine);
	assert_false(machine.driver);
	assert_int_equal(machine.n_gpus, 0);
	assert_int_equal(machine.kfd, MXT_DEVICE_NOT_RECORDED);
	assert_int_equal(mxt_amd_machine_find(&machine, 0, &gpu, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_AMD_DRIVER);
	mxt_error_clear(&err);
}

/* What a variable leaves of the eight cards, as digits in the order of HIP. */
static void expect_visible(const char *a, const char *b, const char *expected, const char *hidden_by)
{
	char texts[2][128], digits[16] = "";
	char *environment[] = {texts[0], texts[1], NULL};
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	(void)snprintf(texts[0], sizeof texts[0], "%s", a);
	(void)snprintf(texts[1], sizeof texts[1], "%s", b);
	read_fixture("mi300x-8", environment, &machine);
	for (size_t i = 0; i < machine.n_gpus; i++)
		digits[i] = (char)('0' + machine.gpus[i].ordinal);
	assert_string_equal(digits, expected);
	assert_string_equal(machine.hidden_by ? machine.hidden_by : "", hidden_by);
	assert_int_equal(machine.shown_gpus, 8);
}

static void test_visible_to_rocr(void **state)
{
	(void)state;
	static const char name[] = "ROCR_VISIBLE_DEVICES";
	expect_visible("ROCR_VISIBLE_DEVICES=2,0", "A=", "20", name);
	expect_visible("ROCR_VISIBLE_DEVICES=", "A=", "", name);
	expect_visible("ROCR_VISIBLE_DEVICES=-1", "A=", "", name);
	expect_visible("ROCR_VISIBLE_DEVICES= 3 , 0x1", "A=", "31", name);
	expect_visible("ROCR_VISIBLE_DEVICES=1,1,2", "A=", "1", name); /* a repeated entry ends the list */
	expect_visible("ROCR_VISIBLE_DEVICES=1,8,2", "A=", "1", name);
	expect_visible("ROCR_VISIBLE_DEVICES=1,x,2", "A=", "1", name);
	expect_visible("ROCR_VISIBLE_DEVICES=1,,2", "A=", "1", name);
	expect_visible("ROCR_VISIBLE_DEVICES=gpu-2250f807", "A=", "1", name); /* the beginning of an id */
	expect_visible("ROCR_VISIBLE_DEVICES=GPU-d", "A=", "", name);         /* of two */
	expect_visible("ROCR_VISIBLE_DEVICES=GPU-", "A=", "", name);
	expect_visible("ROCR_VISIBLE_DEVICES=7,6,5,4,3,2,1,0", "A=", "76543210", "");
}

static void test_visible_to_hip(void **state)
{
	(void)state;
	static const char name[] = "HIP_VISIBLE_DEVICES";
	expect_visible("HIP_VISIBLE_DEVICES=2,0", "CUDA_VISIBLE_DEVICES=1", "20", name);
	expect_visible("HIP_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES=1", "", name);
	expect_visible("A=", "CUDA_VISIBLE_DEVICES=1", "1", "CUDA_VISIBLE_DEVICES");
	expect_visible("HIP_VISIBLE_DEVICES=1,1,2", "A=", "12", name); /* a repeated entry is dropped */
	expect_visible("HIP_VISIBLE_DEVICES=1, 2", "A=", "1", name);   /* a blank is no digit */
	expect_visible("HIP_VISIBLE_DEVICES=01", "A=", "", name);
	expect_visible("HIP_VISIBLE_DEVICES=GPU-2250f807,0,", "A=", "10", name);
	expect_visible("HIP_VISIBLE_DEVICES=GPU-ffffffffffffffff,0", "A=", "", name);
}

/* HIP counts what the layer below it leaves. */
static void test_visible_to_both(void **state)
{
	(void)state;
	expect_visible("ROCR_VISIBLE_DEVICES=4,5,6,7", "HIP_VISIBLE_DEVICES=3,0", "74", "HIP_VISIBLE_DEVICES");
	expect_visible("ROCR_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=1", "", "CUDA_VISIBLE_DEVICES");
	expect_visible("ROCR_VISIBLE_DEVICES=1,2", "CUDA_VISIBLE_DEVICES=0,1", "12", "ROCR_VISIBLE_DEVICES");
}

static void test_all_hidden(void **state)
{
	(void)state;
	char *environment[] = {(char[]){"CUDA_VISIBLE_DEVICES=-1"}, NULL};
	const struct mxt_amd_gpu *gpu = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	read_fixture("mi300x-8", environment, &machine);
	assert_int_equal(mxt_amd_machine_find(&machine, 0, &gpu, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
	assert_non_null(strstr(mxt_error_text(&err), "CUDA_VISIBLE_DEVICES hides all 8"));
	mxt_error_clear(&err);
}

#define NODES "/sys/class/kfd/kfd/topology/nodes"

/* A node of a made-up machine: a GPU of gfx942 with the given dies. */
static void write_gpu(struct scratch_tree *tree, unsigned node, unsigned location, unsigned xccs)
{
	char path[128], text[256];
	(void)snprintf(path, sizeof path, NODES "/%u/properties", node);
	(void)snprintf(text, sizeof text,
		       "simd_count %u\nsimd_per_cu 4\ngfx_target_version 90402\nvendor_id 4098\ndevice_id 29857\n"
		       "location_id %u\nhive_id 5\nunique_id 9\nnum_xcc %u\n",
		       152 * xccs, location, xccs);
	scratch_tree_write(tree, path, text);
}

static void write_link(struct scratch_tree *tree, unsigned from, unsigned to, unsigned weight, unsigned flags)
{
	char path[128], text[128];
	(void)snprintf(path, sizeof path, NODES "/%u/io_links/%u/properties", from, to);
	(void)snprintf(text, sizeof text, "type 11\nnode_to %u\nweight %u\nflags %u\n", to, weight, flags);
	scratch_tree_write(tree, path, text);
}

static void read_tree(const struct scratch_tree *tree, struct mxt_amd_machine *machine)
{
	mxt_amd_machine_finish(machine);
	assert_int_equal(mxt_amd_machine_read(&tree->root, NULL, machine, NULL), 0);
}

/* Newer kernels count partitions in bits 28 to 31, others in the function. */
static void test_partition_numbers(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	write_gpu(tree, 1, 0x4700, 4);
	write_gpu(tree, 2, 0x10004700, 4);
	read_tree(tree, &machine);
	assert_int_equal(machine.n_cards, 1);
	assert_int_equal(machine.gpus[1].partition, 1);
	assert_string_equal(machine.gpus[1].pci, "0000:47:00.0");
	assert_string_equal(machine.gpus[1].compute_partition, "DPX");
	write_gpu(tree, 2, 0x4701, 4);
	read_tree(tree, &machine);
	assert_int_equal(machine.n_cards, 1);
	assert_int_equal(machine.gpus[1].partition, 1);
}

/* Virtual functions of one slot that have all dies are cards. */
static void test_whole_functions(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	write_gpu(tree, 1, 0x4710, 8);
	write_gpu(tree, 2, 0x4711, 8);
	read_tree(tree, &machine);
	assert_int_equal(machine.n_cards, 2);
	assert_string_equal(machine.gpus[1].pci, "0000:47:02.1");
	assert_int_equal(machine.mesh, MXT_AMD_MESH_BROKEN);
}

/* Two cards of two partitions each: links of weight 41 are direct, those of 56 take another card's way. */
static void test_mesh_of_partitions(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	for (unsigned i = 0; i < 4; i++)
		write_gpu(tree, 1 + i, (i < 2 ? 0x4700 : 0x8700) + i % 2, 4);
	write_link(tree, 1, 2, 13, 1);
	write_link(tree, 1, 3, 41, 1);
	read_tree(tree, &machine);
	assert_int_equal(machine.n_cards, 2);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_BROKEN); /* there is no way back */
	write_link(tree, 4, 2, 41, 1);
	read_tree(tree, &machine);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_FULL);
	assert_int_equal(machine.gpus[3].xgmi_links, 1);
	write_link(tree, 4, 2, 56, 1);
	read_tree(tree, &machine);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_BROKEN);
	write_link(tree, 4, 2, 41, 0); /* not in use */
	read_tree(tree, &machine);
	assert_int_equal(machine.mesh, MXT_AMD_MESH_BROKEN);
	assert_int_equal(machine.missing_links, 1);
}

static void test_damage(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	write_gpu(tree, 3, 0x4700, 8);
	scratch_tree_write(tree, NODES "/03/properties", "simd_count 4\n"); /* no name of a node */
	scratch_tree_write(tree, NODES "/2/properties", "nonsense");
	scratch_tree_write(tree, NODES "/1/properties", "");
	scratch_tree_write(tree, NODES "/0/properties", "simd_count 0\n");
	scratch_tree_write(tree, NODES "/3/mem_banks/0/properties",
			   "heap_type 1\nsize_in_bytes 18446744073709551615\nwidth 18446744073709551615\n");
	scratch_tree_write(tree, NODES "/3/mem_banks/1/properties", "heap_type 2\nsize_in_bytes 5\n");
	scratch_tree_write(tree, "/sys/bus/pci/devices/0000:47:00.0/current_compute_partition", "S P\nX\n");
	scratch_tree_write(tree, "/sys/module/amdgpu/version", "\033[31m6");
	read_tree(tree, &machine);
	assert_int_equal(machine.n_gpus, 1);
	assert_int_equal(machine.n_closed, 1);
	assert_int_equal(machine.n_damaged, 1);
	assert_true(machine.gpus[0].memory_bytes == UINT64_MAX);
	assert_string_equal(machine.gpus[0].compute_partition, "SPX");
	assert_false(machine.gpus[0].compute_partition_told);
	assert_string_equal(machine.driver_version, "?[31m6");
}

static void test_access(void **state)
{
	struct scratch_tree *tree = *state;
	const struct mxt_amd_gpu *gpu = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_AMD_MACHINE struct mxt_amd_machine machine = MXT_AMD_MACHINE_INIT;
	write_gpu(tree, 1, 0x4700, 8);
	scratch_tree_write(tree, "/device-files", "denied /dev/kfd\nopen /dev/dri/renderD0\n");
	read_tree(tree, &machine);
	assert_int_equal(machine.kfd, MXT_DEVICE_DENIED);
	assert_int_equal(mxt_amd_machine_find(&machine, 0, &gpu, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_AMD_ACCESS);
	assert_non_null(strstr(mxt_error_text(&err), "render,video"));
	scratch_tree_write(tree, "/device-files", "open /dev/kfd\nforbidden /dev/dri/renderD0\n");
	read_tree(tree, &machine);
	assert_int_equal(machine.gpus[0].render, MXT_DEVICE_FORBIDDEN);
	assert_int_equal(mxt_amd_machine_find(&machine, 0, &gpu, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_AMD_ACCESS);
	mxt_error_clear(&err);
}

static void test_device_file(void **state)
{
	(void)state;
	static const char text[] = "open /dev/kfd\nwrong /dev/a\ndenied /dev/dri/renderD1\n\nopen\nforbidden /dev/b";
	enum mxt_device_access access = MXT_DEVICE_ABSENT;
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	assert_int_equal(mxt_device_file_find(text, "/dev/kfd"), MXT_DEVICE_OPEN);
	assert_int_equal(mxt_device_file_find(text, "/dev/kf"), MXT_DEVICE_ABSENT);
	assert_int_equal(mxt_device_file_find(text, "/dev/a"), MXT_DEVICE_ABSENT);
	assert_int_equal(mxt_device_file_find(text, "/dev/dri/renderD1"), MXT_DEVICE_DENIED);
	assert_int_equal(mxt_device_file_find(text, "/dev/dri/renderD12"), MXT_DEVICE_ABSENT);
	assert_int_equal(mxt_device_file_find(text, "/dev/b"), MXT_DEVICE_FORBIDDEN);
	assert_int_equal(mxt_device_file_access(&live, "/dev/null", &access), 0);
	assert_int_equal(access, MXT_DEVICE_OPEN);
	assert_int_equal(mxt_device_file_access(&live, "/dev/null/nothing", &access), 0);
	assert_int_equal(access, MXT_DEVICE_ABSENT);
}

static void test_models(void **state)
{
	(void)state;
	assert_null(mxt_amd_model_find(0x10de));
	assert_int_equal(mxt_amd_model_find(0x74a2)->units, 80);
	assert_int_equal(mxt_amd_model_find(0x74a0)->xccs, 6);
	assert_int_equal(mxt_amd_rate("gfx942").bf16, 2048);
	assert_int_equal(mxt_amd_rate("gfx1151").bf16, 0);
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, scratch_tree_set_up, scratch_tree_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_properties),
	    cmocka_unit_test(test_properties_refused),
	    cmocka_unit_test(test_arch),
	    cmocka_unit_test(test_eight),
	    cmocka_unit_test(test_lost_card),
	    cmocka_unit_test(test_link_down),
	    cmocka_unit_test(test_partitions),
	    cmocka_unit_test(test_link_down_elsewhere),
	    cmocka_unit_test(test_virtual_function),
	    cmocka_unit_test(test_control_group),
	    cmocka_unit_test(test_no_driver),
	    cmocka_unit_test(test_visible_to_rocr),
	    cmocka_unit_test(test_visible_to_hip),
	    cmocka_unit_test(test_visible_to_both),
	    cmocka_unit_test(test_all_hidden),
	    cmocka_unit_test(test_device_file),
	    cmocka_unit_test(test_models),
	    WITH_TREE(test_partition_numbers),
	    WITH_TREE(test_whole_functions),
	    WITH_TREE(test_mesh_of_partitions),
	    WITH_TREE(test_damage),
	    WITH_TREE(test_access),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
