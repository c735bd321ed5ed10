/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a post share: the plan that it is about, and how texts of a plan are put into Markdown.
 */
#ifndef MXT_CLI_POST_WRITER_H
#define MXT_CLI_POST_WRITER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "plan_sample.h"
#include "post_peak.h"

struct mxt_plan;

struct mxt_post {
	const struct mxt_plan *plan;
	const json_t *decision, *evidence; /* borrowed from the plan */
	struct mxt_post_peak peak;
	struct mxt_plan_sample *samples; /* owned */
	size_t n_samples, n_left_out;
	struct mxt_buf *buf; /* what is written so far; borrowed */
};

/* A text from the plan, which may hold any mark of Markdown, HTML, or a mention: code shows it as it is. */
void mxt_post_code(const char *text, struct mxt_buf *buf);

/* The same in a table, whose cells a bar ends even there. */
void mxt_post_code_cell(const char *text, struct mxt_buf *buf);

/* "12.4 %" */
void mxt_post_percent(int64_t ppm, struct mxt_buf *buf);

/* The device of evidence.devices that was measured: a GPU runtime's first one; on a host the only one. */
const json_t *mxt_post_device(const json_t *evidence);

/* Of a sample with a time. */
double mxt_post_flop_per_s(const struct mxt_plan_sample *sample);

/* The place of the first sample of a kind at or after `from`; n_samples: none. */
size_t mxt_post_next(const struct mxt_post *post, enum mxt_problem_kind kind, size_t from);

#endif
