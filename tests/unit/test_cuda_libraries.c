/* SPDX-License-Identifier: Apache-2.0 */
/* Which of NVIDIA's libraries a CUDA torch loads, on made-up machines. */
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"
#include "cuda_libraries.h"
#include "scratch_tree.h"

#define SITE "/venv/site-packages"

static void find(struct scratch_tree *tree, const char *cuda, struct mxt_cuda_libraries *libraries)
{
	struct mxt_torch_install install = {.folder = SITE};
	memcpy(install.files.cuda, cuda, strlen(cuda) + 1);
	assert_int_equal(mxt_cuda_libraries_find(&tree->root, &install, libraries, NULL), 0);
}

static void expect(const struct mxt_cuda_library *library, const char *path, const char *version)
{
	assert_non_null(library->path);
	assert_string_equal(library->path, path);
	assert_string_equal(library->version, version);
	assert_string_equal(library->other, "");
}

static void test_cuda_13(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_CUDA_LIBRARIES struct mxt_cuda_libraries libraries;
	scratch_tree_write(tree, SITE "/nvidia/cudnn/lib/libcudnn.so.9", "");
	scratch_tree_write(tree, SITE "/nvidia/cudnn/lib/libcudnn_graph.so.9", "");
	scratch_tree_write(tree, SITE "/nvidia/cu13/lib/libcublasLt.so.13", "");
	scratch_tree_write(tree, SITE "/nvidia/nccl/lib/libnccl.so.2", "");
	scratch_tree_write(tree, SITE "/nvidia_cudnn_cu13-9.26.0.51.dist-info/METADATA", "");
	scratch_tree_write(tree, SITE "/nvidia_cublas-13.1.0.3.dist-info/METADATA", "");
	scratch_tree_write(tree, SITE "/nvidia_nccl_cu13-2.30.7.dist-info/METADATA", "");
	find(tree, "13.0", &libraries);
	expect(&libraries.items[MXT_CUDA_CUDNN], SITE "/nvidia/cudnn/lib/libcudnn.so.9", "9.26.0.51");
	expect(&libraries.items[MXT_CUDA_CUBLAS], SITE "/nvidia/cu13/lib/libcublasLt.so.13", "13.1.0.3");
	expect(&libraries.items[MXT_CUDA_NCCL], SITE "/nvidia/nccl/lib/libnccl.so.2", "2.30.7");
	assert_string_equal(libraries.items[MXT_CUDA_CUDNN].part, "libcudnn_graph.so.9");
}

/* What an older CUDA left behind is not taken, and told where it writes the same files. */
static void test_two_cudas(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_CUDA_LIBRARIES struct mxt_cuda_libraries libraries;
	scratch_tree_write(tree, SITE "/nvidia/cudnn/lib/libcudnn.so.9", "");
	scratch_tree_write(tree, SITE "/nvidia/cublas/lib/libcublasLt.so.12", "");
	scratch_tree_write(tree, SITE "/nvidia/cu13/lib/libcublasLt.so.13", "");
	scratch_tree_write(tree, SITE "/nvidia_cudnn_cu13-9.26.0.51.dist-info/METADATA", "");
	scratch_tree_write(tree, SITE "/nvidia_cudnn_cu12-9.10.2.21.dist-info/METADATA", "");
	scratch_tree_write(tree, SITE "/nvidia_cublas_cu12-12.8.4.1.dist-info/METADATA", "");
	find(tree, "13.2", &libraries);
	assert_string_equal(libraries.items[MXT_CUDA_CUDNN].version, "9.26.0.51");
	assert_string_equal(libraries.items[MXT_CUDA_CUDNN].other, "9.10.2.21");
	expect(&libraries.items[MXT_CUDA_CUBLAS], SITE "/nvidia/cu13/lib/libcublasLt.so.13", "");
	assert_null(libraries.items[MXT_CUDA_NCCL].path);
	assert_string_equal(libraries.items[MXT_CUDA_NCCL].soname, "libnccl.so.2");
	mxt_cuda_libraries_finish(&libraries);
	find(tree, "12.8", &libraries);
	expect(&libraries.items[MXT_CUDA_CUBLAS], SITE "/nvidia/cublas/lib/libcublasLt.so.12", "12.8.4.1");
	assert_string_equal(libraries.items[MXT_CUDA_CUDNN].version, "9.10.2.21");
}

/* A torch that brings its own, and one of a distribution, which has none beside it. */
static void test_other_places(void **state)
{
	struct scratch_tree *tree = *state;
	MXT_CLEANUP_CUDA_LIBRARIES struct mxt_cuda_libraries libraries;
	scratch_tree_write(tree, SITE "/torch/lib/libcudnn.so.8", "");
	scratch_tree_write(tree, SITE "/torch/lib/libcudnn.so.8.9.7", "");
	scratch_tree_write(tree, SITE "/torch/lib/libcublasLt.so.11", "");
	find(tree, "11.8", &libraries);
	expect(&libraries.items[MXT_CUDA_CUDNN], SITE "/torch/lib/libcudnn.so.8", "");
	assert_string_equal(libraries.items[MXT_CUDA_CUDNN].part, "libcudnn_graph.so.8");
	expect(&libraries.items[MXT_CUDA_CUBLAS], SITE "/torch/lib/libcublasLt.so.11", "");
	mxt_cuda_libraries_finish(&libraries);
	find(tree, "nonsense", &libraries);
	assert_null(libraries.items[MXT_CUDA_CUBLAS].path);
}

static void test_wheel_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *version;
		unsigned cuda;
	} rows[] = {
	    {"nvidia_cudnn_cu13-9.26.0.51.dist-info", "9.26.0.51", 13},
	    {"nvidia_cudnn-9.1.dist-info", "9.1", 0},
	    {"nvidia_cudnn_frontend-1.15.0.dist-info", NULL, 0},
	    {"nvidia_cudnn_cu-9.dist-info", NULL, 0},
	    {"nvidia_cudnn_cu1300-9.dist-info", NULL, 0},
	    {"nvidia_cudnn-.dist-info", NULL, 0},
	    {"nvidia_cudnn.dist-info", NULL, 0},
	    {"nvidia_cudnn_cu13-9.26.0.51", NULL, 0},
	    {"nvidia_cudn", NULL, 0},
	    {"nvidia_cudnn-9\n1.dist-info", NULL, 0},
	    {"nvidia_cudnn-9-1.dist-info", NULL, 0},
	    {"nvidia_cudnn-1234567890123456789012345678901234567890123456789.dist-info", NULL, 0},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		char version[MXT_TORCH_TEXT];
		unsigned cuda = 99;
		bool is_one = mxt_cuda_wheel_parse(rows[i].name, "nvidia_cudnn", &cuda, version);
		assert_int_equal(is_one, rows[i].version != NULL);
		if (is_one) {
			assert_string_equal(version, rows[i].version);
			assert_int_equal(cuda, rows[i].cuda);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_cuda_13, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_two_cudas, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_other_places, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test(test_wheel_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
