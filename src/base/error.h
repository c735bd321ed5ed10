/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one error idiom. A fallible function takes `struct mxt_error *err` last and returns 0, or a negative errno
 * value after filling *err. On success *err is left alone and all ret_* outputs are written; on failure no ret_*
 * output is written. err may be NULL when only the status matters.
 *
 * An error has a permanent id (errors.def), an errno-like status, and a text that says what is wrong, where, and
 * what to do. Context is added at module borders with mxt_error_wrap(). Nothing below src/cli prints errors.
 */
#ifndef MXT_BASE_ERROR_H
#define MXT_BASE_ERROR_H

#include "compiler.h"

enum mxt_error_class {
	MXT_CLASS_INTERNAL,  /* I/O, memory, internal */
	MXT_CLASS_USAGE,     /* command line */
	MXT_CLASS_INPUT,     /* bad input file */
	MXT_CLASS_DEVICE,    /* no usable device */
	MXT_CLASS_MISMATCH,  /* plan does not fit machine, stack or workload */
	MXT_CLASS_PROBE,     /* a required probe failed, budget too small */
	MXT_CLASS_VERIFY,    /* verification failed */
	MXT_CLASS_INTERRUPT, /* ended by a signal */
};

enum mxt_error_id {
	MXT_E_NONE = 0,
#define MXT_ERROR(name, number, class, meaning) MXT_E_##name = (number),
#include "errors.def"
#undef MXT_ERROR
};

/* Initialise with MXT_ERROR_INIT; release with mxt_error_clear() or MXT_CLEANUP(mxt_error_clear). */
struct mxt_error {
	int status; /* negative errno value, 0 when unset */
	enum mxt_error_id id;
	char *text; /* owned; NULL when unset or when memory ran out while it was made */
};

#define MXT_ERROR_INIT                                                                                                 \
	{                                                                                                              \
		0, MXT_E_NONE, NULL                                                                                    \
	}
#define MXT_CLEANUP_ERROR MXT_CLEANUP(mxt_error_clear)

/* Fills *err (replacing what it held) and returns `status`, which must be negative. */
int mxt_error_set(struct mxt_error *err, int status, enum mxt_error_id id, const char *fmt, ...) MXT_PRINTF(4, 5);

/* Prefixes the text with "<context>: " and keeps the id. Returns `status`, what the call that failed returned. */
int mxt_error_wrap(struct mxt_error *err, int status, const char *fmt, ...) MXT_PRINTF(3, 4);

/* Shorthand for the out-of-memory error, made without allocating; returns -ENOMEM. */
int mxt_error_oom(struct mxt_error *err);

/* Shorthand for a failed call: text is "<what>: <strerror(errnum)>"; errnum is positive. Returns -errnum. */
int mxt_error_errno(struct mxt_error *err, int errnum, const char *fmt, ...) MXT_PRINTF(3, 4);

/* Moves *from into *to (which is cleared first); *from is empty afterwards. */
void mxt_error_move(struct mxt_error *to, struct mxt_error *from);

/* Releases the text and resets; NULL-tolerant. */
void mxt_error_clear(struct mxt_error *err);

/* The text, never NULL. */
const char *mxt_error_text(const struct mxt_error *err);

/* "MXT-104" form of an id into buf (at least 12 bytes); returns buf. */
const char *mxt_error_id_text(enum mxt_error_id id, char buf[12]);

/* Class and one-line meaning of an id (errors.def). */
enum mxt_error_class mxt_error_class_of(enum mxt_error_id id);
const char *mxt_error_meaning(enum mxt_error_id id);

#ifdef MXT_STATIC_ANALYSIS
#include <stdlib.h>
/* Analyzers see one file at a time, and would follow failures as if they were successes: tell them what is negative. */
static inline int mxt_error_negative_(int status)
{
	if (status >= 0)
		abort();
	return status;
}
#define mxt_error_set(...)   mxt_error_negative_(mxt_error_set(__VA_ARGS__))
#define mxt_error_wrap(...)  mxt_error_negative_(mxt_error_wrap(__VA_ARGS__))
#define mxt_error_oom(...)   mxt_error_negative_(mxt_error_oom(__VA_ARGS__))
#define mxt_error_errno(...) mxt_error_negative_(mxt_error_errno(__VA_ARGS__))
#endif

#endif
