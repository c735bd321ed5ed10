/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes wrong on demand: the "faults" of a scenario.
 */
#ifndef MXT_SIM_FAULT_H
#define MXT_SIM_FAULT_H

struct mxt_sim_fault;
struct mxt_sim_scenario;

/* What a fault changes in a call that returns: bits of mxt_sim_outcome.effects. */
enum {
	MXT_SIM_WRONG = 1,     /* some elements of the result are half as large again */
	MXT_SIM_NAN = 2,       /* the first element of the result is not a number */
	MXT_SIM_INSTANT = 4,   /* takes no device time */
	MXT_SIM_FAIL = 8,      /* the call says that it failed, with `code` and `text` */
	MXT_SIM_BREAK = 16,    /* the call says that all is well, and the device answers `code` from then on */
	MXT_SIM_UNSTEADY = 32, /* one element differs a little in every second call */
};

struct mxt_sim_outcome {
	unsigned effects;
	int code;         /* -1: what the called library uses for a failure */
	const char *text; /* borrowed from the scenario; NULL: none is given */
};

/* Acts on every fault that is due at this call; may not return. `calls` counts per fault of the scenario, from 0. */
struct mxt_sim_outcome mxt_sim_fault_run(const struct mxt_sim_scenario *scenario, const char *site, long long *calls);

#endif
