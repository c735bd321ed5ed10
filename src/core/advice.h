/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say about an environment, by whoever looks at one: `doctor` makes findings of it, the launch makes
 * remarks. Values of variables are in none of it.
 */
#ifndef MXT_CORE_ADVICE_H
#define MXT_CORE_ADVICE_H

enum mxt_advice_kind {
	MXT_ADVICE_NOTE,
	MXT_ADVICE_WARN,
	MXT_ADVICE_CONTRADICTION, /* what is set cannot all be meant */
	MXT_ADVICE_MISMATCH,      /* it cannot hold for this job */
};

struct mxt_advice {
	enum mxt_advice_kind kind;
	const char *what;  /* is there; printable */
	const char *wrong; /* with it */
	const char *todo;  /* "" where nothing needs doing */
};

/* Takes one; the texts live as long as the call. `advice` NULL: memory ran out while one was made. */
struct mxt_advice_sink {
	void (*take)(void *context, const struct mxt_advice *advice);
	void *context;
};

#endif
