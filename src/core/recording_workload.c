/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "recording.h"
#include "recording_coverage.h"
#include "workload_build.h"

static const struct mxt_scale real_size = {.gemm_tokens = 0};

/* Flags that change a model or a config, or tell how its lengths vary, say nothing where there is neither. */
static int check_flags(const struct mxt_workload_source *source, struct mxt_error *err)
{
	const struct {
		const char *name;
		bool given, recorded;
	} flags[] = {{"seq-len", source->seq_len != -1, true},
		     {"micro-batch", source->micro_batch != -1, true},
		     {"lora-rank", source->lora_rank != -1, true},
		     {"packing", source->packing != -1, true},
		     {"checkpointing", source->checkpointing != -1, true},
		     {"steps", source->steps != -1, false},
		     {"distinct-lengths", source->distinct_lengths != -1, false},
		     {"dataset", source->dataset != NULL, false},
		     {"lengths", source->lengths != NULL, false}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(flags); i++)
		if (flags[i].given)
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--%s goes with --config or --model; %s",
					     flags[i].name,
					     flags[i].recorded ? "a recording has it already"
							       : "a recording alone does not say how lengths vary");
	return 0;
}

/* Processes on GPUs are as many GPUs, unless the flags say otherwise. */
static void fill_training(const struct mxt_recording *recording, const struct mxt_workload_source *source,
			  struct mxt_training *training)
{
	bool host = strcmp(recording->device, "cpu") == 0;
	training->gpus = source->gpus > 0 ? (int32_t)source->gpus : host ? 1 : (int32_t)recording->ranks;
	training->nodes = source->nodes > 0 ? (int32_t)source->nodes : 1;
	training->dtype = MXT_DTYPE_BF16;
}

/* What the recorded steps had in common: documents, or one length. A single step cannot tell whether lengths vary. */
static void see_lengths(const struct mxt_recording *recording, const struct mxt_problem_set *set,
			struct mxt_training *training)
{
	int32_t seq = 0;
	bool one = recording->steps > 1;
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_attention *attention = &set->problems[i].as.attention;
		if (set->problems[i].kind != MXT_PROBLEM_ATTENTION)
			continue;
		training->packing = training->packing || attention->n_documents > 0;
		one = one && (seq == 0 || attention->seq == seq);
		seq = attention->seq;
	}
	training->padding = one && seq > 0 && !training->packing;
}

static int note_coverage(const struct mxt_problem_set *recorded, struct mxt_workload *workload, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set generated = {.problems = NULL};
	struct mxt_coverage coverage;
	int rc = mxt_workload_problems(workload, &real_size, workload->training.dtype, &generated, err);
	if (rc < 0)
		return rc;
	mxt_recording_coverage(recorded, &generated, &coverage);
	mxt_coverage_text(&coverage, &text);
	rc = mxt_buf_status(&text, err);
	return rc == 0 ? mxt_workload_note(workload, err, "%s", mxt_buf_text(&text)) : rc;
}

static int add_notes(const struct mxt_recording *recording, struct mxt_workload *workload, struct mxt_error *err)
{
	int rc = mxt_workload_note(workload, err, "recorded: %u steps of %u process%s, torch %s", recording->steps,
				   recording->ranks, recording->ranks == 1 ? "" : "es", recording->torch);
	for (size_t i = 0; rc == 0 && i < recording->n_notes; i++)
		rc = mxt_workload_note(workload, err, "recording: %s", recording->notes[i]);
	return rc;
}

int mxt_recording_apply(const struct mxt_recording *recording, const struct mxt_workload_source *source,
			struct mxt_workload *workload, struct mxt_error *err)
{
	bool described = mxt_workload_described(workload);
	MXT_CLEANUP_BUF struct mxt_buf left = MXT_BUF_INIT;
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = {.problems = NULL};
	int rc = described ? 0 : check_flags(source, err);
	if (rc < 0)
		return rc;
	if (!described)
		fill_training(recording, source, &workload->training);
	rc = add_notes(recording, workload, err);
	if (rc == 0)
		rc = mxt_recording_problems(recording, &real_size, false, &set, &left, err);
	if (rc == 0 && !described)
		see_lengths(recording, &set, &workload->training);
	if (rc == 0 && left.len > 0)
		rc = mxt_workload_note(workload, err, "recording: %s", mxt_buf_text(&left));
	return rc == 0 && described ? note_coverage(&set, workload, err) : rc;
}
