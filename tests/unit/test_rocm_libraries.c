/* SPDX-License-Identifier: Apache-2.0 */
/* Which of AMD's libraries a ROCm torch loads, and whether it holds CK's attention, on made-up machines. */
#include "rocm_libraries.h"

#include <string.h>

#include "cmocka_all.h"
#include "elf_maker.h"
#include "scratch_tree.h"

#define SITE "/venv/site-packages"

static void put(struct scratch_tree *tree, const char *path, const char *soname, unsigned char id)
{
	struct elf_maker maker = {.soname = soname, .id = id};
	elf_maker_make(&maker);
	scratch_tree_write_bytes(tree, path, maker.bytes, maker.len);
}

static void find(struct scratch_tree *tree, const char *hip, const char *search, struct mxt_rocm_libraries *libraries)
{
	struct mxt_torch_install install = {.folder = SITE};
	memcpy(install.files.hip, hip, strlen(hip) + 1);
	assert_int_equal(mxt_rocm_libraries_find(&tree->root, &install, search, libraries, NULL), 0);
}

static void expect(const struct mxt_rocm_library *library, const char *path, const char *text)
{
	char found[MXT_ROCM_TEXT];
	assert_non_null(library->path);
	assert_string_equal(library->path, path);
	assert_string_equal(mxt_rocm_library_text(library, found), text);
}

/* Copies in torch/lib lost their numbers; what tells two of them apart is the id of their build. */
static void test_wheel(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_ROCM_LIBRARIES struct mxt_rocm_libraries libraries;
	put(tree, SITE "/torch/lib/libamdhip64.so", "libamdhip64.so", 1);
	put(tree, SITE "/torch/lib/libhipblaslt.so", "libhipblaslt.so", 0x3f);
	put(tree, SITE "/torch/lib/librocblas.so", "librocblas.so.5", 0);
	put(tree, "/opt/rocm/lib/libhipblaslt.so.1", "libhipblaslt.so.1", 2);
	put(tree, "/opt/rocm/lib/librccl.so.1", "librccl.so.1", 2);
	find(tree, "7.2.53211", "/opt/rocm/lib", &libraries);
	expect(&libraries.items[MXT_ROCM_HIP], SITE "/torch/lib/libamdhip64.so", "build-010101010101");
	expect(&libraries.items[MXT_ROCM_HIPBLASLT], SITE "/torch/lib/libhipblaslt.so", "build-3f3f3f3f3f3f");
	expect(&libraries.items[MXT_ROCM_ROCBLAS], SITE "/torch/lib/librocblas.so", "5");
	expect(&libraries.items[MXT_ROCM_RCCL], "/opt/rocm/lib/librccl.so.1", "1+020202020202");
	assert_string_equal(libraries.items[MXT_ROCM_HIPBLASLT].soname, "libhipblaslt.so");
	assert_string_equal(libraries.items[MXT_ROCM_HIPBLASLT].title, "hipBLASLt");
}

/* As AMD's packages lay them out. */
static void test_machine(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_ROCM_LIBRARIES struct mxt_rocm_libraries libraries;
	put(tree, "/opt/rocm-7.2.1/lib/libhipblaslt.so.1.2.70201", "libhipblaslt.so.1", 0x3f);
	scratch_tree_link(tree, "/opt/rocm-7.2.1/lib/libhipblaslt.so.1", "libhipblaslt.so.1.2.70201");
	scratch_tree_link(tree, "/opt/rocm-7.2.1/lib/libhipblaslt.so", "libhipblaslt.so.1");
	put(tree, "/opt/rocm-7.2.1/lib/libamdhip64.so.7", "libamdhip64.so.7", 1);
	put(tree, "/opt/rocm-6.4.0/lib/libamdhip64.so.6", "libamdhip64.so.6", 1);
	put(tree, "/opt/rocm-6.4.0/lib/librocblas.so.4", "librocblas.so.4", 1);
	put(tree, "/usr/lib/librocblas.so.5", "librocblas.so.5", 4);
	scratch_tree_link(tree, "/opt/rocm", "rocm-7.2.1");
	put(tree, "/usr/lib/libamdhip64.so", "libamdhip64.so.5", 5); /* for compilers: no loader asks for it */
	find(tree, "7.2.53211", NULL, &libraries);
	expect(&libraries.items[MXT_ROCM_HIPBLASLT], "/opt/rocm/lib/libhipblaslt.so.1", "1.2.70201+3f3f3f3f3f3f");
	expect(&libraries.items[MXT_ROCM_HIP], "/opt/rocm/lib/libamdhip64.so.7", "7+010101010101");
	expect(&libraries.items[MXT_ROCM_ROCBLAS], "/usr/lib/librocblas.so.5", "5+040404040404");
	assert_null(libraries.items[MXT_ROCM_RCCL].path);
	mxt_rocm_libraries_finish(&libraries);
	find(tree, "6.4.43484-123eb5128", NULL, &libraries);
	expect(&libraries.items[MXT_ROCM_HIP], "/opt/rocm-6.4.0/lib/libamdhip64.so.6", "6+010101010101");
}

