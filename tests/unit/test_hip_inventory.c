/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan says of an AMD GPU and of the torch that computes on it, and what can be tried there. */
#include "hip_inventory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd_usage.h"
#include "cmocka_all.h"
#include "elf_maker.h"
#include "error.h"
#include "hip_candidates.h"
#include "json.h"
#include "scratch_tree.h"

#define CK "_ZN13pytorch_flash10mha_fwd_ckERKN2at6TensorES3_S3_RSt8optionalIS1_ES6_ffbiibS4_INS0_9GeneratorEE"

static const char *text_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void put_library(struct scratch_tree *tree, const char *path, const char *soname, const char *symbol)
{
	struct elf_maker maker = {.soname = soname, .symbol = symbol, .id = 0x3f};
	elf_maker_make(&maker);
	scratch_tree_write_bytes(tree, path, maker.bytes, maker.len);
}

static void put_torch(struct scratch_tree *tree, const char *ck)
{
	scratch_tree_write(tree, "/site/torch/version.py",
			   "__version__ = '2.9.1+rocm7.2.1'\ncuda: Optional[str] = None\nhip: Optional[str] = "
			   "'7.2.53211'\n");
	put_library(tree, "/site/torch/lib/libtorch_hip.so", "libtorch_hip.so", ck);
	put_library(tree, "/site/torch/lib/libhipblaslt.so", "libhipblaslt.so", NULL);
	put_library(tree, "/opt/rocm/lib/librocblas.so.5.2.70201", "librocblas.so.5", NULL);
	scratch_tree_link(tree, "/opt/rocm/lib/librocblas.so.5", "librocblas.so.5.2.70201");
}

/* The machine of a fixture with a torch. */
static void make_machine(struct scratch_tree *tree, const char *fixture, const char *ck)
{
	static const char *const parts[] = {"/sys", "/proc", "/device-files"};
	scratch_tree_make(tree);
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++) {
		char target[512];
		(void)snprintf(target, sizeof target, "%s/tests/fixtures/hosts/%s%s", getenv("MXT_SOURCE_ROOT"),
			       fixture, parts[i]);
		scratch_tree_link(tree, parts[i], target);
	}
	put_torch(tree, ck);
}

static int look_at(struct scratch_tree *tree, unsigned ordinal, struct mxt_inventory *inventory, struct mxt_error *err)
{
	char *torch = mxt_scratch_path(tree->path, "site/torch");
	const struct mxt_device_target target = {.torch = torch, .ordinal = ordinal};
	int rc = mxt_hip_inventory(&tree->root, &target, NULL, inventory, err);
	free(torch);
	return rc;
}

static void look(const char *fixture, const char *ck, struct mxt_inventory *inventory)
{
	struct scratch_tree tree;
	make_machine(&tree, fixture, ck);
	assert_int_equal(look_at(&tree, 0, inventory, NULL), 0);
	scratch_tree_remove(&tree);
}

static void test_what_a_plan_holds(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	look("mi300x-8", CK, &inventory);
	assert_string_equal(text_at(inventory.platform, "vendor"), "amd");
	assert_string_equal(text_at(inventory.platform, "arch"), "gfx942");
	assert_int_equal(json_integer_value(json_object_get(inventory.platform, "units")), 304);
	assert_int_equal(json_integer_value(json_object_get(inventory.platform, "memory_gib")), 192);
	assert_null(json_object_get(inventory.platform, "compute_partition"));
	assert_null(json_object_get(inventory.platform, "memory_partition"));
	assert_string_equal(text_at(inventory.stack, "torch"), "2.9.1+rocm7.2.1");
	assert_string_equal(text_at(inventory.stack, "hip"), "7.2.53211");
	assert_string_equal(text_at(inventory.stack, "hipblaslt"), "build-3f3f3f3f3f3f");
	assert_string_equal(text_at(inventory.stack, "rocblas"), "5.2.70201+3f3f3f3f3f3f");
	assert_string_equal(json_string_value(json_array_get(json_object_get(inventory.stack, "capabilities"), 0)),
			    "ck_sdpa");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(inventory.devices, 0), "max_mhz")), 2100);
	assert_int_equal(inventory.count, 8);
	assert_string_equal(inventory.link, "xgmi");
	assert_int_equal(inventory.llc_bytes, 256 << 20);
	assert_true(inventory.peak_flops > 1.3e15 && inventory.peak_flops < 1.32e15);
	assert_non_null(strstr(inventory.lock, "/sys/bus/pci/devices/0000:"));
	mxt_inventory_finish(&inventory);
}

/* A partition of a card is another platform, and no card. */
static void test_partitions(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	look("mi300x-cpx", NULL, &inventory);
	assert_string_equal(text_at(inventory.platform, "compute_partition"), "CPX");
	assert_int_equal(json_integer_value(json_object_get(inventory.platform, "units")), 38);
	assert_non_null(strstr(json_string_value(json_array_get(inventory.notes, 0)), "CPX"));
	assert_null(json_object_get(inventory.stack, "capabilities"));
	mxt_inventory_finish(&inventory);
}

static void test_a_broken_mesh(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	look("mi300x-link-down", NULL, &inventory);
	assert_string_equal(inventory.link, "pcie");
	mxt_inventory_finish(&inventory);
}

