/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor's side of one worker process: start it under a candidate's environment, ask it things under
 * deadlines, pause it, end it. Nothing that a worker does can harm its supervisor: a crash, hang, garbage or early exit
 * becomes an outcome with a reason.
 */
#ifndef MXT_WORKER_WORKER_H
#define MXT_WORKER_WORKER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "device_ops.h"
#include "problem.h"

struct mxt_clock;
struct mxt_error;
struct mxt_worker;

enum mxt_outcome { MXT_OK, MXT_UNSUPPORTED, MXT_FAILED, MXT_TIMEOUT };

const char *mxt_outcome_name(enum mxt_outcome outcome); /* "ok", "unsupported", "failed", "timeout" */

/* How to start one. All pointers are borrowed until mxt_worker_start() returns. */
struct mxt_worker_spec {
	const char *label;  /* candidate name, for reasons */
	const char *device; /* device_ops name */
	struct mxt_device_target target;
	const char *provider;     /* NULL: the device itself; else who computes in the Python worker */
	char *const *environment; /* NULL-ended, complete */
	const struct mxt_clock *clock;
	int cancel_fd;       /* readable once the run must stop; -1 for none */
	const char *program; /* run as `program worker …`; NULL: this binary itself */
};

/*
 * Starts the process and returns at once; negative statuses are faults of ours (fork, sockets), not of the worker. Call
 * from the main thread only (PDEATHSIG follows the forking thread).
 */
int mxt_worker_start(const struct mxt_worker_spec *spec, struct mxt_worker **ret_worker, struct mxt_error *err) MXT_WUR;

/*
 * Requests. Each takes an absolute deadline on the spec's clock and returns 0 with *ret_outcome set, or -ECANCELED when
 * cancel_fd became readable, or another negative status for a fault of ours. After any outcome but MXT_OK of ready(),
 * or MXT_FAILED/MXT_TIMEOUT of a request, the worker is dead and mxt_worker_reason() says why. A request to a dead
 * worker returns its last outcome again. After -ECANCELED only destroy is useful. A paused worker is resumed first.
 */
int mxt_worker_ready(struct mxt_worker *worker, uint64_t deadline_ns, enum mxt_outcome *ret_outcome,
		     struct mxt_error *err) MXT_WUR;

struct mxt_prepared {
	uint64_t first_call_ns;
	struct mxt_check check;
};

/*
 * `id` < MXT_WORKER_MAX_PROBLEMS is the caller's; preparing an id again replaces it. MXT_UNSUPPORTED keeps the worker
 * alive. Whether the result is right (ret_prepared->check) is the caller's to judge.
 */
#define MXT_WORKER_MAX_PROBLEMS 256
int mxt_worker_prepare(struct mxt_worker *worker, uint32_t id, const struct mxt_problem *problem, uint64_t deadline_ns,
		       enum mxt_outcome *ret_outcome, struct mxt_prepared *ret_prepared, struct mxt_error *err) MXT_WUR;

/* One element of a timed sequence, by problem id; MXT_WORKER_FILLER streams filler_bytes instead. */
#define MXT_WORKER_FILLER    UINT32_MAX
#define MXT_WORKER_MAX_STEPS 1024
struct mxt_sequence_step {
	uint32_t id;
	uint64_t filler_bytes;
};

struct mxt_timing {
	uint64_t ns;      /* per run of the sequence: the median of the timed launches */
	uint32_t samples; /* timed launches */
	uint32_t repeats; /* runs of the sequence inside one timed launch */
};

/*
 * Untimed launches until two agree (at most `max_warm_ns` of them; 0: none), then timed launches, each spanning at
 * least 1 ms, for about `target_ns`, at least one.
 */
struct mxt_time_request {
	const struct mxt_sequence_step *steps;
	size_t n_steps;
	uint64_t max_warm_ns;
	uint64_t target_ns;
};
int mxt_worker_time(struct mxt_worker *worker, const struct mxt_time_request *request, uint64_t deadline_ns,
		    enum mxt_outcome *ret_outcome, struct mxt_timing *ret_timing, struct mxt_error *err) MXT_WUR;

/*
 * Compares the algorithms that the library offers for a product that was prepared, for about `limit_ns`; see
 * device_ops.rank. MXT_UNSUPPORTED keeps the worker alive.
 */
#define MXT_WORKER_MAX_ALGORITHMS 8192
#define MXT_WORKER_MAX_FLOOR_PPM  UINT32_C(1000000)
int mxt_worker_rank(struct mxt_worker *worker, uint32_t id, uint64_t limit_ns, uint64_t deadline_ns,
		    enum mxt_outcome *ret_outcome, struct mxt_ranking *ret_ranking, struct mxt_error *err) MXT_WUR;

/* SIGSTOP / SIGCONT; both idempotent. */
void mxt_worker_pause(struct mxt_worker *worker);
void mxt_worker_resume(struct mxt_worker *worker);

/* Valid until the worker is destroyed. facts: borrowed, NULL before ready. reason: never NULL. */
const json_t *mxt_worker_facts(const struct mxt_worker *worker);
const char *mxt_worker_reason(const struct mxt_worker *worker);

/* Appends what the process printed last, at most 8 KiB, made printable (line feeds stay). */
void mxt_worker_output(const struct mxt_worker *worker, struct mxt_buf *buf);

const char *mxt_worker_label(const struct mxt_worker *worker);
bool mxt_worker_alive(const struct mxt_worker *worker);
pid_t mxt_worker_pid(const struct mxt_worker *worker);

/*
 * Asks it to quit, then TERM, grace, KILL, reap. Returns 0, or -EBUSY with the pid in err when the process could not be
 * ended (state D). Frees in every case; NULL-tolerant.
 */
int mxt_worker_destroy(struct mxt_worker *worker, struct mxt_error *err);

/* Where a worker process finds its end of the socket pair. */
#define MXT_WORKER_SOCKET_FD 3

/* The worker process itself: never returns. `socket_fd` is its end of the pair. */
MXT_NORETURN void mxt_worker_main(const char *device, const struct mxt_device_target *target, int socket_fd);

#endif
