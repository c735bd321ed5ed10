/* SPDX-License-Identifier: Apache-2.0 */
/* BLAS libraries as files (versions, ELF headers, the loader's folders) and loaded ones. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blas.h"
#include "blas_file.h"
#include "cleanup.h"
#include "elf_file.h"
#include "error.h"
#include "host_cpu.h"
#include "library_folders.h"
#include "library_version.h"
#include "scratch_tree.h"
#include "sysroot.h"

static void test_version_in_name(void **state)
{
	(void)state;
	char version[MXT_VERSION_SIZE];
	assert_true(mxt_version_in_name("/usr/lib/libopenblasp-r0.3.21.so", "-r", version));
	assert_string_equal(version, "0.3.21");
	assert_true(mxt_version_in_name("lib-rx-r10.2.so.0", "-r", version));
	assert_string_equal(version, "10.2");
	assert_false(mxt_version_in_name("libopenblas.so.0", "-r", version));
	assert_false(mxt_version_in_name("libopenblas-r3.so", "-r", version));
	assert_false(mxt_version_in_name("-r1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1", "-r", version));
	assert_false(mxt_version_in_name("", "-r", version));
}

static void test_version_in_text(void **state)
{
	(void)state;
	char version[MXT_VERSION_SIZE];
	static const char text[] = "abc\0my OpenBLAS 1.1 is\0OpenBLAS Warning\0OpenBLAS 0.3.21 NO_LAPACKE\0";
	assert_true(mxt_version_after(text, sizeof text, "OpenBLAS ", version));
	assert_string_equal(version, "0.3.21");
	assert_false(mxt_version_after(text, 30, "OpenBLAS ", version));
	assert_false(mxt_version_after("", 0, "OpenBLAS ", version));
	static const char one[] = "BLIS_IC_NT\0"
				  "0.9.0\0"
				  "1\0"
				  "12.x\0"
				  "0.9.0";
	assert_true(mxt_version_alone(one, sizeof one, version));
	assert_string_equal(version, "0.9.0");
	static const char candidate[] = "\0"
					"1.0-rc0\0";
	assert_true(mxt_version_alone(candidate, sizeof candidate, version));
	assert_string_equal(version, "1.0-rc0");
	static const char two[] = "0.9.0\0"
				  "0.9.1";
	assert_false(mxt_version_alone(two, sizeof two, version));
	assert_false(mxt_version_alone("0.9.0", 5, version)); /* the string does not end */
}

static void test_elf_hostile(void **state)
{
	(void)state;
	unsigned char bytes[128] = {127, 'E', 'L', 'F', 2, 1};
	struct mxt_elf elf;
	assert_int_equal(mxt_elf_parse(bytes, 63, &elf), -ENOEXEC);
	assert_int_equal(mxt_elf_parse(bytes, sizeof bytes, &elf), 0);
	assert_int_equal(elf.n_constants, 0);
	memset(bytes + 32, 0xff, sizeof bytes - 32); /* headers beyond the end of the file */
	assert_int_equal(mxt_elf_parse(bytes, sizeof bytes, &elf), 0);
	bytes[54] = 56, bytes[55] = 0;
	assert_int_equal(mxt_elf_parse(bytes, sizeof bytes, &elf), 0);
	assert_int_equal(elf.n_constants, 0);
	bytes[4] = 1;
	assert_int_equal(mxt_elf_parse(bytes, sizeof bytes, &elf), -ENOEXEC);
}

/* The first bytes of an x86-64 library. */
static void put_library(struct scratch_tree *tree, const char *path, unsigned char class, unsigned char machine_number)
{
	unsigned char head[64] = {127, 'E', 'L', 'F', class, 1};
	head[18] = machine_number;
	scratch_tree_write_bytes(tree, path, head, sizeof head);
}