/* Wheels of AMD's own index. */
static void test_packages_beside_torch(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_ROCM_LIBRARIES struct mxt_rocm_libraries libraries;
	put(tree, SITE "/_rocm_sdk_core/lib/libamdhip64.so.7", "libamdhip64.so.7", 1);
	put(tree, SITE "/_rocm_sdk_libraries_gfx94X_dcgpu/lib/libhipblaslt.so.1", "libhipblaslt.so.1", 2);
	scratch_tree_write(tree, SITE "/_rocm_sdk_core/lib/librocblas.so.5", "no library");
	find(tree, "7.14", NULL, &libraries);
	expect(&libraries.items[MXT_ROCM_HIP], SITE "/_rocm_sdk_core/lib/libamdhip64.so.7", "7+010101010101");
	expect(&libraries.items[MXT_ROCM_HIPBLASLT], SITE "/_rocm_sdk_libraries_gfx94X_dcgpu/lib/libhipblaslt.so.1",
	       "1+020202020202");
	expect(&libraries.items[MXT_ROCM_ROCBLAS], SITE "/_rocm_sdk_core/lib/librocblas.so.5", "5");
}

static void test_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *version;
	} rows[] = {
	    {"libhipblaslt.so", ""},
	    {"libhipblaslt.so.1", "1"},
	    {"libhipblaslt.so.1.2.70201", "1.2.70201"},
	    {"libhipblaslt.so.", NULL},
	    {"libhipblaslt.so1", NULL},
	    {"libhipblaslt.so.1.debug", NULL},
	    {"libhipblaslt-x.so", NULL},
	    {"libhipblas.so.2", NULL},
	    {"libhipblaslt", NULL},
	    {"libhipblaslt.so..1", NULL},
	    {"", NULL},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		char version[MXT_TORCH_TEXT] = "?";
		assert_int_equal(mxt_rocm_file_parse(rows[i].name, "libhipblaslt", version), rows[i].version != NULL);
		assert_string_equal(version, rows[i].version ? rows[i].version : "?");
	}
}

static enum mxt_rocm_answer ask(struct scratch_tree *tree, const char *symbol)
{
	struct elf_maker maker = {.soname = "libtorch_hip.so", .symbol = symbol};
	enum mxt_rocm_answer answer = MXT_ROCM_UNKNOWN;
	elf_maker_make(&maker);
	scratch_tree_write_bytes(tree, SITE "/torch/lib/libtorch_hip.so", maker.bytes, maker.len);
	assert_int_equal(mxt_rocm_ck_attention(&tree->root, SITE "/torch/lib/libtorch_hip.so", &answer, NULL), 0);
	return answer;
}

static void test_ck(void **state)
{
	struct scratch_tree *tree = *state;
	enum mxt_rocm_answer answer = MXT_ROCM_YES;
	assert_int_equal(ask(tree, "_ZN13pytorch_flash10mha_fwd_ckERKN2at6TensorES3_S3_RSt8optionalIS1_ES6_ffbiibS4_"
				   "INS0_9GeneratorEE"),
			 MXT_ROCM_YES);
	assert_int_equal(ask(tree, "_ZN13pytorch_flash11mha_fwd_aotERKN2at6TensorES3_S3_"), MXT_ROCM_NO);
	scratch_tree_write(tree, SITE "/torch/lib/libtorch_hip.so", "no library");
	assert_int_equal(mxt_rocm_ck_attention(&tree->root, SITE "/torch/lib/libtorch_hip.so", &answer, NULL), 0);
	assert_int_equal(answer, MXT_ROCM_UNKNOWN);
	answer = MXT_ROCM_YES;
	assert_int_equal(mxt_rocm_ck_attention(&tree->root, "/nowhere.so", &answer, NULL), 0);
	assert_int_equal(answer, MXT_ROCM_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_wheel, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_machine, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_packages_beside_torch, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test_setup_teardown(test_ck, scratch_tree_set_up, scratch_tree_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
