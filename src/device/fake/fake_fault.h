/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can go wrong in a worker, on demand. docs/scenario.md has the words.
 */
#ifndef MXT_DEVICE_FAKE_FAULT_H
#define MXT_DEVICE_FAKE_FAULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct mxt_error;

enum mxt_fake_site {
	MXT_FAKE_OPEN,
	MXT_FAKE_DESCRIBE,
	MXT_FAKE_PREPARE,
	MXT_FAKE_TIME,
	MXT_FAKE_CHECK,
	MXT_FAKE_SITE_COUNT
};

/* What a fault changes in a call that goes on. */
struct mxt_fake_effect {
	double time_factor;  /* 1: none */
	uint64_t error_ppb;  /* 0: none */
	const char *backend; /* what is said to have computed; "": nothing */
	bool repeatable;     /* whether results are the same in every run */
};

#define MXT_FAKE_EFFECT_NONE                                                                                           \
	{                                                                                                              \
		1, 0, "", true                                                                                         \
	}

struct mxt_fake_fault {
	int (*act)(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err);
	enum mxt_fake_site site;
	uint32_t first, count; /* which calls of the site, from 1 */
	int status;
	uint64_t bytes, ms;
	const char *text; /* borrowed from the scenario */
};

/* One object of a "faults" array. */
int mxt_fake_fault_parse(json_t *json, struct mxt_fake_fault *ret_fault, struct mxt_error *err);

/* Acts when it is due at the given call (from 1) of the site. May not return. */
int mxt_fake_fault_run(const struct mxt_fake_fault *fault, enum mxt_fake_site site, uint32_t call,
		       struct mxt_fake_effect *effect, struct mxt_error *err);

#endif
