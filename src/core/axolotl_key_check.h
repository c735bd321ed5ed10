/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say about one key at the top of an Axolotl config: that nobody reads it (axolotl_keys.def, or the
 * keys of an installed Axolotl), or that a number in it stays text.
 */
#ifndef MXT_CORE_AXOLOTL_KEY_CHECK_H
#define MXT_CORE_AXOLOTL_KEY_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_yaml_entry;

/* The keys that the trainer reads; zeroed: those of axolotl_keys.def. */
struct mxt_axolotl_keys {
	const void *list; /* borrowed */
	size_t count;
	const char *(*name_at)(const void *list, size_t i); /* NULL: axolotl_keys.def */
	bool (*knows)(const void *list, const char *name);
	const char *version; /* "0.19.0": whose keys they are; "" or NULL: not known */
};

/* Told a sentence without its place. A negative status ends the check. */
struct mxt_axolotl_key_sink {
	int (*say)(void *context, size_t line, const char *sentence);
	void *context;
};

/* 0, or what the sink returned; -ENOMEM. */
int mxt_axolotl_key_check(const struct mxt_yaml_entry *entry, const struct mxt_axolotl_keys *keys,
			  const struct mxt_axolotl_key_sink *sink) MXT_WUR;

/* Is it a row of axolotl_keys.def? */
bool mxt_axolotl_key_is_listed(const char *name);

#endif
