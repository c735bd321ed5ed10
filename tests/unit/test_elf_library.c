/* SPDX-License-Identifier: Apache-2.0 */
/* What shared libraries say of themselves: made-up ones, damaged ones, and one of this machine. */
#include "elf_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "elf_maker.h"

static int as_file(const struct elf_maker *maker)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(maker->bytes, 1, maker->len, file), maker->len);
	assert_int_equal(fflush(file), 0);
	int fd = dup(fileno(file));
	assert_int_equal(fclose(file), 0);
	assert_true(fd >= 0);
	return fd;
}

static int look(const struct elf_maker *maker, struct mxt_elf_library *library, const char *part, bool *there)
{
	int fd = as_file(maker);
	int rc = mxt_elf_library_read(fd, library);
	*there = false;
	if (rc == 0)
		assert_int_equal(mxt_elf_library_names(fd, library, part, there), 0);
	assert_int_equal(close(fd), 0);
	return rc;
}

static void test_what_it_says(void **state)
{
	(void)state;
	struct elf_maker maker = {.soname = "libhipblaslt.so.1", .symbol = "_ZN1a1bEv", .id = 0x3f};
	struct mxt_elf_library library;
	bool there;
	elf_maker_make(&maker);
	assert_int_equal(look(&maker, &library, "_ZN1a1b", &there), 0);
	assert_string_equal(library.soname, "libhipblaslt.so.1");
	assert_string_equal(library.build_id, "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f");
	assert_true(there);
	assert_int_equal(look(&maker, &library, "_ZN1a1c", &there), 0);
	assert_false(there);
	assert_int_equal(look(&maker, &library, "so.1", &there), 0); /* the end of the table */
	assert_true(there);
}

static void test_what_it_does_not_say(void **state)
{
	(void)state;
	struct elf_maker maker = {.soname = NULL};
	struct mxt_elf_library library;
	bool there;
	elf_maker_make(&maker);
	assert_int_equal(look(&maker, &library, "x", &there), 0);
	assert_string_equal(library.soname, "");
	assert_string_equal(library.build_id, "");
	assert_false(there);
	maker.soname = "a-name-that-is-longer-than-any-that-a-real-library-has-and-is-therefore-left-out.so.1";
	elf_maker_make(&maker);
	assert_int_equal(look(&maker, &library, "left-out", &there), 0);
	assert_string_equal(library.soname, "");
	assert_true(there);
}

/* Every byte of the file takes a few other values in turn: whatever comes out is within bounds. */
static void test_damaged(void **state)
{
	(void)state;
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct elf_maker whole = {.soname = "libx.so.1", .symbol = "_ZN1a1bEv", .id = 7};
	elf_maker_make(&whole);
	for (size_t i = 0; i < whole.len * sizeof values; i++) {
		struct elf_maker maker = whole;
		struct mxt_elf_library library;
		bool there;
		maker.bytes[i / sizeof values] = values[i % sizeof values];
		if (look(&maker, &library, "_ZN1a1b", &there) < 0)
			continue;
		assert_true(strlen(library.soname) < sizeof library.soname);
		assert_true(strlen(library.build_id) < sizeof library.build_id);
	}
}

static void test_cut_short(void **state)
{
	(void)state;
	struct elf_maker whole = {.soname = "libx.so.1", .symbol = "_ZN1a1bEv", .id = 7};
	elf_maker_make(&whole);
	size_t all = whole.len;
	for (whole.len = 0; whole.len < all; whole.len++) {
		struct mxt_elf_library library;
		bool there;
		int rc = look(&whole, &library, "_ZN1a1b", &there);
		assert_true(rc == 0 || rc == -ENOEXEC);
		assert_true(rc == 0 || whole.len < ELF_NOTES);
		assert_true(!there || whole.len > ELF_NAMES);
	}
}

/* A name may lie across the pieces in which names are read. */
static void test_far_behind(void **state)
{
	(void)state;
	static const char name[] = "_ZN13far_behind_all1xE";
	struct mxt_elf_library library = {.names = {100, 3 << 20}};
	for (uint64_t shift = 0; shift < sizeof name + 1; shift++) {
		bool there = false;
		FILE *file = tmpfile();
		assert_non_null(file);
		assert_int_equal(fseek(file, (long)(100 + (1 << 20) - shift), SEEK_SET), 0);
		assert_int_equal(fwrite(name, 1, sizeof name, file), sizeof name);
		assert_int_equal(fflush(file), 0);
		assert_int_equal(mxt_elf_library_names(fileno(file), &library, name, &there), 0);
		assert_true(there);
		assert_int_equal(fclose(file), 0);
	}
}

static void test_this_program(void **state)
{
	(void)state;
	struct mxt_elf_library library;
	bool there = false;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(mxt_elf_library_read(fd, &library), 0);
	assert_int_equal(mxt_elf_library_names(fd, &library, "_cmocka_run_group_tests", &there), 0);
	assert_true(there);
	assert_int_equal(mxt_elf_library_names(fd, &library, "_never_heard_of", &there), 0);
	assert_false(there);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_it_says), cmocka_unit_test(test_what_it_does_not_say),
	    cmocka_unit_test(test_damaged),      cmocka_unit_test(test_cut_short),
	    cmocka_unit_test(test_far_behind),   cmocka_unit_test(test_this_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
