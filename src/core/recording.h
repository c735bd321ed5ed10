/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What some steps of a real training called, as `mindxtrain record` writes it (format mindxtrain.recording/1,
 * docs/recording.md): every matrix product and attention call with its shapes, how often each rank called it in each
 * step, and the order of one step.
 */
#ifndef MXT_CORE_RECORDING_H
#define MXT_CORE_RECORDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "hash.h"
#include "problem.h"
#include "workload.h"

struct mxt_error;

/* How many distinct problems of a recording are tuned: those with most floating-point operations. */
#define MXT_RECORDING_MAX_PROBLEMS 256

/* One described call. */
struct mxt_recorded_call {
	struct mxt_problem problem; /* its weights are not set */
	const char *why_not;        /* static: why no problem stands for it; NULL: one does */
	double calls;               /* mean of all steps and ranks, as calls of `problem` */
};

struct mxt_recorded_step {
	uint32_t call;         /* index */
	uint64_t filler_bytes; /* what other operators read and wrote before it */
};

struct mxt_recording {
	char *torch, *device; /* owned: "2.11.0", "cuda" */
	uint32_t ranks, steps;
	struct mxt_recorded_call *calls; /* owned */
	size_t n_calls;
	struct mxt_recorded_step *order; /* owned: the last step of one rank */
	size_t n_order;
	char **notes; /* owned sentences: what is not in it, or no problem stands for */
	size_t n_notes;
	char hash[MXT_HASH_HEX_SIZE]; /* BLAKE3 of the canonical list of its problems and counts: decision.workload */
};
#define MXT_CLEANUP_RECORDING MXT_CLEANUP(mxt_recording_destroy_)

/*
 * Reads and checks. MXT_E_RECORDING (or MXT_E_JSON_*) with the path in the document; a recording without any call that
 * can be timed is refused, too. *ret_recording goes to mxt_recording_destroy().
 */
int mxt_recording_read(const char *path, struct mxt_recording **ret_recording, struct mxt_error *err) MXT_WUR;
int mxt_recording_parse(const char *name, const char *text, size_t len, struct mxt_recording **ret_recording,
			struct mxt_error *err) MXT_WUR;
void mxt_recording_destroy(struct mxt_recording *recording);

/* Checks a document and nothing more; MXT_E_RECORDING. */
int mxt_recording_check(const char *name, const json_t *document, struct mxt_error *err) MXT_WUR;

/*
 * Several recordings of one rank each, or of more, as one document: new reference. MXT_E_RECORDING when they do not
 * belong together. Wants checked documents.
 */
int mxt_recording_merge(json_t *const *documents, size_t count, json_t **ret_document, struct mxt_error *err) MXT_WUR;

/*
 * The problems of one step: equal calls merged, weights the mean of all steps and ranks. `scale`: no extent of a
 * product beyond the larger of gemm_tokens and weight_extent, and attention_tokens; a call that is cut counts more
 * often. `float32`: everything in that dtype (a device that knows no other). `notes` gets a sentence about what the
 * limit of problems leaves out, if it does. The layer is one period of the recorded order: from an attention call to
 * the next, forward and backward.
 */
int mxt_recording_problems(const struct mxt_recording *recording, const struct mxt_scale *scale, bool float32,
			   struct mxt_problem_set *ret_set, struct mxt_buf *notes, struct mxt_error *err) MXT_WUR;

/* The largest extents, halved from the real ones as often as needed, at which every problem fits into `bytes`. */
void mxt_recording_scale_for_memory(const struct mxt_recording *recording, uint64_t bytes, bool float32,
				    struct mxt_scale *ret_scale);

/*
 * recording_workload.c: what a recording means for the workload that a config or a model described, or, where none did
 * (it is zeroed then), for one of its own: how many GPUs. Adds notes: what the recording lacks, and how much of it
 * would have been covered without it. MXT_E_USAGE for flags of `source` that a recording already answers.
 */
int mxt_recording_apply(const struct mxt_recording *recording, const struct mxt_workload_source *source,
			struct mxt_workload *workload, struct mxt_error *err) MXT_WUR;

/*
 * recording_layer.c: fills set->layer, an array that the caller allocated with room for MXT_RECORDING_MAX_LAYER steps.
 */
#define MXT_RECORDING_MAX_LAYER 1024
void mxt_recording_layer(const struct mxt_recording *recording, const uint32_t *problem_of_call, double filler_ratio,
			 struct mxt_problem_set *set);

static inline void mxt_recording_destroy_(struct mxt_recording **recording)
{
	mxt_recording_destroy(*recording);
}

#endif
