/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A course: what a race runs. The problems of one probe, one item each; or a whole layer in training order as one item.
 */
#ifndef MXT_TUNE_COURSE_H
#define MXT_TUNE_COURSE_H

#include <stddef.h>

#include "problem.h"
#include "worker.h"

struct mxt_error;
struct mxt_session;

/* One timed unit: a sequence of prepared problems, and what one run of it weighs in a training step. */
struct mxt_item {
	const struct mxt_sequence_step *steps; /* into the course's steps */
	size_t n_steps;
	double weight;
	double least_ns; /* no hardware of this kind does it faster; 0: not known */
};

/* Problems are prepared under ids 0 … n-1. All arrays are owned. */
struct mxt_course {
	struct mxt_problem *problems;
	size_t n_problems;
	struct mxt_item *items;
	size_t n_items;
	struct mxt_sequence_step *steps;
};

/* Both want a zeroed course, and copy what they take from the session. 0 or -ENOMEM. */
int mxt_course_init_probe(struct mxt_course *course, const struct mxt_session *session, enum mxt_problem_kind kind,
			  struct mxt_error *err);
int mxt_course_init_layer(struct mxt_course *course, const struct mxt_session *session, struct mxt_error *err);

/* Releases what an init made, also after it failed on a zeroed course. */
void mxt_course_finish(struct mxt_course *course);

#endif
