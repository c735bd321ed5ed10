/* SPDX-License-Identifier: Apache-2.0 */
/* What a person reads at the end of a run, line by line; and at its start, what the last line does not say. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "launch.h"
#include "launch_print.h"
#include "launch_report.h"
#include "launch_run.h"

/* Lines, each one literal: tables of them are read for missing commas. */
#define ENDED_0 "the command ended with status 0 after 2.5 s; its output: runs/a/train.log"
#define ENDED_1 "the command ended with status 1 after 2.5 s; its output: runs/a/train.log"
#define ENDED_3 "the command ended with status 3 after 2.5 s; its output: runs/a/train.log"
#define KILLED  "the command was killed by signal 9 (Killed) after 2.5 s; its output: runs/a/train.log"
#define WELL_PLANNED                                                                                                   \
	"in the plan: 93.1 % of a step's attention and products (attention 99.9 %, products 90.0 %, by operations)"
#define UNPLANNED                                                                                                      \
	"in the plan: 87.0 % of a step's attention and products (attention 0.0 %, products 97.0 %, by operations)"
#define REMEDY         "note: mindxtrain record writes down what the job computes, and autotune --shapes plans it"
#define MATH           "rank 5: torch's own attention is math, planned is flash; for other calls flash; a mask"
#define EXITED(status) ((status) << 8) /* as waitpid() has it */

#define UNSEEN "warning: Axolotl's report of its config was not seen: that it took the planned keys is not shown"

struct run {
	struct mxt_launch_request request;
	struct mxt_launch launch;
	struct mxt_launch_result result;
	char *text;
	size_t len;
};

static void run_init(struct run *run, int wait_status)
{
	*run = (struct run){.request = {.folder = "runs/a", .config = "run.yaml"}, .launch = MXT_LAUNCH_INIT};
	run->launch.request = &run->request;
	run->result.supervised = (struct mxt_supervised){
	    .started = true, .wait_status = wait_status, .started_ns = 1000000000, .ended_ns = 3500000000};
	run->result.report = MXT_CONFIG_AWAITED;
}

static void run_finish(struct run *run)
{
	mxt_launch_result_finish(&run->result);
	mxt_launch_finish(&run->launch);
	free(run->text);
}

/* The whole report, each line without its "mindxtrain: ". */
static void expect_report(struct run *run, const char *const *lines)
{
	FILE *out = open_memstream(&run->text, &run->len);
	assert_non_null(out);
	mxt_launch_print_result(out, &run->launch, &run->result);
	assert_int_equal(fclose(out), 0);
	const char *rest = run->text;
	for (; *lines; lines++) {
		char line[400];
		int len = snprintf(line, sizeof line, "mindxtrain: %s\n", *lines);
		if (strncmp(rest, line, (size_t)len) != 0)
			print_message("expected: %sthere is: %s", line, rest);
		assert_int_equal(strncmp(rest, line, (size_t)len), 0);
		rest += len;
	}
	assert_string_equal(rest, "");
}

static void test_a_good_end(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, EXITED(0));
	run.result.report = MXT_CONFIG_CONFIRMED;
	run.result.artefacts.found = json_pack("[{s:s}]", "path", "./out/adapter_model.safetensors");
	run.result.proof.coverage = json_pack("{s:s, s:i, s:i, s:i}", "basis", "operations", "share_ppm", 931000,
					      "attention_ppm", 999000, "gemm_ppm", 900000);
	run.result.proof.witnesses =
	    json_pack("[{s:i, s:s, s:s, s:s}, {s:i, s:s, s:s, s:s}]", "rank", 0, "what", "sdpa", "saw", "flash",
		      "planned", "flash", "rank", 1, "what", "sdpa", "saw", "flash", "planned", "flash");
	expect_report(&run, (const char *const[]){ENDED_0, "Axolotl reports every planned key as planned",
						  "written: ./out/adapter_model.safetensors", WELL_PLANNED,
						  "2 ranks: torch's own attention is flash, as planned", NULL});
}

/* Of a training that failed nobody wants to know what else is not known. */
static void test_a_bad_end(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, EXITED(3));
	run.result.proof.coverage = json_pack("{s:s}", "unknown", "nothing was recorded");
	expect_report(&run, (const char *const[]){ENDED_3, NULL});
}

static void test_a_killed_command(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, SIGKILL);
	run.result.supervised.n_swept = 1;
	run.result.caches = json_pack("[{s:s, s:i}, {s:s, s:i, s:i}]", "cache", "Triton", "new", 1, "cache", "MIOpen",
				      "new", 2, "tuned", 1);
	expect_report(
	    &run,
	    (const char *const[]){
		KILLED, "warning: it left 1 process behind, now ended", "1 file appeared in the cache of Triton",
		"warning: 2 files appeared in the cache of MIOpen, 1 of them of choices made while it ran", NULL});
}

