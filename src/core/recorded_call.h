/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a call as it was recorded to the problem that stands for it.
 */
#ifndef MXT_CORE_RECORDED_CALL_H
#define MXT_CORE_RECORDED_CALL_H

#include <jansson.h>

struct mxt_error;
struct mxt_json_path;
struct mxt_recorded_call;

/*
 * Reads a checked CALL object, found at `path`, but not its counts: `calls` is how many calls of the problem one such
 * call is (more than 1 where only the first of many documents are known). MXT_E_RECORDING when its keys do not fit
 * together; a call that no problem stands for is none: it says why_not.
 */
int mxt_recorded_call_read(const json_t *call, const struct mxt_json_path *path, struct mxt_recorded_call *ret_call,
			   struct mxt_error *err);

#endif
