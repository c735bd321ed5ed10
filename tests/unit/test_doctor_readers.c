/* SPDX-License-Identifier: Apache-2.0 */
/* The small readers of doctor: environments, file systems, os-release, affinity, versions of Python and torch. */
#include <string.h>

#include "cmocka_all.h"
#include "disk_space.h"
#include "environ.h"
#include "environ_list.h"
#include "python_folders.h"
#include "size_text.h"
#include "survey.h"
#include "torch_install.h"

static void test_sizes(void **state)
{
	(void)state;
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
	    {0, "0 bytes"},
	    {1023, "1023 bytes"},
	    {1024, "1 KiB"},
	    {MXT_MIB - 1, "1023 KiB"},
	    {64 * MXT_MIB, "64 MiB"},
	    {MXT_GIB - 1, "1023 MiB"},
	    {MXT_GIB, "1.0 GiB"},
	    {MXT_GIB * 47 / 2, "23.5 GiB"},
	    {2 * MXT_GIB - 1, "1.9 GiB"},
	    {1536 * MXT_GIB, "1.5 TiB"},
	    {UINT64_MAX, "16777215.9 TiB"},
	};
	char buf[MXT_SIZE_TEXT];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(mxt_size_text(buf, rows[i].bytes), rows[i].text);
}

static void expect_entries(const char *bytes, size_t len, const char *const *expected)
{
	MXT_CLEANUP_ENVIRON struct mxt_environ_list list = MXT_ENVIRON_LIST_INIT;
	assert_int_equal(mxt_environ_list_parse(bytes, len, &list), 0);
	size_t i = 0;
	for (; expected[i]; i++)
		assert_string_equal(list.entries[i], expected[i]);
	assert_null(list.entries[i]);
}

static void test_environ(void **state)
{
	(void)state;
	static const char *const none[] = {NULL};
	static const char *const two[] = {"A=1", "B=x\ny", NULL};
	static const char *const lines[] = {"A=1", "B=", NULL};
	expect_entries("", 0, none);
	expect_entries("A=1\0B=x\ny\0=z\0word\0", 19, two);
	expect_entries("A=1\nB=\nword\n=z", 14, lines);
	expect_entries("\0\0\0", 3, none);
}

static void test_environ_get(void **state)
{
	(void)state;
	char first[] = "ABC=1", second[] = "AB=", third[] = "ABC=2";
	char *environment[] = {first, second, third, NULL};
	assert_string_equal(mxt_environ_get(environment, "ABC"), "1");
	assert_string_equal(mxt_environ_get(environment, "AB"), "");
	assert_null(mxt_environ_get(environment, "A"));
	assert_null(mxt_environ_get(NULL, "A"));
}

static void test_disk_space(void **state)
{
	(void)state;
	static const char text[] =
	    "1000 500 /dev/shm\n2000 2001 .\n7 7 /tmp/x\n18446744073709551616 1 /tmp\n90 80 /tmp";
	struct mxt_disk_space space = mxt_disk_space_find(text, "/dev/shm");
	assert_true(mxt_reading_is(space.total_bytes, 1000) && mxt_reading_is(space.free_bytes, 500));
	assert_true(mxt_reading_is(mxt_disk_space_find(text, "/tmp").free_bytes, 80));
	assert_false(mxt_disk_space_find(text, ".").total_bytes.reported); /* more free than there is */
	assert_false(mxt_disk_space_find(text, "/dev").total_bytes.reported);
	assert_false(mxt_disk_space_find("", "/tmp").total_bytes.reported);
}

static void test_os_release(void **state)
{
	(void)state;
	char out[8];
	static const char text[] = "NAME=\"Debian GNU/Linux\"\nVERSION_ID=12\nID=debian\nEMPTY=\nOPEN=\"x\nLAST=y";
	static const char *const rows[][2] = {{"ID", "debian"}, {"NAME", "Debian "}, {"EMPTY", ""}, {"OPEN", "x"},
					      {"LAST", "y"},    {"D", ""},           {"NONE", ""}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		mxt_os_release_find(text, rows[i][0], out, sizeof out);
		assert_string_equal(out, rows[i][1]);
	}
}

