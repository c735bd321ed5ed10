/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stages of one tuning run share. Internal to src/tune.
 */
#ifndef MXT_TUNE_SESSION_H
#define MXT_TUNE_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "choose.h"
#include "collective.h"
#include "device_ops.h"
#include "environment.h"
#include "events.h"
#include "exposure.h"
#include "field.h"
#include "json.h"
#include "new_lengths.h"
#include "pins.h"
#include "rng.h"
#include "sysroot.h"
#include "tune.h"
#include "workload.h"

/* What one probe came to. Names are borrowed from `candidates` or static. */
struct mxt_probe_result {
	bool done;
	struct mxt_candidate_list candidates;
	const struct mxt_candidate *winner; /* NULL: the incumbent ships */
	const char *winner_name;            /* what ships, if `dropped` does not say otherwise */
	const char *incumbent_name;         /* "bare" or "yours" */
	const char *best_name;              /* the fastest challenger, or the incumbent */
	struct mxt_choice choice;           /* its rule may be borrowed from `lengths` */
	struct mxt_new_lengths lengths;
	/* What computed the first problem under bare and under yours; "" where nobody tells. */
	char bare_backend[MXT_BACKEND_TEXT], yours_backend[MXT_BACKEND_TEXT], winner_backend[MXT_BACKEND_TEXT];
	double incumbent_step_ns; /* estimate: this probe's time in one real training step, under the incumbent */
	bool ships_bare;          /* `yours` was the incumbent and lost to bare */
	bool dropped;             /* chosen alone, but not confirmed on the layer */
	bool empty;               /* nothing of this kind is modelled, or was held against it: nothing is planned */
};

/* What the heuristic check came to: how far the library's own choices are from the fastest that it offers. */
struct mxt_heuristic {
	bool done;
	size_t products, ranked;        /* of the workload, and how many of them were compared */
	double total_ns, ranked_ns;     /* of a step in all products, and in those that were compared */
	double gain_ns, floor_ns;       /* of a step: what the fastest would save, and what twins differ by */
	char library[MXT_RANKING_TEXT]; /* "cuBLASLt 13.1.0" */
	json_t *samples;                /* owned: one row per product that was compared */
};

/* Shares in ppm: of all products' time that was compared; of the compared time, the gain and the noise. */
uint32_t mxt_heuristic_share_ppm(const struct mxt_heuristic *heuristic);
int32_t mxt_heuristic_gain_ppm(const struct mxt_heuristic *heuristic);
uint32_t mxt_heuristic_floor_ppm(const struct mxt_heuristic *heuristic);

/* True when the probe changes something against its incumbent and was not taken back. */
bool mxt_probe_ships(const struct mxt_probe_result *result);

struct mxt_session {
	const struct mxt_tune_request *request;
	struct mxt_inventory inventory;
	struct mxt_problem_set set;
	struct mxt_exposure exposure; /* how often lengths are new */
	struct mxt_rng rng;
	char **bare;        /* owned: the caller's environment without selectors, and what is required */
	char **mine;        /* owned: the caller's environment, and what is required */
	json_t *required;   /* owned: what every environment must hold, and the plan's, for results to repeat */
	json_t *yours;      /* owned: the selectors of this device's stack that the caller sets */
	json_t *contract;   /* owned: the contract variables in force */
	bool yours_differs; /* `yours` is not empty, or the config asks for other kernels, which can be tried here */
	/* Who computes the incumbents' attention; NULL: the device itself. As in struct mxt_candidate. */
	const char *bare_provider, *yours_provider;
	unsigned excuses;   /* how many of them could not run here and were replaced */
	bool yours_unheld;  /* what the job runs could not be started here: nothing is planned in its place */
	bool stand_in;      /* a worker found that what it computes with stands in for hardware */
	uint64_t latest_ns; /* until when the stage at work may last where nothing could be tried in its own time */
	struct mxt_probe_result probes[MXT_PROBLEM_KIND_COUNT];
	struct mxt_heuristic heuristic;
	struct mxt_pins pins;
	char *handoffs; /* owned: the folder of hand-off files that race; NULL: none was needed yet */
	struct mxt_collective_answer collective;
	/* Evidence so far; owned arrays. */
	json_t *samples, *choices, *witnesses, *health, *skipped, *first_calls, *warm_ups;
	uint64_t warmed_ns;  /* spent on warming the device up, in all */
	bool health_checked; /* the device was held against the floor of its kind, or excused */
};

/*
 * Borrows the request. MXT_E_PLAN_VALUE when the environment holds what no plan could keep; else statuses of the device
 * and of the workload. To be released with mxt_session_finish() in every case.
 */
int mxt_session_init(struct mxt_session *session, const struct mxt_tune_request *request, struct mxt_error *err);
void mxt_session_finish(struct mxt_session *session);

/*
 * True when `yours` races beside bare in the probe of this kind, or on the layer (MXT_PROBLEM_KIND_COUNT). Matrix
 * products do not depend on who computes attention.
 */
bool mxt_session_yours_races(const struct mxt_session *session, enum mxt_problem_kind kind);

