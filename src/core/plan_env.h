/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a plan, for whoever starts the job; and, as comments, the keys of the config that its attention
 * needs.
 */
#ifndef MXT_CORE_PLAN_ENV_H
#define MXT_CORE_PLAN_ENV_H

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_plan;

enum mxt_env_format {
	MXT_ENV_SH, /* `unset` and `export` lines that a POSIX shell may eval, whatever the values are */
	MXT_ENV_JSON, /* {"env": {…}, "unset": […], "axolotl": {"set": {…}, "remove": […]}}, canonical, one line */
	MXT_ENV_ENV_FILE, /* NAME=value lines as `docker run --env-file` reads them; what is to be unset is a comment */
};

/*
 * Appends the environment. `dir` (absolute) is where hand-offs lie; NULL when there is none, which is an error
 * (MXT_E_PLAN_HANDOFF) for a plan that has hand-offs. A value that the format cannot hold is MXT_E_PLAN_FORMAT.
 */
int mxt_plan_env_write(const struct mxt_plan *plan, enum mxt_env_format format, const char *dir, struct mxt_buf *buf,
		       struct mxt_error *err) MXT_WUR;

#endif
