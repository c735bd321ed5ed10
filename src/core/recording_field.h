/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a recording, as a table (recording_fields.def), and the check that a document keeps to it. What is
 * allowed by itself is checked here; what must fit together, by mxt_recording_parse().
 */
#ifndef MXT_CORE_RECORDING_FIELD_H
#define MXT_CORE_RECORDING_FIELD_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_json_path;

enum mxt_recording_object {
	MXT_RECORDING_FILE,
	MXT_RECORDING_CALL,
	MXT_RECORDING_TENSOR,
	MXT_RECORDING_DOCUMENTS,
	MXT_RECORDING_MISSED,
	MXT_RECORDING_OBJECT_COUNT,
};

/* How many calls a file may describe, and how long its order may be. */
#define MXT_RECORDING_MAX_CALLS 16384
#define MXT_RECORDING_MAX_ORDER 32768

/* 0 when the value, found at `path`, is such an object and all below keeps to the table; else MXT_E_RECORDING. */
int mxt_recording_object_check(enum mxt_recording_object object, const json_t *value, const struct mxt_json_path *path,
			       struct mxt_error *err) MXT_WUR;

#endif
