/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Axolotl's own report of its config, read out of its log: "config:" and a JSON object of every key that is not null,
 * as rank 0 logs it after validation and before the first step (cli/config.py, since 0.11). It proves that a planned
 * key took effect. On other nodes than the first there is none.
 */
#ifndef MXT_LAUNCH_CONFIG_REPORT_H
#define MXT_LAUNCH_CONFIG_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_config_report;

enum mxt_config_state {
	MXT_CONFIG_AWAITED,   /* no report yet */
	MXT_CONFIG_CONFIRMED, /* all planned keys have their planned values */
	MXT_CONFIG_DIFFERS,   /* one does not; see mxt_config_report_error() */
	MXT_CONFIG_UNREADABLE /* a report came that is no JSON object or is too large; or memory ran out */
};

/*
 * `expected`: object of top-level keys and the values that they must have; JSON null: the key must be absent, null or
 * false. Borrowed. 0 or -ENOMEM.
 */
int mxt_config_report_create(const json_t *expected, struct mxt_config_report **ret_report,
			     struct mxt_error *err) MXT_WUR;
void mxt_config_report_destroy(struct mxt_config_report *report);

/*
 * Takes bytes of one of the command's two streams (0: standard output, 1: standard error), in order. Any bytes will do.
 * Less than 1 MiB is kept, and nothing once a report was found: the first one counts.
 */
enum mxt_config_state mxt_config_report_take(struct mxt_config_report *report, int stream, const char *bytes,
					     size_t len);

enum mxt_config_state mxt_config_report_state(const struct mxt_config_report *report);

/* In DIFFERS: fills *err (MXT_E_LAUNCH_READBACK) with key, planned and reported value; returns its status. */
int mxt_config_report_error(const struct mxt_config_report *report, struct mxt_error *err);

#endif
