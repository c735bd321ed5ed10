/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the heuristic check to pins: which products the plan fixes to a solution of their library. Internal to src/tune.
 *
 * A product is pinned when its best solution surely saves 5 % of it; the pins together when they surely save 1 % of all
 * products of a step. Otherwise the library goes on choosing, as it does where nothing in the stack reads pins. They
 * are a decision like others: the confirm stage may take them back.
 */
#ifndef MXT_TUNE_PINS_H
#define MXT_TUNE_PINS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_ops.h"
#include "pin.h"
#include "pin_form.h"

struct mxt_error;
struct mxt_field;
struct mxt_session;

#define MXT_PIN_BOUND_PPM  50000 /* of one product */
#define MXT_PINS_BOUND_PPM 10000 /* of all products of a step, by all pins */

/* A product that could be pinned. */
struct mxt_pin_offer {
	struct mxt_pin pin;
	double ns; /* of a step, under the library's own choice */
	int32_t gain_ppm, bound_ppm;
	size_t sample; /* its row of evidence.heuristic.samples */
	bool unseen;   /* it did not show in the confirm stage */
};

struct mxt_pins {
	enum mxt_pin_form form;         /* NONE: this device does not pin, or nothing in this stack reads pins */
	char library[MXT_RANKING_TEXT]; /* whose solutions these are, as gemm.library */
	json_t *built;                  /* owned: decision.gemm.built */
	struct mxt_pin_offer *offers;   /* owned */
	size_t count;
	bool settled, chosen, dropped;
	int32_t gain_ppm, bound_ppm; /* of all products of a step */
	const char *rule;            /* static: why they were chosen, or not */
};

void mxt_pins_finish(struct mxt_pins *pins);

/* decision.gemm.built from a worker's facts and decision.stack: new reference; NULL when memory ran out. */
json_t *mxt_pins_built(const json_t *facts, const json_t *stack);

/*
 * Before the products of `field` are ranked: what reads pins in this stack, from what bare's worker said of its
 * libraries. Where nothing does, that is listed as skipped.
 */
int mxt_pins_begin(struct mxt_session *session, const struct mxt_field *field, struct mxt_error *err);

/* What one ranking found; `ns`: of a step. Its row of evidence is the last one. 0 or -ENOMEM. */
int mxt_pins_offer(struct mxt_session *session, const struct mxt_gemm *product, double ns,
		   const struct mxt_ranking *ranking, struct mxt_error *err);

/* After the probe of products: decides, tells, and keeps it as evidence. Does nothing where no pins could be. */
int mxt_pins_settle(struct mxt_session *session, struct mxt_error *err);

/* True when they were chosen, not taken back, and are of the library that `env` (decision.env) makes torch take. */
bool mxt_pins_ship(const struct mxt_session *session, const json_t *env);

/* Takes out the offers that are marked as unseen, and drops the pins when the rest does not save enough. */
void mxt_pins_drop_unseen(struct mxt_session *session);

/* decision.gemm.pins: new reference; NULL when memory ran out. */
json_t *mxt_pins_json(const struct mxt_pins *pins);

/* Says in the rows of evidence.heuristic which products are pinned. 0 or -ENOMEM. */
int mxt_pins_mark(const struct mxt_pins *pins, json_t *samples);

#endif