static void test_folders(void **state)
{
	struct scratch_tree *tree = *state;
	static const char conf[] = "# first\n/opt/one/\n\n include ld.so.conf.d/*.conf\r\ninclude /etc/extra # more\n"
				   "include\nrelative\ninclude /etc/ld.so.conf";
	static const char a[] = "/opt/a\n\t/opt/b  # c\n", extra[] = "/opt/extra\ninclude  /nowhere/*.conf";
	scratch_tree_write(tree, "/etc/ld.so.conf", conf);
	scratch_tree_write(tree, "/etc/ld.so.conf.d/a.conf", a);
	scratch_tree_write(tree, "/etc/ld.so.conf.d/b.txt", "/opt/no\n");
	scratch_tree_write(tree, "/etc/extra", extra);
	MXT_CLEANUP_NAMES struct mxt_name_list folders = MXT_NAME_LIST_INIT;
	assert_int_equal(mxt_library_folders(&tree->root, "/first:rel:/second;:/", &folders, NULL), 0);
	static const char *const expected[] = {"/first", "/second", "/", "/opt/one", "/opt/a", "/opt/b", "/opt/extra"};
	assert_true(folders.count > sizeof expected / sizeof expected[0]);
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
		assert_string_equal(folders.names[i], expected[i]);
	assert_string_equal(folders.names[folders.count - 1], "/usr/lib");
}

static void find(const struct scratch_tree *tree, enum mxt_blas_kind kind, struct mxt_blas_file *file)
{
	struct mxt_host_cpu cpu = {.kind = MXT_CPU_X86};
	assert_int_equal(mxt_blas_file_find(&tree->root, &cpu, kind, file, NULL), 0);
}

static void test_find_debian(void **state)
{
	struct scratch_tree *tree = *state;
	put_library(tree, "/usr/lib/openblas-openmp/libopenblasp-r0.3.21.so", 2, MXT_ELF_X86_64);
	put_library(tree, "/lib32/libopenblas.so.0", 1, 3);
	scratch_tree_write(tree, "/etc/ld.so.conf", "/lib32\n");
	scratch_tree_link(tree, "/usr/lib/libopenblas.so.0", "/etc/alternatives/libopenblas.so.0");
	scratch_tree_link(tree, "/etc/alternatives/libopenblas.so.0", "/usr/lib/openblas-openmp/libopenblas.so.0");
	scratch_tree_link(tree, "/usr/lib/openblas-openmp/libopenblas.so.0", "libopenblasp-r0.3.21.so");
	MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
	find(tree, MXT_BLAS_OPENBLAS, &file);
	assert_string_equal(file.path, "/usr/lib/libopenblas.so.0");
	assert_string_equal(file.target, "/usr/lib/openblas-openmp/libopenblasp-r0.3.21.so");
	assert_string_equal(file.version, "0.3.21");
	assert_int_equal(file.threading, MXT_BLAS_OPENMP);
}

static void test_find_fedora(void **state)
{
	struct scratch_tree *tree = *state;
	put_library(tree, "/usr/lib64/libopenblas-r0.3.26.so", 2, MXT_ELF_X86_64);
	scratch_tree_link(tree, "/usr/lib64/libopenblas.so.0", "libopenblas-r0.3.26.so");
	put_library(tree, "/usr/lib64/libopenblasp-r0.3.26.so", 2, MXT_ELF_X86_64);
	scratch_tree_link(tree, "/usr/lib64/libopenblasp.so.0", "libopenblasp-r0.3.26.so");
	MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
	find(tree, MXT_BLAS_OPENBLAS, &file);
	assert_string_equal(file.path, "/usr/lib64/libopenblasp.so.0");
	assert_int_equal(file.threading, MXT_BLAS_PTHREAD);
}

static void test_find_nothing(void **state)
{
	struct scratch_tree *tree = *state;
	put_library(tree, "/usr/lib/libblis.so.4", 2, MXT_ELF_AARCH64);
	scratch_tree_link(tree, "/lib/libblis.so.4", "nowhere");
	scratch_tree_link(tree, "/lib64/libblis.so.4", "libblis.so.4");
	MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
	find(tree, MXT_BLAS_BLIS, &file);
	assert_null(file.path);
	find(tree, MXT_BLAS_OPENBLAS, &file);
	assert_null(file.path);
}

