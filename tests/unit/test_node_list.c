/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "cmocka_all.h"
#include "error.h"
#include "node_list.h"

struct list_case {
	const char *text, *names;
};

/* Names and order as `scontrol show hostnames` prints them. */
static const struct list_case good[] = {
    {"n1", "n1"},
    {"n1,n2", "n1 n2"},
    {"a[1-3,07],b-[001-003]x[1-2]", "a1 a2 a3 a07 b-001x1 b-001x2 b-002x1 b-002x2 b-003x1 b-003x2"},
    {"a[08-10]", "a08 a09 a10"},
    {"a[8-10]", "a8 a9 a10"},
    {"[1-2]", "1 2"},
    {"r[1-2].cluster.example", "r1.cluster.example r2.cluster.example"},
    {"gpu_a100[0]", "gpu_a1000"},
    {"n[3,1-2]", "n3 n1 n2"},
    {"n[000-000]", "n000"},
    {"a[1-2][3-4]", "a13 a14 a23 a24"},
    {"n[1,1]", "n1 n1"},
};

static void reads_what_slurm_writes(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(good); i++) {
		MXT_CLEANUP_NODE_LIST struct mxt_node_list list = MXT_NODE_LIST_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_BUF struct mxt_buf names = MXT_BUF_INIT;
		if (mxt_node_list_parse(good[i].text, &list, &err) < 0)
			fail_msg("%s: %s", good[i].text, mxt_error_text(&err));
		for (size_t j = 0; j < list.count; j++)
			mxt_buf_printf(&names, "%s%s", j ? " " : "", list.names[j]);
		assert_string_equal(mxt_buf_text(&names), good[i].names);
	}
}

static const char *const bad[] = {
    "",
    ",",
    "a,",
    "a,,b",
    "a[",
    "a[]",
    "a[1",
    "a[1-]",
    "a[-1]",
    "a[3-1]",
    "a[1-2-3]",
    "a[1,]",
    "a[1]]",
    "a]",
    "a[1[2]]",
    "a[x]",
    "a[0x1]",
    "a[1-2:2]",
    "[000x133]",
    "a b",
    "a;b",
    "a/b",
    "-a",
    "--nodes=1",
    "a[1]b[2]c[3]d[4]e[5]f[6]g[7]h[8]i[9]",
    "a[1000000000]",
    "a[0-99999]",
    "a[0-999]b[0-999]",
    "n\xc3\xa4[1]",
    "a\n",
};

static void refuses_everything_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_node_list list = MXT_NODE_LIST_INIT;
		if (mxt_node_list_parse(bad[i], &list, &err) == 0)
			fail_msg("'%s' was read", bad[i]);
		assert_int_equal(err.id, MXT_E_LAUNCH_NODES);
		assert_null(list.names);
	}
}

static void bounds_what_it_makes(void **state)
{
	(void)state;
	MXT_CLEANUP_NODE_LIST struct mxt_node_list list = MXT_NODE_LIST_INIT;
	char name[MXT_NODE_NAME_MAX + 8];
	assert_int_equal(mxt_node_list_parse("a[0-65535]", &list, NULL), 0);
	assert_int_equal(list.count, MXT_NODE_LIST_MAX);
	assert_string_equal(list.names[65535], "a65535");
	mxt_node_list_finish(&list);
	assert_true(mxt_node_list_parse("a[0-65535],b", &list, NULL) < 0);
	memset(name, 'a', sizeof name);
	name[MXT_NODE_NAME_MAX] = '\0';
	assert_int_equal(mxt_node_list_parse(name, &list, NULL), 0);
	mxt_node_list_finish(&list);
	(void)snprintf(name + MXT_NODE_NAME_MAX, sizeof name - MXT_NODE_NAME_MAX, "[1]");
	assert_true(mxt_node_list_parse(name, &list, NULL) < 0);
	(void)snprintf(name + MXT_NODE_NAME_MAX - 2, 8, "[1]bc");
	assert_true(mxt_node_list_parse(name, &list, NULL) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_what_slurm_writes),
	    cmocka_unit_test(refuses_everything_else),
	    cmocka_unit_test(bounds_what_it_makes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