static void test_affinity(void **state)
{
	(void)state;
	assert_true(mxt_reading_is(mxt_affinity_find("Name:\tx\nCpus_allowed_list:\t0-3,8\nMems:\t1"), 5));
	assert_false(mxt_affinity_find("Cpus_allowed:\tff\n").reported);
	assert_false(mxt_affinity_find("Cpus_allowed_list:").reported);
	assert_false(mxt_affinity_find("Cpus_allowed_list:\t0-99999\n").reported);
}

static void test_pyvenv(void **state)
{
	(void)state;
	struct mxt_pyvenv pyvenv;
	mxt_pyvenv_parse("home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.11.7\n", &pyvenv);
	assert_string_equal(pyvenv.version, "3.11.7");
	assert_true(pyvenv.system_packages);
	mxt_pyvenv_parse("version_info = 3.12.1.final.0\ninclude-system-site-packages=false", &pyvenv);
	assert_string_equal(pyvenv.version, "3.12.1");
	assert_false(pyvenv.system_packages);
	mxt_pyvenv_parse("versions = 3\nversion\nversion = x\n", &pyvenv);
	assert_string_equal(pyvenv.version, "");
}

static void test_torch_version(void **state)
{
	(void)state;
	struct mxt_torch_version version;
	mxt_torch_version_parse(
	    "from typing import Optional\n__all__ = ['__version__', 'cuda']\n"
	    "__version__ = '2.15.0+cu130'\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n",
	    &version);
	assert_string_equal(version.version, "2.15.0+cu130");
	assert_string_equal(version.cuda, "13.0");
	assert_string_equal(version.hip, "");
	mxt_torch_version_parse("__version__ = \"2.4.0\"\ncuda_x = '1'\ncuda = 'open\nhip = '6.1'", &version);
	assert_string_equal(version.version, "2.4.0");
	assert_string_equal(version.cuda, "");
	assert_string_equal(version.hip, "6.1");
	mxt_torch_version_parse("hip = '7.2\x1b[2J\xc3\xa9'", &version);
	assert_string_equal(version.hip, "7.2?[2J??");
}

static void test_torch_build(void **state)
{
	(void)state;
	char text[MXT_TORCH_TEXT + 8];
	struct mxt_torch_install install = {.folder = "/"};
	assert_string_equal(mxt_torch_build(&install, text), "unknown build");
	(void)strcpy(install.files.version, "2.9.0");
	assert_string_equal(mxt_torch_build(&install, text), "CPU only");
	(void)strcpy(install.files.hip, "7.2");
	assert_string_equal(mxt_torch_build(&install, text), "ROCm 7.2");
	(void)strcpy(install.files.cuda, "13.0");
	assert_string_equal(mxt_torch_build(&install, text), "CUDA 13.0");
}

static void test_wheel_version(void **state)
{
	(void)state;
	char version[MXT_TORCH_TEXT];
	mxt_wheel_version_parse("Metadata-Version: 2.1\nName: torch\nVersion: 2.9.0 \r\nSummary: x\n", version);
	assert_string_equal(version, "2.9.0");
	mxt_wheel_version_parse("Name: torch\n\nVersion: 2.9.0\n", version); /* the description may say anything */
	assert_string_equal(version, "");
	mxt_wheel_version_parse("", version);
	assert_string_equal(version, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sizes),       cmocka_unit_test(test_environ),
	    cmocka_unit_test(test_environ_get), cmocka_unit_test(test_disk_space),
	    cmocka_unit_test(test_os_release),  cmocka_unit_test(test_affinity),
	    cmocka_unit_test(test_pyvenv),      cmocka_unit_test(test_torch_version),
	    cmocka_unit_test(test_torch_build), cmocka_unit_test(test_wheel_version),
	};
	return cmocka_run_group_tests_name("doctor_readers", tests, NULL, NULL);
}
