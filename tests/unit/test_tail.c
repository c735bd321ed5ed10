/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a worker's output, and how it is made printable. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "clean_text.h"
#include "cmocka_all.h"
#include "tail.h"

static void expect_clean(const char *bytes, size_t len, const char *expected)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_clean_text(&buf, bytes, len);
	assert_string_equal(mxt_buf_text(&buf), expected);
}

static void text_is_made_printable(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"plain, and \xc3\xbc\xe2\x9c\x93\xf0\x9f\x98\x80", "plain, and \xc3\xbc\xe2\x9c\x93\xf0\x9f\x98\x80"},
	    {"a\tb\nc\rd", "a b\nc?d"},
	    {"\x1b[31mred\x7f", "?[31mred?"},
	    {"\xc2\x9b"
	     "31m",
	     "?31m"}, /* C1 */
	    {"\xff\xfe", "??"},
	    {"\xc0\x80", "??"},           /* overlong NUL */
	    {"\xe0\x80\x80", "???"},      /* overlong */
	    {"\xed\xa0\x80", "???"},      /* surrogate */
	    {"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
	    {"\xe2\x9c", "??"},           /* cut */
	    {"\xe2"
	     "abc",
	     "?abc"},
	    {"", ""},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++)
		expect_clean(cases[i].in, strlen(cases[i].in), cases[i].out);
	expect_clean("a\0b", 3, "a?b");
	static const char reordered[] = {'\xe2', '\x80', '\xae', 'e', '\xe2', '\x81', '\xa6'}; /* direction marks */
	expect_clean(reordered, sizeof reordered, "?e?");
}

static void utf8_is_told_from_other_bytes(void **state)
{
	static const char *const good[] = {"", "a\x01\x7f", "\xc2\x80", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"};
	static const char *const bad[] = {"\x80", "a\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xe2\x9c"};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(good); i++)
		assert_true(mxt_is_utf8(good[i], strlen(good[i])));
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		assert_false(mxt_is_utf8(bad[i], strlen(bad[i])));
	assert_true(mxt_is_utf8("a\0b", 3));
}

static void expect_tail(const struct mxt_tail *tail, const char *text, const char *line)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_tail_text(tail, &buf);
	assert_string_equal(mxt_buf_text(&buf), text);
	mxt_buf_truncate(&buf, 0);
	mxt_tail_last_line(tail, &buf);
	assert_string_equal(mxt_buf_text(&buf), line);
}

static void the_last_line_is_found(void **state)
{
	(void)state;
	struct mxt_tail tail = {.total = 0};
	expect_tail(&tail, "", "");
	mxt_tail_add(&tail, "\n \n", 3);
	expect_tail(&tail, "\n \n", "");
	mxt_tail_add(&tail, "first\n  second  \n\n", 18);
	expect_tail(&tail, "\n \nfirst\n  second  \n\n", "second");
	mxt_tail_add(&tail, "third", 5);
	expect_tail(&tail, "\n \nfirst\n  second  \n\nthird", "third");
}

/* Whatever the sizes of the pieces, what is kept are the last bytes in order. */
static void the_end_is_kept(void **state)
{
	(void)state;
	enum { TOTAL = 100000 };
	static const size_t pieces[] = {1, 7, 4096, MXT_TAIL_BYTES - 1, MXT_TAIL_BYTES, MXT_TAIL_BYTES + 1, 50000};
	char *all = malloc(TOTAL);
	assert_non_null(all);
	for (size_t i = 0; i < TOTAL; i++)
		all[i] = (char)('!' + i * 7 % 90);
	for (size_t p = 0; p < MXT_ARRAY_LEN(pieces); p++) {
		struct mxt_tail tail = {.total = 0};
		for (size_t at = 0; at < TOTAL; at += pieces[p])
			mxt_tail_add(&tail, all + at, TOTAL - at < pieces[p] ? TOTAL - at : pieces[p]);
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		mxt_tail_text(&tail, &buf);
		assert_int_equal(buf.len, MXT_TAIL_BYTES);
		assert_memory_equal(buf.data, all + TOTAL - MXT_TAIL_BYTES, MXT_TAIL_BYTES);
		mxt_buf_truncate(&buf, 0);
		mxt_tail_last_line(&tail, &buf); /* one endless line: its beginning */
		assert_int_equal(buf.len, 240);
	}
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_is_made_printable),
	    cmocka_unit_test(utf8_is_told_from_other_bytes),
	    cmocka_unit_test(the_last_line_is_found),
	    cmocka_unit_test(the_end_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
