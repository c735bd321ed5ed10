/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Axolotl's report of its config, found in logs as they are.
 */
#include "config_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"

#define STAMP "[2026-11-30 17:50:11,533] [INFO] [axolotl.cli.config] "
#define OTHER "[2026-11-30 17:50:11,534] [WARNING] [axolotl.utils] [RANK:3] something else\n"

/* As json.dumps(indent=2, sort_keys=True) writes it. */
#define OPEN    "{\n  \"attn_implementation\": \"sdpa\",\n  \"axolotl_config_path\": \"run \\\"1\\\" {.yaml\",\n"
#define REST    "  \"base_model\": \"./model\",\n  \"datasets\": [\n    {\n      \"path\": \"x\"\n    },\n    true\n  ],\n"
#define CLOSE   "  \"learning_rate\": 2e-05,\n  \"seed\": 42,\n  \"sdpa_varlen\": false\n}"
#define REPORT  OPEN REST CLOSE "\n"
#define MARK(x) "[default0]:" x
#define MARKED                                                                                                         \
	MARK("{\n")                                                                                                    \
	"[default1]:{\n" MARK("  \"attn_implementation\": \"sdpa\",\n") "[default1]:  \"seed\": 1,\n" MARK(            \
	    "  \"base_model\": \"m\"\n") "[default1]:}\n" MARK("}\n")

struct report_case {
	const char *expected; /* JSON */
	const char *log;
	enum mxt_config_state state;
};

