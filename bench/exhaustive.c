/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures every candidate of every probe against bare for a fixed number of blocks, without screening, looks or a
 * budget, and prints one JSON object per candidate: what a plan's choice is held against to find its regret.
 *
 *   exhaustive PROGRAM MODEL BLOCKS [DEVICE TORCH SEQ_LEN MICRO_BATCH LORA_RANK]
 *
 * PROGRAM is the mindxtrain binary that workers are started from; DEVICE is "cpu" (the built-in provider) when it is
 * not named; TORCH the torch package's folder.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "number.h"
#include "session.h"

extern char **environ;

struct exhaustive {
	struct mxt_session session;
	struct mxt_field field;
	char **environments[MXT_FIELD_MAX_ENTRIES];
	double log_ratio[MXT_FIELD_MAX_ENTRIES]; /* sum over blocks, of the entry's time to bare's */
};

static int add_candidates(struct exhaustive *x, const struct mxt_candidate_list *list, struct mxt_error *err)
{
	struct mxt_field *field = &x->field;
	int rc = mxt_field_add(field, "bare", MXT_ROLE_BARE, true, x->session.bare_provider, x->session.bare, err);
	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		const struct mxt_candidate *candidate = &list->items[i];
		if (candidate->skip)
			continue;
		if (field->n_entries == MXT_FIELD_MAX_ENTRIES)
			return mxt_error_set(err, -E2BIG, MXT_E_INTERNAL, "more than %d candidates",
					     MXT_FIELD_MAX_ENTRIES);
		char ***environment = &x->environments[field->n_entries];
		rc = mxt_environment_with(x->session.bare, candidate->env, environment, err);
		if (rc == 0)
			rc = mxt_field_add(field, candidate->name, MXT_ROLE_CHALLENGER, true, candidate->provider,
					   *environment, err);
	}
	return rc;
}

static int run_blocks(struct exhaustive *x, long blocks, struct mxt_error *err)
{
	struct mxt_round round;
	for (long block = 0; block < blocks; block++) {
		int rc = mxt_field_round(&x->field, mxt_field_alive(&x->field), &round, err);
		if (rc < 0)
			return rc;
		if (round.time_ns[0] <= 0)
			return mxt_error_set(err, -ENODATA, MXT_E_PROBE_FAILED, "bare failed: %s",
					     x->field.entries[0].reason ? x->field.entries[0].reason : "no reason");
		for (size_t i = 0; i < x->field.n_entries; i++)
			x->log_ratio[i] += round.time_ns[i] > 0 ? log(round.time_ns[i] / round.time_ns[0]) : 0;
	}
	return 0;
}

static void print_results(const struct exhaustive *x, const char *probe, long blocks)
{
	for (size_t i = 0; i < x->field.n_entries; i++) {
		const struct mxt_entry *entry = &x->field.entries[i];
		if (entry->outcome != MXT_OK)
			printf("{\"probe\":\"%s\",\"candidate\":\"%s\",\"status\":\"%s\"}\n", probe, entry->name,
			       mxt_outcome_name(entry->outcome));
		else
			printf("{\"probe\":\"%s\",\"candidate\":\"%s\",\"status\":\"ok\",\"blocks\":%ld,"
			       "\"time_ratio_ppm\":%.0f}\n",
			       probe, entry->name, blocks, exp(x->log_ratio[i] / (double)blocks) * 1e6);
	}
}

static int measure_probe(struct exhaustive *x, enum mxt_problem_kind kind, long blocks, struct mxt_error *err)
{
	const struct mxt_tune_request *request = x->session.request;
	struct mxt_candidate_list *list = &x->session.probes[kind].candidates;
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	int rc = mxt_course_init_probe(&course, &x->session, kind, err);
	if (rc == 0)
		rc = request->ops->candidates(&live, &x->session.inventory, kind, request->environment, list, err);
	mxt_session_field(&x->session, &course, mxt_problem_kind_name(kind), &x->field);
	if (rc == 0)
		rc = add_candidates(x, list, err);
	if (rc == 0)
		rc = mxt_field_start(&x->field, err);
	if (rc == 0)
		rc = mxt_field_prepare(&x->field, mxt_field_alive(&x->field), err);
	if (rc == 0)
		rc = run_blocks(x, blocks, err);
	if (rc == 0)
		print_results(x, mxt_problem_kind_name(kind), blocks);
	(void)mxt_field_finish(&x->field, NULL);
	for (size_t i = 0; i < MXT_FIELD_MAX_ENTRIES; i++) {
		mxt_environment_destroy(x->environments[i]);
		x->environments[i] = NULL;
		x->log_ratio[i] = 0;
	}
	return rc;
}

/* What the command line names beside program, model and blocks. */
struct choice {
	const char *device, *torch;
	int64_t seq_len, micro_batch, lora_rank; /* -1: the default */
};

static int run(const char *program, const char *model, long blocks, const struct choice *choice, struct mxt_error *err)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	struct mxt_workload workload;
	source.model = model;
	source.environment = environ;
	source.seq_len = choice->seq_len;
	source.micro_batch = choice->micro_batch;
	source.lora_rank = choice->lora_rank;
	int rc = mxt_workload_load(&source, &workload, err);
	if (rc < 0)
		return rc;
	const struct mxt_event_sink nobody = {NULL, NULL};
	struct mxt_budget budget;
	mxt_budget_init(&budget, &mxt_clock_monotonic, mxt_now_ns(&mxt_clock_monotonic), UINT64_MAX / 4);
	const struct mxt_tune_request request = {.ops = mxt_device_find(choice->device),
						 .target = {.torch = choice->torch},
						 .workload = &workload,
						 .environment = environ,
						 .program = program,
						 .budget = &budget,
						 .cancel_fd = -1,
						 .seed = 1,
						 .margin_ppm = 30000,
						 .sink = &nobody};
	struct exhaustive x = {.session.request = NULL};
	rc = mxt_session_init(&x.session, &request, err);
	for (int kind = 0; rc == 0 && kind < MXT_PROBLEM_KIND_COUNT; kind++)
		rc = measure_probe(&x, (enum mxt_problem_kind)kind, blocks, err);
	mxt_session_finish(&x.session);
	mxt_workload_finish(&workload);
	return rc;
}

int main(int argc, char **argv)
{
	int64_t blocks = 0;
	struct choice choice = {"cpu", NULL, -1, -1, -1};
	bool more = argc == 9;
	if (more) {
		choice.device = argv[4];
		choice.torch = argv[5];
	}
	if ((argc != 4 && !more) || mxt_parse_i64_in(argv[3], 1, 100000, &blocks) < 0 ||
	    (more && (mxt_parse_i64_in(argv[6], 1, INT32_MAX, &choice.seq_len) < 0 ||
		      mxt_parse_i64_in(argv[7], 1, INT32_MAX, &choice.micro_batch) < 0 ||
		      mxt_parse_i64_in(argv[8], 0, INT32_MAX, &choice.lora_rank) < 0)) ||
	    !mxt_device_find(choice.device)) {
		(void)fprintf(stderr, "usage: exhaustive PROGRAM MODEL BLOCKS "
				      "[DEVICE TORCH SEQ_LEN MICRO_BATCH LORA_RANK]\n");
		return 2;
	}
	struct mxt_error err = MXT_ERROR_INIT;
	int rc = run(argv[1], argv[2], (long)blocks, &choice, &err);
	if (rc < 0)
		(void)fprintf(stderr, "exhaustive: %s\n", mxt_error_text(&err));
	mxt_error_clear(&err);
	return rc < 0;
}
