/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --print-workload shows: the problems with their share of the step's floating-point operations, the scale, what
 * is not modelled, notes.
 */
#ifndef MXT_CLI_PRINT_WORKLOAD_H
#define MXT_CLI_PRINT_WORKLOAD_H

#include <stdio.h>

struct mxt_attention_today;
struct mxt_error;
struct mxt_problem_set;
struct mxt_workload;

/*
 * `today` is what computes attention as things are, NULL: nobody knows. Plain lines, the same whatever the locale. 0 or
 * -ENOMEM; write errors stay with the stream (ferror()).
 */
int mxt_print_workload(FILE *out, const struct mxt_workload *workload, const struct mxt_attention_today *today,
		       const struct mxt_problem_set *set, struct mxt_error *err);

/* The same as one JSON object on a line: the set's (see mxt_problem_set_json), workload, today, not_modelled, notes. */
int mxt_print_workload_json(FILE *out, const struct mxt_workload *workload, const struct mxt_attention_today *today,
			    const struct mxt_problem_set *set, struct mxt_error *err);

#endif
