/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of workers share: a scenario file, a supervisor's calls with their plain outcomes, and the proof that
 * no process and no descriptor is left. Every such test program is its own worker: its main() begins with
 * mxt_worker_fixture_main().
 */
#ifndef MXT_TESTS_WORKER_FIXTURE_H
#define MXT_TESTS_WORKER_FIXTURE_H

#include "cmocka_all.h"
#include "worker.h"

#define MXT_FIXTURE_VARIABLES 8

struct mxt_worker_fixture {
	char path[64];                                /* the scenario file */
	char program[512];                            /* this one; under valgrind /proc/self/exe is another */
	char variables[MXT_FIXTURE_VARIABLES][512];   /* MINDXTRAIN_FAKE_SCENARIO=path, then what was added */
	char *environment[MXT_FIXTURE_VARIABLES + 1]; /* the same */
	size_t n_fds;                                 /* before the test */
};

/* When started as `… worker …`: becomes one, and does not return. */
void mxt_worker_fixture_main(int argc, char **argv);

/*
 * *state is the fixture. This process becomes the subreaper of all that it starts: the teardown fails the test when a
 * child, a child of a child, or a descriptor is left.
 */
int mxt_worker_fixture_setup(void **state);
int mxt_worker_fixture_teardown(void **state);

#define MXT_WORKER_TEST(function)                                                                                      \
	cmocka_unit_test_setup_teardown(function, mxt_worker_fixture_setup, mxt_worker_fixture_teardown)

void mxt_fixture_scenario(const struct mxt_worker_fixture *fixture, const char *json);

/* The scenario {"bare": {"gemm": {"faults": [fault]}}}. */
void mxt_fixture_fault(const struct mxt_worker_fixture *fixture, const char *fault);

/* Adds "NAME=value" to what workers get. */
void mxt_fixture_variable(struct mxt_worker_fixture *fixture, const char *assignment);

/* For this program, the fixture's environment, the real clock and no cancelling. */
struct mxt_worker_spec mxt_fixture_spec(struct mxt_worker_fixture *fixture, const char *label);

uint64_t mxt_in_ms(uint64_t ms); /* a deadline on the real clock */

/* Each fails the test on a status that is a fault of ours. Times are limits, not expectations. */
struct mxt_worker *mxt_fixture_start(const struct mxt_worker_spec *spec);
enum mxt_outcome mxt_fixture_ready(struct mxt_worker *worker, uint64_t ms);
/* A product of 1e6 FLOPs: 11000 ns on the fake device, unless the scenario says otherwise. */
enum mxt_outcome mxt_fixture_prepare(struct mxt_worker *worker, uint32_t id, uint64_t ms,
				     struct mxt_prepared *ret_prepared);
enum mxt_outcome mxt_fixture_time(struct mxt_worker *worker, uint32_t id, uint64_t ms, struct mxt_timing *ret_timing);
void mxt_fixture_destroy(struct mxt_worker *worker);

/* start, ready and prepare of problem 0; all must be ok. */
struct mxt_worker *mxt_fixture_start_prepared(struct mxt_worker_fixture *fixture, const char *label);

enum mxt_stage { MXT_AT_READY, MXT_AT_PREPARE, MXT_AT_TIME, MXT_NOWHERE };

/* ready, prepare, time: how far it comes, and the outcome there. One stage may get a limit of its own. */
enum mxt_stage mxt_fixture_course(struct mxt_worker *worker, enum mxt_stage limited, uint64_t limit_ms,
				  enum mxt_outcome *ret_outcome);

size_t mxt_count_fds(void);
bool mxt_has_children(void); /* zombies count */
bool mxt_under_valgrind(void);

#endif