static const struct report_case cases[] = {
    {"{}", STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"attn_implementation\": \"sdpa\", \"seed\": 42}", STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"attn_implementation\": \"flash_attention_2\"}", STAMP "config:\n" REPORT, MXT_CONFIG_DIFFERS},
    {"{\"seed\": 42.0, \"learning_rate\": 0.00002}", STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 43}", STAMP "config:\n" REPORT, MXT_CONFIG_DIFFERS},
    {"{\"seed\": \"42\"}", STAMP "config:\n" REPORT, MXT_CONFIG_DIFFERS},
    /* what must not be there may be false; what must be false must be there */
    {"{\"flash_attention\": null, \"sdpa_varlen\": null}", STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"attn_implementation\": null}", STAMP "config:\n" REPORT, MXT_CONFIG_DIFFERS},
    {"{\"sdpa_varlen\": false}", STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"flash_attention\": false}", STAMP "config:\n" REPORT, MXT_CONFIG_DIFFERS},
    {"{\"datasets\": [{\"path\": \"x\"}, true]}", STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    /* forms of the log */
    {"{\"seed\": 42}", "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", "\x1b[39m" STAMP "config:\n" OPEN REST CLOSE "\x1b[39m\n", MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", "\x1b[1m" STAMP "\x1b[0mconfig:\x1b[0m\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", " 10%|#   | 1/10\r" STAMP "config:\r\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", STAMP "config: {\"base_model\": \"m\", \"seed\": 42}\n", MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", STAMP "config:\n{\"base_model\": \"m\", \"seed\": 42}\n", MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", "\xff\xfe\x80\n\xff" STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"x\": 1}", "config:\n{\n  \"base_model\": \"m\",\n  \"n\": NaN,\n  \"i\": -Infinity,\n  \"x\": 1\n}\n",
     MXT_CONFIG_CONFIRMED},
    /* other processes */
    {"{\"seed\": 42}", STAMP "config:\n" OTHER OPEN OTHER REST "some line\n  warnings.warn(\n" CLOSE "\n",
     MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", STAMP "config:\n" OPEN "  \"base_mod" OTHER "el\": \"./model\",\n" CLOSE "\n",
     MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", STAMP "config:\n" OPEN STAMP "config:\n" REST CLOSE "\n", MXT_CONFIG_CONFIRMED},
    {"{\"seed\": null}", MARK(STAMP "config:\n") MARKED, MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}",
     "0: " STAMP "config:\n1: {\n0: {\n0:   \"base_model\": 1,\n1:   \"seed\": 2,\n0:   \"seed\": 42\n0: }\n",
     MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}",
     "[1,0]<stdout>:" STAMP "config:\n[1,0]<stdout>:{\n[1,1]<stdout>:{\n[1,0]<stdout>:  \"base_model\": 1,\n"
     "[1,0]<stdout>:  \"seed\": 42\n[1,0]<stdout>:}\n",
     MXT_CONFIG_CONFIRMED},
    /* one that broke off, and then one that did not */
    {"{\"seed\": 42}", STAMP "config:\n" OPEN STAMP "restarting\n" STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    /* what is none */
    {"{\"seed\": 42}", "", MXT_CONFIG_AWAITED},
    {"{\"seed\": 42}", REPORT, MXT_CONFIG_AWAITED},
    {"{\"seed\": 42}", STAMP "config:\n" OPEN REST, MXT_CONFIG_AWAITED},
    {"{\"seed\": 42}", STAMP "reading config: run.yaml\n" REPORT, MXT_CONFIG_AWAITED},
    {"{\"seed\": 42}", "Model config:\n{\n  \"seed\": 1\n}\n", MXT_CONFIG_AWAITED},
    {"{\"seed\": 42}", "Model config:\n{\n  \"seed\": 1\n}\n" STAMP "config:\n" REPORT, MXT_CONFIG_CONFIRMED},
    {"{\"seed\": 42}", STAMP "config:\n{\n  \"base_model\": \"m\",,\n  \"seed\": 42\n}\n", MXT_CONFIG_UNREADABLE},
};

static enum mxt_config_state read_in_pieces(const struct report_case *c, size_t piece)
{
	MXT_CLEANUP_JSON json_t *expected = json_loads(c->expected, 0, NULL);
	struct mxt_config_report *report = NULL;
	size_t len = strlen(c->log);
	assert_non_null(expected);
	assert_int_equal(mxt_config_report_create(expected, &report, NULL), 0);
	for (size_t at = 0; at < len; at += piece)
		(void)mxt_config_report_take(report, 0, c->log + at, len - at < piece ? len - at : piece);
	enum mxt_config_state state = mxt_config_report_state(report);
	mxt_config_report_destroy(report);
	return state;
}

static void test_logs(void **state)
{
	(void)state;
	static const size_t pieces[] = {1, 7, 4096};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++)
		for (size_t k = 0; k < MXT_ARRAY_LEN(pieces); k++) {
			enum mxt_config_state got = read_in_pieces(&cases[i], pieces[k]);
			if (got != cases[i].state)
				print_message("case %zu in pieces of %zu\n", i, pieces[k]);
			assert_int_equal(got, cases[i].state);
		}
}

/* The two streams do not mix. */
static void test_streams(void **state)
{
	(void)state;
	static const char out[] = STAMP "config:\n" REPORT, noise[] = "{\n  \"seed\": 1\n}\nconfig:\n{";
	MXT_CLEANUP_JSON json_t *expected = json_pack("{s:i}", "seed", 42);
	struct mxt_config_report *report = NULL;
	assert_int_equal(mxt_config_report_create(expected, &report, NULL), 0);
	for (size_t i = 0; i < sizeof out - 1; i++) {
		(void)mxt_config_report_take(report, 1, noise + i % (sizeof noise - 1), 1);
		(void)mxt_config_report_take(report, 0, out + i, 1);
	}
	assert_int_equal(mxt_config_report_state(report), MXT_CONFIG_CONFIRMED);
	mxt_config_report_destroy(report);
	mxt_config_report_destroy(NULL);
}

static void test_error(void **state)
{
	(void)state;
	static const char log[] = STAMP "config:\n" REPORT;
	MXT_CLEANUP_JSON json_t *expected = json_pack("{s:s}", "attn_implementation", "flash_attention_2");
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_config_report *report = NULL;
	assert_int_equal(mxt_config_report_create(expected, &report, &err), 0);
	assert_int_equal(mxt_config_report_error(report, &err), 0);
	assert_int_equal(mxt_config_report_take(report, 0, log, sizeof log - 1), MXT_CONFIG_DIFFERS);
	assert_true(mxt_config_report_error(report, &err) < 0);
	assert_int_equal(err.id, MXT_E_LAUNCH_READBACK);
	assert_non_null(strstr(mxt_error_text(&err), "flash_attention_2"));
	assert_non_null(strstr(mxt_error_text(&err), "sdpa"));
	/* the first report counts */
	assert_int_equal(mxt_config_report_take(report, 1, "config:\n", 8), MXT_CONFIG_DIFFERS);
	mxt_config_report_destroy(report);
}

/* Lines and objects without an end are kept up to a limit; what comes behind a long line is found all the same. */
static void test_limits(void **state)
{
	(void)state;
	static const char header[] = STAMP "config:\n", start[] = "{\n",
			  member[] = "  \"k\": \"a value of some length\",\n";
	static const char log[] = "\n" STAMP "config:\n" REPORT;
	MXT_CLEANUP_FREE char *block = malloc(1 << 20);
	MXT_CLEANUP_JSON json_t *expected = json_pack("{s:i}", "seed", 42);
	struct mxt_config_report *report = NULL;
	assert_non_null(block);
	memset(block, 'x', 1 << 20);
	assert_int_equal(mxt_config_report_create(expected, &report, NULL), 0);
	for (int i = 0; i < 8; i++)
		assert_int_equal(mxt_config_report_take(report, 0, block, 1 << 20), MXT_CONFIG_AWAITED);
	assert_int_equal(mxt_config_report_take(report, 0, log, sizeof log - 1), MXT_CONFIG_CONFIRMED);
	mxt_config_report_destroy(report);
	assert_int_equal(mxt_config_report_create(expected, &report, NULL), 0);
	(void)mxt_config_report_take(report, 0, header, sizeof header - 1);
	(void)mxt_config_report_take(report, 0, start, sizeof start - 1);
	for (int i = 0; i < 1 << 15; i++)
		(void)mxt_config_report_take(report, 0, member, sizeof member - 1);
	assert_int_equal(mxt_config_report_state(report), MXT_CONFIG_UNREADABLE);
	mxt_config_report_destroy(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_logs),
	    cmocka_unit_test(test_streams),
	    cmocka_unit_test(test_error),
	    cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
