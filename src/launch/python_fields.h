/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields that classes of a Python source declare (`name: type = ...` in the body of a class), as pydantic and
 * dataclasses take them, with their aliases. The source is read as tokens, never run: what is in strings, comments,
 * brackets and functions is no field.
 */
#ifndef MXT_LAUNCH_PYTHON_FIELDS_H
#define MXT_LAUNCH_PYTHON_FIELDS_H

#include <stddef.h>

#include "compiler.h"

/* Part of the source; borrowed, not ended by NUL. */
struct mxt_python_text {
	const char *at;
	size_t len;
};

/* Told what is found, in the order of the source. A negative status ends the scan. */
struct mxt_python_fields_sink {
	/* `bases`: what is in the brackets behind the name; empty when there are none. */
	int (*on_class)(void *context, struct mxt_python_text name, struct mxt_python_text bases);
	/* A field, or one more name of the last field (an alias), with its type as far as the first line has it. */
	int (*on_field)(void *context, struct mxt_python_text class_name, struct mxt_python_text name,
			struct mxt_python_text type);
	void *context;
};

/* Any bytes will do. 0, or what the sink returned. */
int mxt_python_fields(const char *source, size_t len, const struct mxt_python_fields_sink *sink) MXT_WUR;

#endif
