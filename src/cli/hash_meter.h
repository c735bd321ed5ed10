/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user sees while files are hashed, and how they stop it. On a terminal, one line that is redrawn: a bar, rate,
 * time left and the file. Elsewhere a line every ten seconds. Signals end the work in an orderly way.
 *
 *	struct mxt_hash_meter meter;
 *	rc = mxt_hash_meter_start(&meter, &request, err);
 *	if (rc == 0) {
 *		rc = mxt_manifest_create(...meter.watch..., err);
 *		rc = mxt_hash_meter_end(&meter, rc, err);
 *	}
 */
#ifndef MXT_CLI_HASH_METER_H
#define MXT_CLI_HASH_METER_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "clock.h"
#include "compiler.h"
#include "hash_files.h"
#include "style.h"

struct mxt_error;

struct mxt_hash_meter_request {
	FILE *out;                     /* NULL: nothing is shown */
	char *const *environment;      /* the terminal's TERM, COLUMNS, the locale */
	const struct mxt_clock *clock; /* NULL: mxt_clock_monotonic */
};

struct mxt_hash_meter {
	struct mxt_hash_watch watch; /* for whoever hashes; several may one after the other */
	FILE *out;
	struct mxt_style style;
	const struct mxt_clock *clock;
	int interrupt_fd;
	int signal;                  /* that stopped the work; 0: none */
	sigset_t mask;               /* before the start */
	uint64_t start_ns;           /* of the first look */
	uint64_t marked_ns, next_ns; /* when the rate was taken, and when something is shown again */
	uint64_t marked_bytes;       /* done when the rate was taken */
	uint64_t rate;               /* bytes per second; 0: not known yet */
	bool shown;                  /* a line stands on the terminal */
};

/* Watches for signals (interrupt.h) from here on. The meter must stay where it is until its end. */
int mxt_hash_meter_start(struct mxt_hash_meter *meter, const struct mxt_hash_meter_request *request,
			 struct mxt_error *err) MXT_WUR;

/*
 * Takes the line away and lets signals do again what they did before. Returns `rc`, that of the work; where a signal
 * ended it (-ECANCELED), *err says so, and the exit status becomes 128 + its number.
 */
int mxt_hash_meter_end(struct mxt_hash_meter *meter, int rc, struct mxt_error *err) MXT_WUR;

#endif
