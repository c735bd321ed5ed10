/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries found at run time: there, absent, broken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dltable.h"
#include "error.h"

/* The rows of a made-up .def file. */
#define SYMBOLS                                                                                                        \
	MXT_DL_SYMBOL(int, mxtstub_other, (int value), true, "1.0")                                                    \
	MXT_DL_SYMBOL(int, mxtstub_newer, (void), false, "2.0")

struct table {
#define MXT_DL_SYMBOL MXT_DL_MEMBER
	SYMBOLS
#undef MXT_DL_SYMBOL
};

static const struct mxt_dl_row rows[] = {
#define MXT_DL_SYMBOL(type, symbol, arguments, required, since) MXT_DL_ROW(struct table, symbol, required, since)
    SYMBOLS
#undef MXT_DL_SYMBOL
};

static int open_names(const char *const *names, struct table *table, struct mxt_dl *dl, struct mxt_error *err)
{
	const struct mxt_dl_library library = {"Stub", names, rows, sizeof rows / sizeof rows[0], false};
	return mxt_dl_open(&library, table, dl, err);
}

static int open_one(const char *name, struct table *table, struct mxt_dl *dl, struct mxt_error *err)
{
	const char *const names[] = {name, NULL};
	return open_names(names, table, dl, err);
}

static void test_loads(void **state)
{
	(void)state;
	struct table table;
	struct mxt_dl dl;
	const char *const names[] = {"libmxtstub-nowhere.so.3", "/nowhere/lib.so.1", getenv("MXT_STUB_OTHER"), NULL};
	assert_int_equal(open_names(names, &table, &dl, NULL), 0);
	assert_string_equal(dl.file, getenv("MXT_STUB_OTHER"));
	assert_int_equal(table.mxtstub_other(41), 42);
	assert_null(table.mxtstub_newer);
	mxt_dl_close(&dl);
	assert_null(dl.handle);
	mxt_dl_close(&dl);
}

static void test_absent(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct table table;
	struct mxt_dl dl = {&table, NULL};
	const char *const names[] = {"libmxtstub-nowhere.so.3", "/nowhere/lib.so.1", NULL};
	assert_int_equal(open_names(names, &table, &dl, &err), -ENOSYS);
	assert_int_equal(err.id, MXT_E_LIBRARY_ABSENT);
	assert_string_equal(mxt_error_text(&err),
			    "Stub is not installed: looked for libmxtstub-nowhere.so.3, /nowhere/lib.so.1");
	assert_ptr_equal(dl.handle, &table); /* outputs are written on success only */
}

static void expect_broken(const char *name, const char *part)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct table table;
	struct mxt_dl dl;
	assert_int_equal(open_one(name, &table, &dl, &err), -ELIBBAD);
	assert_int_equal(err.id, MXT_E_LIBRARY_BROKEN);
	if (!strstr(mxt_error_text(&err), part))
		fail_msg("'%s' does not say '%s'", mxt_error_text(&err), part);
}

static void test_missing_dependency(void **state)
{
	(void)state;
	expect_broken(getenv("MXT_STUB_ORPHAN"), "libmxtstub-not-there.so.7");
}

static void test_missing_symbol(void **state)
{
	(void)state;
	expect_broken("libm.so.6", "has no symbol mxtstub_other, which is there since version 1.0");
}

static void test_not_a_library(void **state)
{
	(void)state;
	char path[] = "/tmp/mxt-dltable-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "INPUT(-lm)\n", 11), 11); /* a linker script, as in development packages */
	assert_int_equal(close(fd), 0);
	expect_broken(path, path);
	assert_int_equal(unlink(path), 0);
}

/* A broken library is not passed over for the next name. */
static void test_broken_first(void **state)
{
	(void)state;
	struct table table;
	struct mxt_dl dl;
	const char *const names[] = {getenv("MXT_STUB_ORPHAN"), getenv("MXT_STUB_OTHER"), NULL};
	assert_int_equal(open_names(names, &table, &dl, NULL), -ELIBBAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_loads),
	    cmocka_unit_test(test_absent),
	    cmocka_unit_test(test_missing_dependency),
	    cmocka_unit_test(test_missing_symbol),
	    cmocka_unit_test(test_not_a_library),
	    cmocka_unit_test(test_broken_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