/* A damaged file is what the loader would take, so it is what is found. */
static void test_find_damaged(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/usr/lib/libblis.so.4", "\177ELF");
	MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
	find(tree, MXT_BLAS_BLIS, &file);
	assert_string_equal(file.path, "/usr/lib/libblis.so.4");
	assert_string_equal(file.version, "unknown");
	assert_int_equal(file.threading, MXT_BLAS_UNKNOWN);
}

static void check_facts(const struct mxt_blas *blas, const char *library, const char *version)
{
	json_t *facts = mxt_blas_facts(blas);
	assert_non_null(facts);
	assert_string_equal(json_string_value(json_object_get(facts, "library")), library);
	assert_string_equal(json_string_value(json_object_get(facts, "version")), version);
	assert_non_null(json_string_value(json_object_get(facts, "core_type")));
	assert_true(json_integer_value(json_object_get(facts, "threads")) >= 1);
	json_decref(facts);
}

/* Keeps a loaded library mapped: what it never frees is no leak as long as its variables point to it. */
static void pin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
	assert_non_null(handle);
	assert_int_equal(dlclose(handle), 0);
}

/* What the file said must be what the loaded library says. */
static void test_real_libraries(void **state)
{
	(void)state;
	struct mxt_sysroot root = MXT_SYSROOT_LIVE;
	struct mxt_host_cpu cpu;
	assert_int_equal(mxt_host_cpu_read(&root, &cpu, NULL), 0);
	size_t found = 0;
	for (int kind = 0; kind < MXT_BLAS_KIND_COUNT; kind++) {
		MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
		assert_int_equal(mxt_blas_file_find(&root, &cpu, (enum mxt_blas_kind)kind, &file, NULL), 0);
		if (!file.path)
			continue;
		found++;
		struct mxt_blas blas;
		assert_int_equal(mxt_blas_load((enum mxt_blas_kind)kind, file.path, &blas, NULL), 0);
		pin(file.path);
		check_facts(&blas, mxt_blas_name((enum mxt_blas_kind)kind), file.version);
		const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
		float c[4] = {0};
		blas.call.cblas_sgemm(MXT_CBLAS_ROW_MAJOR, MXT_CBLAS_NO_TRANS, MXT_CBLAS_NO_TRANS, 2, 2, 3, 1, a, 3, b,
				      2, 0, c, 2);
		const float expected[] = {4, 5, 10, 11};
		assert_memory_equal(c, expected, sizeof c);
		mxt_blas_unload(&blas);
	}
	if (found == 0)
		skip();
}

static void expect_load(const char *path, int status, enum mxt_error_id id, const char *part)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_blas blas;
	assert_int_equal(mxt_blas_load(MXT_BLAS_OPENBLAS, path, &blas, &err), status);
	assert_int_equal(err.id, id);
	if (!strstr(mxt_error_text(&err), part))
		fail_msg("'%s' does not say '%s'", mxt_error_text(&err), part);
}

static void test_bad_libraries(void **state)
{
	(void)state;
	expect_load("/nowhere/libopenblas.so.0", -ENOSYS, MXT_E_LIBRARY_ABSENT, "OpenBLAS is not installed");
	expect_load(getenv("MXT_STUB_OTHER"), -ELIBBAD, MXT_E_LIBRARY_BROKEN, "has no symbol cblas_sgemm");
	expect_load(getenv("MXT_STUB_BLAS_WIDE"), -ELIBBAD, MXT_E_LIBRARY_BROKEN, "64-bit integers");
	struct mxt_blas blas;
	assert_int_equal(mxt_blas_load(MXT_BLAS_OPENBLAS, getenv("MXT_STUB_BLAS"), &blas, NULL), 0);
	check_facts(&blas, "openblas", "9.8.7");
	mxt_blas_unload(&blas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_version_in_name),
	    cmocka_unit_test(test_version_in_text),
	    cmocka_unit_test(test_elf_hostile),
	    cmocka_unit_test_setup_teardown(test_folders, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_find_debian, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_find_fedora, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_find_nothing, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test_setup_teardown(test_find_damaged, scratch_tree_set_up, scratch_tree_tear_down),
	    cmocka_unit_test(test_real_libraries),
	    cmocka_unit_test(test_bad_libraries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