/* A made-up card that others use, and that may not draw all of its power. */
static void put_card(struct scratch_tree *tree)
{
#define NODE "/sys/class/kfd/kfd/topology/nodes/1"
#define PCI  "/sys/bus/pci/devices/0000:47:00.0"
	scratch_tree_make(tree);
	scratch_tree_write(tree, NODE "/gpu_id", "4096\n");
	scratch_tree_write(tree, NODE "/properties",
			   "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\nvendor_id 4098\n"
			   "device_id 29857\nlocation_id 18176\ndomain 0\ndrm_render_minor 128\nnum_xcc 8\n"
			   "max_engine_clk_fcompute 2100\nmem_banks_count 1\n");
	scratch_tree_write(tree, NODE "/mem_banks/0/properties",
			   "heap_type 1\nsize_in_bytes 206141652992\nmem_clk_max 1300\n");
	scratch_tree_write(tree, "/sys/class/kfd/kfd/topology/generation_id", "2\n");
	scratch_tree_write(tree, "/sys/class/kfd/kfd/proc/7/vram_4096", "1048576\n");
	scratch_tree_write(tree, "/sys/class/kfd/kfd/proc/8/vram_4096", "0\n");
	scratch_tree_write(tree, "/sys/class/kfd/kfd/proc/9/vram_1", "1\n");
	scratch_tree_write(tree, PCI "/mem_info_vram_used", "6141652992\n");
	scratch_tree_write(tree, PCI "/hwmon/hwmon3/power1_cap", "550000000\n");
	scratch_tree_write(tree, PCI "/hwmon/hwmon3/power1_cap_max", "750000000\n");
	scratch_tree_write(tree, "/proc/sys/kernel/numa_balancing", "1\n");
	put_torch(tree, NULL);
}

static bool notes_say(const struct mxt_inventory *inventory, const char *words)
{
	size_t i;
	json_t *note;
	json_array_foreach(inventory->notes, i, note) if (strstr(json_string_value(note), words)) return true;
	return false;
}

static void test_what_disturbs(void **state)
{
	(void)state;
	struct scratch_tree tree;
	struct mxt_inventory inventory;
	put_card(&tree);
	assert_int_equal(look_at(&tree, 0, &inventory, NULL), 0);
	assert_int_equal(json_array_size(inventory.notes), 4);
	assert_true(notes_say(&inventory, "1 other process on"));
	assert_true(notes_say(&inventory, "5 GiB of this card's memory"));
	assert_true(notes_say(&inventory, "550 of 750 W"));
	assert_true(notes_say(&inventory, "numa_balancing"));
	assert_int_equal(json_integer_value(json_object_get(json_array_get(inventory.devices, 0), "power_cap_w")), 550);
	assert_int_equal(inventory.memory_bytes, UINT64_C(200000000000));
	assert_int_equal(inventory.count, 1);
	assert_null(inventory.link);
	assert_string_equal(inventory.lock, PCI "/vendor");
	mxt_inventory_finish(&inventory);
	scratch_tree_remove(&tree);
}

static void test_no_such_gpu(void **state)
{
	(void)state;
	struct scratch_tree tree;
	struct mxt_inventory inventory;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	put_card(&tree);
	assert_int_equal(look_at(&tree, 1, &inventory, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
	scratch_tree_write(&tree, "/site/torch/version.py", "__version__ = '2.4.0+rocm6.1'\nhip = '6.1'\n");
	mxt_error_clear(&err);
	assert_int_equal(look_at(&tree, 0, &inventory, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_TORCH_UNSUPPORTED);
	scratch_tree_remove(&tree);
}

static void list(const char *stack, enum mxt_problem_kind probe, struct mxt_candidate_list *candidates)
{
	struct mxt_inventory inventory = {.stack = json_loads(stack, 0, NULL)};
	assert_int_equal(mxt_hip_candidates(NULL, &inventory, probe, NULL, candidates, NULL), 0);
	json_decref(inventory.stack);
}

static void test_attention_candidates(void **state)
{
	(void)state;
	struct mxt_candidate_list candidates;
	list("{\"torch\":\"2.13.0+rocm7.2\",\"capabilities\":[\"ck_sdpa\"]}", MXT_PROBLEM_ATTENTION, &candidates);
	assert_string_equal(candidates.bare_choice, "aotriton");
	assert_int_equal(candidates.count, 1);
	assert_string_equal(candidates.items[0].name, "ck");
	assert_string_equal(text_at(candidates.items[0].env, "TORCH_ROCM_FA_PREFER_CK"), "1");
	assert_null(candidates.items[0].skip);
	mxt_candidate_list_finish(&candidates);
	list("{\"torch\":\"2.9.1+rocm6.4\"}", MXT_PROBLEM_ATTENTION, &candidates);
	assert_int_equal(candidates.count, 1);
	assert_non_null(strstr(candidates.items[0].skip, "no CK attention"));
	mxt_candidate_list_finish(&candidates);
}

static void test_gemm_candidates(void **state)
{
	(void)state;
	struct mxt_candidate_list candidates;
	list("{\"torch\":\"2.9.1+rocm7.2.1\"}", MXT_PROBLEM_GEMM, &candidates);
	assert_string_equal(candidates.bare_choice, "hipblaslt");
	assert_int_equal(candidates.count, 1);
	assert_string_equal(candidates.items[0].choice, "rocblas");
	assert_int_equal(json_object_size(candidates.items[0].env), 3);
	assert_string_equal(text_at(candidates.items[0].env, "ROCBLAS_USE_HIPBLASLT"), "0");
	assert_true(candidates.items[0].witnessed);
	assert_non_null(strstr(candidates.items[0].ignored, "torch 2.9.1+rocm7.2.1 ignores"));
	mxt_candidate_list_finish(&candidates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_a_plan_holds), cmocka_unit_test(test_partitions),
	    cmocka_unit_test(test_a_broken_mesh),     cmocka_unit_test(test_what_disturbs),
	    cmocka_unit_test(test_no_such_gpu),       cmocka_unit_test(test_attention_candidates),
	    cmocka_unit_test(test_gemm_candidates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
