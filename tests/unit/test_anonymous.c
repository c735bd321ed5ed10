/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken out of a report before it is sent, and what stays. */
#include <string.h>

#include "anonymous.h"
#include "cmocka_all.h"
#include "compiler.h"

static char home[] = "HOME=/home/karin", user[] = "USER=karin", logname[] = "LOGNAME=karin";
static char *environment[] = {home, user, logname, NULL};

struct row {
	const char *path, *text, *cleaned;
};

static const struct row rows[] = {
    {"/a", "node17 up since then", "host up since then"},
    {"/a", "node170 and xnode17 are others", "node170 and xnode17 are others"},
    {"/a", "node17.example.org", "host.example.org"},
    {"/a", "owner karin, group karinas", "owner user, group karinas"},
    {"/a", "PATH=/home/karin/bin:/home/otto/.local/bin:/usr/bin", "PATH=/home/user/bin:/home/user/.local/bin:/usr/bin"},
    {"/a", "uuid 8af70525-9683-161c-0a0b-0c0d0e0f1011.", "uuid 00000000-0000-0000-0000-000000000001."},
    {"/a", "again 8AF70525-9683-161C-0A0B-0C0D0E0F1011", "again 00000000-0000-0000-0000-000000000001"},
    {"/a", "GPU-8af705259683161c", "GPU-0000000000000002"},
    {"/x/unique_id", "0x8af705259683161c", "0000000000000002"},
    {"/x/unique_id", "8af705259683161c", "0000000000000002"},
    {"/x/properties", "simd_count 1216\nunique_id 10013477955478689308\nhive_id 0\n",
     "simd_count 1216\nunique_id 2\nhive_id 0\n"},
    {"/x/product_serial", "PCB1234", "serial"},
    {"/a", "link/ether 3c:ec:ef:01:02:03 brd", "link/ether 02:00:00:00:00:03 brd"},
    {"/a", "at 0000:05:00.0 since 12:34:56", "at 0000:05:00.0 since 12:34:56"},
    {"/a", "git dabb6df2b9 0123456789012345678901234567890123456789",
     "git dabb6df2b9 0123456789012345678901234567890123456789"},
    {"/a", "docker-0123456789abcdef0123456789abcdef.scope", "docker-00000000000000000000000000000004.scope"},
    {NULL, "/proc/sys/node17/x", "/proc/sys/node17/x"},
    {NULL, "/home/karin/venv/lib", "/home/user/venv/lib"},
    {"/a", "", ""},
};

static void what_names_somebody_is_replaced(void **state)
{
	(void)state;
	MXT_CLEANUP_ANONYMOUS struct mxt_anonymous anonymous;
	mxt_anonymous_init(&anonymous, "node17.example.org", environment);
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
		mxt_anonymous_text(&anonymous, rows[i].path, rows[i].text, strlen(rows[i].text), &out);
		assert_string_equal(mxt_buf_text(&out), rows[i].cleaned);
	}
	assert_false(anonymous.failed);
}

static void a_library_stays_as_it_is(void **state)
{
	(void)state;
	static const char head[] = "\177ELF\002\001 karin node17";
	MXT_CLEANUP_ANONYMOUS struct mxt_anonymous anonymous;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	mxt_anonymous_init(&anonymous, "node17", environment);
	mxt_anonymous_text(&anonymous, "/lib/x.so", head, sizeof head, &out);
	assert_memory_equal(out.data, head, sizeof head);
}

static void nobody_is_anonymous_already(void **state)
{
	(void)state;
	static char root_home[] = "HOME=/root", root_user[] = "USER=root";
	static char *root[] = {root_home, root_user, NULL};
	static const char text[] = "root on localhost";
	MXT_CLEANUP_ANONYMOUS struct mxt_anonymous anonymous;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	mxt_anonymous_init(&anonymous, "localhost", root);
	mxt_anonymous_text(&anonymous, "/a", text, sizeof text - 1, &out);
	assert_string_equal(mxt_buf_text(&out), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_names_somebody_is_replaced),
	    cmocka_unit_test(a_library_stays_as_it_is),
	    cmocka_unit_test(nobody_is_anonymous_already),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