/*
 * Who computes the attention of this incumbent cannot run here: yours then races with bare's, bare with the device's
 * own. It is told and listed. Unsupported: it cannot do this, for the job neither. Never ready: who knows; then what
 * the job runs is not replaced. 0 or -ENOMEM.
 */
int mxt_session_excuse(struct mxt_session *session, const struct mxt_entry *entry, struct mxt_error *err);

/*
 * Makes `field` an empty one of this session, on its device; `course` is borrowed. `probe`: what its workers are for,
 * as in struct mxt_device_target.
 */
void mxt_session_field(struct mxt_session *session, const struct mxt_course *course, const char *probe,
		       struct mxt_field *field);

/* probe.c: who could be chosen in one probe, into session->probes[kind]; those that may not compete say why. */
int mxt_session_candidates(struct mxt_session *session, enum mxt_problem_kind kind, struct mxt_error *err);

/*
 * probe.c: races one probe's candidates until `end_ns`; fills session->probes[kind] and the evidence.
 * MXT_E_PROBE_FAILED when an incumbent failed, MXT_E_BUDGET when there was no time to measure the incumbents once.
 */
int mxt_session_probe(struct mxt_session *session, enum mxt_problem_kind kind, uint64_t end_ns, struct mxt_error *err);

/*
 * heuristic.c: has the live worker of bare compare the algorithms of the products that take most of the step, for a
 * part of the budget, where the device can. What goes wrong there is noted and fails nothing.
 */
int mxt_session_rank(struct mxt_session *session, const struct mxt_field *field, struct mxt_error *err);

/*
 * warm_up.c: keeps a device that asks for it (ops->ramp_ns) busy with the field's prepared work, under bare, until its
 * times agree for a second, or a tenth of the budget is spent on that in all. Recorded in the evidence. Returns as
 * mxt_field_round().
 */
int mxt_session_warm_up(struct mxt_session *session, struct mxt_field *field, struct mxt_error *err);

/*
 * health.c: holds the device against what healthy ones of its kind do (health_floors.def), once, with the live worker
 * of bare, whose last work it is: where the product fails, that worker ends. It is told, and decides nothing.
 */
int mxt_session_check_health(struct mxt_session *session, struct mxt_field *field, struct mxt_error *err);

/*
 * deterministic.c, for a job whose results must repeat (else nothing is done): fills session->required; tells what the
 * job must do itself, and keeps it as evidence. 0 or -ENOMEM.
 */
int mxt_session_require(struct mxt_session *session, struct mxt_error *err);
int mxt_session_note_duty(struct mxt_session *session, struct mxt_error *err);

/* confirm.c: races the plan as it stands against the incumbents on one layer; takes back what does not hold. */
int mxt_session_confirm(struct mxt_session *session, struct mxt_error *err);

/* The environment that the decisions so far export: an object of strings (new reference); NULL when memory ran out. */
json_t *mxt_session_plan_env(const struct mxt_session *session);

/* What the decision calls the library of products under `env` (decision.env; NULL: nothing is exported). */
const char *mxt_session_gemm_library(const struct mxt_session *session, const json_t *env);

/* decision as it stands: new reference; NULL when memory ran out. */
json_t *mxt_session_decision(const struct mxt_session *session);

/* Who computes attention under the decisions so far, as in struct mxt_candidate. */
const char *mxt_session_plan_provider(const struct mxt_session *session);

/*
 * against.c: races the request's plan as it is. MXT_E_PLAN_MISMATCH when it was made for something else,
 * MXT_E_DISAGREES (with *ret_plan set) when it does not hold here.
 */
int mxt_session_against(struct mxt_session *session, json_t **ret_plan, struct mxt_error *err);

/* plan_build.c: the session's own decision, or a given one, with the session's evidence, sealed. */
int mxt_session_seal(const struct mxt_session *session, json_t **ret_plan, struct mxt_error *err);
int mxt_session_seal_as(const struct mxt_session *session, const json_t *decision, json_t **ret_plan,
			struct mxt_error *err);

/* decision.stack: the device's, and what the plan's attention computes with. As above. */
json_t *mxt_session_stack_json(const struct mxt_session *session);

/* decision.workload with the scale that was applied: new reference; NULL when memory ran out. */
json_t *mxt_session_workload_json(const struct mxt_session *session);

/* evidence.c: each appends to a list of the session. 0 or -ENOMEM. */
int mxt_evidence_samples(struct mxt_session *session, const char *probe, const struct mxt_field *field,
			 struct mxt_error *err);
int mxt_evidence_choice(struct mxt_session *session, const char *probe, const struct mxt_probe_result *result,
			struct mxt_error *err);
int mxt_evidence_ranking(struct mxt_session *session, const struct mxt_problem *problem,
			 const struct mxt_ranking *ranking, struct mxt_error *err);
int mxt_evidence_first_calls(struct mxt_session *session, const char *probe, const struct mxt_field *field,
			     struct mxt_error *err);
int mxt_evidence_witnesses(struct mxt_session *session, const char *probe, const struct mxt_field *field,
			   struct mxt_error *err);
int mxt_evidence_text(json_t *list, struct mxt_error *err, const char *fmt, ...) MXT_PRINTF(3, 4);

#endif
