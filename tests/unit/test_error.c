/* SPDX-License-Identifier: Apache-2.0 */
/* The error object, and the list of ids. */
#include "error.h"

#include <errno.h>
#include <string.h>

#include "cmocka_all.h"

static void test_set_and_clear(void **state)
{
	(void)state;
	struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_error_set(&err, -EINVAL, MXT_E_USAGE, "bad %s", "word"), -EINVAL);
	assert_int_equal(err.status, -EINVAL);
	assert_int_equal(err.id, MXT_E_USAGE);
	assert_string_equal(mxt_error_text(&err), "bad word");
	mxt_error_clear(&err);
	assert_int_equal(err.status, 0);
	assert_int_equal(err.id, MXT_E_NONE);
	assert_null(err.text);
	mxt_error_clear(NULL);
}

static void test_set_may_quote_its_old_text(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	mxt_error_set(&err, -EIO, MXT_E_IO, "first");
	mxt_error_set(&err, -EPERM, MXT_E_INTERNAL, "after %s", mxt_error_text(&err));
	assert_string_equal(mxt_error_text(&err), "after first");
	assert_int_equal(err.status, -EPERM);
}

static void test_wrap_keeps_status_and_id(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	mxt_error_set(&err, -EFBIG, MXT_E_TOO_LARGE, "inner");
	assert_int_equal(mxt_error_wrap(&err, -EFBIG, "file %d", 3), -EFBIG);
	assert_int_equal(err.id, MXT_E_TOO_LARGE);
	assert_string_equal(mxt_error_text(&err), "file 3: inner");
}

/* Every function works when nobody wants to know. */
static void test_null_error(void **state)
{
	(void)state;
	assert_int_equal(mxt_error_set(NULL, -EINVAL, MXT_E_USAGE, "x"), -EINVAL);
	assert_int_equal(mxt_error_oom(NULL), -ENOMEM);
	assert_int_equal(mxt_error_errno(NULL, EACCES, "x"), -EACCES);
	assert_int_equal(mxt_error_wrap(NULL, -ENOENT, "x"), -ENOENT);
}

static void test_errno_text(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_error_errno(&err, ENOENT, "cannot open %s", "f"), -ENOENT);
	assert_int_equal(err.id, MXT_E_IO);
	assert_non_null(strstr(mxt_error_text(&err), "cannot open f: "));
	assert_non_null(strstr(mxt_error_text(&err), strerror(ENOENT)));
}

static void test_oom_needs_no_text(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_error_errno(&err, ENOMEM, "x"), -ENOMEM);
	assert_int_equal(err.id, MXT_E_NO_MEMORY);
	assert_null(err.text);
	assert_string_equal(mxt_error_text(&err), mxt_error_meaning(MXT_E_NO_MEMORY));
}

static void test_move(void **state)
{
	(void)state;
	struct mxt_error from = MXT_ERROR_INIT, to = MXT_ERROR_INIT;
	mxt_error_set(&to, -EPERM, MXT_E_INTERNAL, "old");
	mxt_error_set(&from, -EIO, MXT_E_IO, "new");
	mxt_error_move(&to, &from);
	assert_string_equal(mxt_error_text(&to), "new");
	assert_null(from.text);
	assert_int_equal(from.status, 0);
	mxt_error_move(NULL, &to);
	assert_null(to.text);
}

static void test_id_text(void **state)
{
	(void)state;
	char buf[12];
	assert_string_equal(mxt_error_id_text(MXT_E_NO_MEMORY, buf), "MXT-101");
}

struct row {
	enum mxt_error_id id;
	enum mxt_error_class class;
	const char *meaning;
};

/* What users and documents rely on: three digits, sorted, a class and a sentence for each. */
static void test_list(void **state)
{
	(void)state;
	static const struct row rows[] = {
#define MXT_ERROR(name, number, class, meaning) {MXT_E_##name, MXT_CLASS_##class, meaning},
#include "errors.def"
#undef MXT_ERROR
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		assert_in_range(rows[i].id, 100, 999);
		if (i > 0)
			assert_true(rows[i].id > rows[i - 1].id);
		assert_true(strlen(rows[i].meaning) > 10);
		assert_int_equal(mxt_error_class_of(rows[i].id), rows[i].class);
		assert_string_equal(mxt_error_meaning(rows[i].id), rows[i].meaning);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_and_clear),
	    cmocka_unit_test(test_set_may_quote_its_old_text),
	    cmocka_unit_test(test_wrap_keeps_status_and_id),
	    cmocka_unit_test(test_null_error),
	    cmocka_unit_test(test_errno_text),
	    cmocka_unit_test(test_oom_needs_no_text),
	    cmocka_unit_test(test_move),
	    cmocka_unit_test(test_id_text),
	    cmocka_unit_test(test_list),
	};
	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