/* What is not known of a training that says that all is well is told. */
static void test_an_unproven_end(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, EXITED(0));
	run.result.proof.coverage = json_pack("{s:s}", "unknown", "nothing was recorded");
	expect_report(&run,
		      (const char *const[]){ENDED_0, UNSEEN, "coverage is not known: nothing was recorded", NULL});
}

/* One rank of several that differs is named, and so is what the plan does not hold, although the whole is well. */
static void test_what_differs(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, EXITED(0));
	run.result.report = MXT_CONFIG_CONFIRMED;
	run.result.proof.contradicted = true;
	run.result.proof.coverage =
	    json_pack("{s:s, s:i, s:i, s:i, s:[{s:s}]}", "basis", "operations", "share_ppm", 870000, "attention_ppm", 0,
		      "gemm_ppm", 970000, "largest_unplanned", "problem", "attention b2 s64");
	run.result.proof.witnesses = json_pack(
	    "[{s:i, s:s, s:s, s:s}, {s:i, s:s, s:s, s:s, s:s, s:s}, {s:i, s:s, s:s, s:s}]", "rank", 0, "what", "sdpa",
	    "saw", "flash", "planned", "flash", "rank", 5, "what", "sdpa", "saw", "math", "planned", "flash", "also",
	    "flash", "note", "a mask", "rank", 6, "what", "sdpa", "saw", "flash", "planned", "flash");
	expect_report(&run, (const char *const[]){
				ENDED_0, "Axolotl reports every planned key as planned", UNPLANNED,
				"not in the plan: attention b2 s64", REMEDY,
				"2 ranks: torch's own attention is flash, as planned", MATH,
				"warning: the training did not run as planned: see the line above that differs", NULL});
}

/* What recorded operators say is told where the first calls did not say it. */
static void test_operators(void **state)
{
	static const char *const ends[][4] = {{ENDED_1, "rank 0: torch's own attention is flash, as planned"},
					      {ENDED_1, "rank 0: torch's own attention is not called, planned is fa2",
					       "rank 0: attention in the recorded steps is fa2, as planned"}};
	static const char *const values[][2] = {{"flash", "flash"}, {"not called", "fa2"}};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(ends); i++) {
		MXT_CLEANUP(run_finish) struct run run;
		const char *sdpa = values[i][0], *operators = values[i][1];
		run_init(&run, EXITED(1));
		run.result.proof.witnesses = json_pack("[{s:i, s:s, s:s, s:s}, {s:i, s:s, s:s, s:s}]", "rank", 0,
						       "what", "sdpa", "saw", sdpa, "planned", operators, "rank", 0,
						       "what", "operators", "saw", operators, "planned", operators);
		expect_report(&run, ends[i]);
	}
}

static void test_nothing_was_started(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, 0);
	run.result.supervised.started = false;
	expect_report(&run, (const char *const[]){NULL});
}

/* What is printed of the remarks when this is the last line. */
static void expect_remarks(struct run *run, const char *last, const char *text)
{
	MXT_CLEANUP_ERROR struct mxt_error verdict = MXT_ERROR_INIT;
	(void)mxt_error_set(&verdict, -1, MXT_E_PLAN_MISMATCH, "%s", last);
	FILE *out = open_memstream(&run->text, &run->len);
	assert_non_null(out);
	mxt_launch_print_remarks(out, &run->launch, &verdict);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(run->text, text);
	free(run->text);
	run->text = NULL;
}

static void test_nothing_is_said_twice(void **state)
{
	(void)state;
	MXT_CLEANUP(run_finish) struct run run;
	run_init(&run, 0);
	mxt_remark_warn(&run.launch.remarks, "odd");
	mxt_remark_refuse(&run.launch.remarks, MXT_E_PLAN_MISMATCH, MXT_ALLOW_MISMATCH, "not comparable: no run.yaml");
	expect_remarks(&run, "not comparable: no run.yaml; or give --allow-mismatch", "mindxtrain: warning: odd\n");
	expect_remarks(&run, "no run.yaml", "mindxtrain: warning: odd\n");
	expect_remarks(&run, "another reason",
		       "mindxtrain: warning: odd\nmindxtrain: refused: not comparable: no run.yaml\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_good_end),
	    cmocka_unit_test(test_a_bad_end),
	    cmocka_unit_test(test_a_killed_command),
	    cmocka_unit_test(test_an_unproven_end),
	    cmocka_unit_test(test_what_differs),
	    cmocka_unit_test(test_nothing_was_started),
	    cmocka_unit_test(test_nothing_is_said_twice),
	    cmocka_unit_test(test_operators),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
