/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every fault of the fake device that costs a worker, or must not, and what the supervisor says about it.
 */
#ifndef MXT_TESTS_WORKER_FAULT_CASES_H
#define MXT_TESTS_WORKER_FAULT_CASES_H

#include "worker_fixture.h"

/* One worker for each; the test fails when stage, outcome or reason are not the ones of the table. */
void mxt_fault_cases_run(struct mxt_worker_fixture *fixture);

#endif
