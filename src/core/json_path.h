/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a JSON document: frames on the C stack, linked to the frame that holds them. Rendered as
 * `decision.env.LD_PRELOAD` or `evidence.samples[3].n`.
 */
#ifndef MXT_CORE_JSON_PATH_H
#define MXT_CORE_JSON_PATH_H

#include <stddef.h>

#include "buf.h"

struct mxt_error;

struct mxt_json_path {
	const struct mxt_json_path *parent; /* NULL: the document itself, which has neither key nor index */
	const char *key;                    /* member of an object; NULL: element of an array */
	size_t index;
};

#define MXT_JSON_ROOT                                                                                                  \
	{                                                                                                              \
		NULL, NULL, 0                                                                                          \
	}

/*
 * Appends the path; the document itself is "the top level". Keys come from untrusted files: whatever is not plain is
 * quoted and escaped to printable ASCII, and long keys are cut.
 */
void mxt_json_path_text(const struct mxt_json_path *path, struct mxt_buf *buf);

/*
 * Puts the path in front of *err, which was just set; returns `status`: `return mxt_json_at(path, mxt_error_set(...),
 * err)`.
 */
int mxt_json_at(const struct mxt_json_path *path, int status, struct mxt_error *err);

#endif
