/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan says of the collectives between several GPUs. Nothing of it is measured yet: what the job has today
 * stays, else the documented row of core/collective_choice.h ships where it applies, else the library chooses. Between
 * several nodes nothing is planned at all, since the network between them was never looked at.
 */
#ifndef MXT_TUNE_COLLECTIVE_H
#define MXT_TUNE_COLLECTIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;

/* All borrowed. */
struct mxt_collective_question {
	int32_t gpus; /* of a node */
	int32_t nodes;
	const char *link;         /* what joins them, as platform.link says it; NULL: not known, or there is one */
	const json_t *platform;   /* of the decision */
	const json_t *stack;      /* of the decision */
	char *const *environment; /* the caller's, NULL-ended */
	bool no_documented;       /* ship nothing that nobody measured */
};

struct mxt_collective_answer {
	const char *config;    /* static: collective.config; NULL: the plan has no `collective` */
	const char *incumbent; /* static: "bare", or "yours" where the caller sets any of the variables */
	const char *winner;    /* static: what ships */
	const char *source;    /* static: as evidence.choices says it */
	char *rule;            /* owned: why, as a sentence; NULL: the job has one GPU, and nothing to say */
	json_t *env;           /* owned: what the plan exports for it */
	json_t *unmeasured;    /* owned: the candidates that nobody timed, as sentences; empty where there are none */
	bool planned;          /* the plan decides on all of mxt_collective_variables */
};
#define MXT_COLLECTIVE_ANSWER_INIT                                                                                     \
	{                                                                                                              \
		.config = NULL                                                                                         \
	}

/*
 * MXT_E_PLAN_VALUE (-EINVAL) where the environment sets one of the variables to what no plan could keep; -ENOMEM. To be
 * released with mxt_collective_answer_finish().
 */
int mxt_collective_decide(const struct mxt_collective_question *question, struct mxt_collective_answer *ret_answer,
			  struct mxt_error *err) MXT_WUR;
void mxt_collective_answer_finish(struct mxt_collective_answer *answer);

/*
 * A probe measured that the job is surely faster without what the caller sets: of that, `names` (NULL-ended) goes from
 * an answer that keeps it, and the rule says so. 0 or -ENOMEM.
 */
int mxt_collective_yield(struct mxt_collective_answer *answer, const char *const *names, struct mxt_error *err);

/* The row of evidence.choices: new reference; NULL when memory ran out. */
json_t *mxt_collective_answer_json(const struct mxt_collective_answer *answer);

#endif
