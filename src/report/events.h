/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run tells its reader while it goes: plain structs that the orchestrator fills and hands to a sink. The sink
 * (report.h) renders them for a terminal, as plain lines or as JSON lines. Every pointer is borrowed for the call.
 * Times are nanoseconds, shares and gains parts per million.
 *
 * Order of a run: RUN; then per probe PROBE and PROBLEM lines, as often as it races a group of candidates, and CHOICE,
 * after that of products HEURISTIC where something was compared, and PINS where the plan could pin what was found;
 * CONFIRM for each incumbent in each race of the confirm stage; COST, TODAY where a config is known, PLAN. A run that
 * confirms a given plan has CONFIRM and PLAN only. PROGRESS, SKIPPED and NOTE may come at any time.
 */
#ifndef MXT_REPORT_EVENTS_H
#define MXT_REPORT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "choose.h"
#include "problem.h"

enum mxt_event_kind {
	MXT_EVENT_RUN,
	MXT_EVENT_PROBE,
	MXT_EVENT_PROGRESS,
	MXT_EVENT_PROBLEM,
	MXT_EVENT_CHOICE,
	MXT_EVENT_HEURISTIC,
	MXT_EVENT_PINS,
	MXT_EVENT_SKIPPED,
	MXT_EVENT_NOTE,
	MXT_EVENT_CONFIRM,
	MXT_EVENT_COST,
	MXT_EVENT_TODAY,
	MXT_EVENT_PLAN,
	MXT_EVENT_KIND_COUNT
};

/* The run starts; sent first, once. */
struct mxt_event_run {
	const char *workload; /* what is trained, for people: "instella-3b, 2 x 4096 tokens, LoRA 16" */
	const char *device;   /* name of the device: "cpu" */
	uint64_t budget_ns;
	uint64_t seed;
	bool simulated; /* times come from a stand-in: every line with a time says so */
	bool self_test; /* the provider is the built-in one: every decision says so */
};

/* A group of a probe's candidates has raced. Its problems follow. */
struct mxt_event_probe {
	const char *probe;             /* "attention", "gemm" */
	const char *const *candidates; /* names in the order of the cells below; bare first */
	size_t n_candidates;
	size_t n_problems;
	double peak_flops; /* of the device, FLOP/s at this dtype; 0: not known */
};

/* How much of the budget is left; drawn in place on a terminal, not shown in plain lines. */
struct mxt_event_progress {
	const char *phase; /* "attention", "gemm", "confirm": what goes on */
	uint64_t elapsed_ns;
	uint64_t budget_ns;
};

/* What one candidate did on one problem. */
struct mxt_event_cell {
	const char *reason; /* NULL: measured; else why there is no time */
	uint64_t median_ns; /* of one call */
	uint32_t samples;
};

/* One problem with all candidates of its probe side by side. */
struct mxt_event_problem {
	const char *probe;
	const struct mxt_problem *problem;
	const struct mxt_event_cell *cells; /* one per candidate of the probe */
	size_t n_cells;
};

/* A probe is decided. */
struct mxt_event_choice {
	const char *probe;
	const struct mxt_choice *choice;
	const char *incumbent; /* names of choice->incumbent, ->winner, ->best */
	const char *winner;
	const char *best;
};

/* How far the algorithms that the library takes by itself are from the fastest that it offers. */
struct mxt_event_heuristic {
	const char *library;     /* "cuBLASLt 13.1.0" */
	size_t products, ranked; /* in all, and compared */
	uint32_t share_ppm;      /* of the products' time that was compared */
	int32_t gain_ppm;        /* of that time: what the fastest would save; noise may make it negative */
	uint32_t floor_ppm;      /* what the library's choices and their twins differ by */
};

/* Which products the plan pins to a solution of their library. */
struct mxt_event_pins {
	size_t products;   /* 0: none */
	int32_t gain_ppm;  /* of all products' time: what they save */
	int32_t bound_ppm; /* what they surely save */
	const char *rule;  /* why, or why not */
};

/* Something that was left out: a candidate, a problem, a probe, a stage. */
struct mxt_event_skipped {
	const char *what;
	const char *reason;
};

/* Advice or a warning, one sentence. */
struct mxt_event_note {
	const char *text;
};

/* The plan raced against an incumbent on a replayed layer. */
struct mxt_event_confirm {
	const char *against; /* "bare", "yours" */
	const struct mxt_confirm *confirm;
	const char *dropped; /* the decision that goes because the plan was surely slower; NULL: none */
};

/* What the job would do today, and what the plan changes: two halves of a sentence about attention. */
struct mxt_event_today {
	const char *today; /* "flash_attention_2 by flash_attn 2.8.3, documents isolated" */
	const char *plan;  /* "the plan keeps it" */
};

/* What the plan saves of a training step, in all and by probe; zero where nothing was changed. */
struct mxt_event_saving {
	const char *probe;
	int32_t saved_ppm;
	bool unresolved; /* it could not be told whether there is anything to save */
};

struct mxt_event_cost {
	int32_t saved_ppm;
	const struct mxt_event_saving *parts;
	size_t n_parts;
};

/* The plan is on disk; sent last. */
struct mxt_event_plan {
	const char *path;
	const char *plan_id;
	uint64_t elapsed_ns;
	uint64_t budget_ns;
};

struct mxt_event {
	enum mxt_event_kind kind;
	union {
		struct mxt_event_run run;
		struct mxt_event_probe probe;
		struct mxt_event_progress progress;
		struct mxt_event_problem problem;
		struct mxt_event_choice choice;
		struct mxt_event_heuristic heuristic;
		struct mxt_event_pins pins;
		struct mxt_event_skipped skipped;
		struct mxt_event_note note;
		struct mxt_event_confirm confirm;
		struct mxt_event_cost cost;
		struct mxt_event_today today;
		struct mxt_event_plan plan;
	} as;
};

/* Where events go. `emit` NULL: nobody listens. A sink never fails in place: see mxt_report_status() in report.h. */
struct mxt_event_sink {
	void (*emit)(void *context, const struct mxt_event *event);
	void *context;
};

static inline void mxt_emit(const struct mxt_event_sink *sink, const struct mxt_event *event)
{
	if (sink->emit)
		sink->emit(sink->context, event);
}

#endif
