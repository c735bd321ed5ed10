/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_fault_cases.h"

#include <string.h>

struct fault_case {
	const char *fault; /* inside a "faults" array */
	uint64_t limit_ms; /* for the stage that does not answer; 0: ample */
	enum mxt_stage stage;
	enum mxt_outcome outcome;
	const char *reason; /* part of it */
};

static const struct fault_case fault_cases[] = {
    {"{\"fault\": \"crash\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "killed by signal 11"},
    {"{\"fault\": \"crash\", \"at\": \"open\"}", 0, MXT_AT_READY, MXT_FAILED, "before it was ready"},
    {"{\"fault\": \"crash\", \"call\": 3}", 0, MXT_AT_TIME, MXT_FAILED, "killed by signal 11"},
    {"{\"fault\": \"kill\"}", 0, MXT_AT_PREPARE, MXT_FAILED,
     "killed by signal 9 (out of memory? the kernel kills with 9) before it answered"},
    {"{\"fault\": \"exit\", \"at\": \"open\", \"text\": \"libfoo: no such symbol\"}", 0, MXT_AT_READY, MXT_FAILED,
     "exited with status 3 before it was ready: libfoo: no such symbol"},
    {"{\"fault\": \"exit\", \"status\": 0, \"at\": \"time\"}", 0, MXT_AT_PREPARE, MXT_FAILED,
     "exited with status 0 before it answered"},
    {"{\"fault\": \"hang\", \"at\": \"open\"}", 300, MXT_AT_READY, MXT_TIMEOUT, "not ready within 0."},
    {"{\"fault\": \"hang\", \"at\": \"prepare\"}", 300, MXT_AT_PREPARE, MXT_TIMEOUT, "no answer within 0."},
    {"{\"fault\": \"ignore-term\", \"at\": \"time\"}", 300, MXT_AT_PREPARE, MXT_TIMEOUT, "no answer within 0."},
    {"{\"fault\": \"stop\", \"at\": \"time\", \"call\": 2}", 300, MXT_AT_TIME, MXT_TIMEOUT,
     "(something stopped the process)"},
    {"{\"fault\": \"slow\", \"at\": \"open\", \"ms\": 60000}", 300, MXT_AT_READY, MXT_TIMEOUT, "not ready within 0."},
    {"{\"fault\": \"slow\", \"at\": \"open\", \"ms\": 100}", 0, MXT_NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"absent\", \"at\": \"open\", \"text\": \"no such card\"}", 0, MXT_AT_READY, MXT_UNSUPPORTED,
     "no such card"},
    {"{\"fault\": \"fail\", \"at\": \"open\", \"text\": \"broken driver\"}", 0, MXT_AT_READY, MXT_FAILED,
     "broken driver"},
    {"{\"fault\": \"fail\", \"at\": \"describe\"}", 0, MXT_AT_READY, MXT_FAILED, "the scenario asked for this"},
    {"{\"fault\": \"fail\", \"at\": \"check\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "the scenario asked for this"},
    {"{\"fault\": \"no-memory\", \"at\": \"prepare\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "memory ran out"},
    {"{\"fault\": \"no-time\", \"count\": 1000}", 0, MXT_AT_TIME, MXT_FAILED, "a time of 0 ns"},
    {"{\"fault\": \"too-fast\", \"count\": 1000}", 0, MXT_NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"backend\", \"text\": \"cudnn\", \"at\": \"check\"}", 0, MXT_NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"backend\", \"text\": \"two words\", \"at\": \"check\"}", 0, MXT_AT_PREPARE, MXT_FAILED,
     "gave an answer that the protocol cannot carry"},
    {"{\"fault\": \"garbage\", \"text\": \"hello there, how are you?\"}", 0, MXT_AT_PREPARE, MXT_FAILED,
     "sent garbage (bad magic)"},
    {"{\"fault\": \"garbage\", \"text\": \"x\", \"at\": \"open\"}", 0, MXT_AT_READY, MXT_FAILED,
     "sent garbage (a message shorter than its header)"},
    {"{\"fault\": \"oversize\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "sent garbage (a message larger than 64 KiB)"},
    {"{\"fault\": \"truncated\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "sent garbage (a message whose length is not"},
    {"{\"fault\": \"pass-descriptor\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "sent garbage (descriptors)"},
    {"{\"fault\": \"close-socket\"}", 0, MXT_AT_PREPARE, MXT_FAILED, "closed its socket before it answered"},
    {"{\"fault\": \"leave-child\", \"status\": 5}", 0, MXT_AT_PREPARE, MXT_FAILED, "exited with status 5"},
    {"{\"fault\": \"print\", \"bytes\": 5000000, \"at\": \"open\"}", 0, MXT_NOWHERE, MXT_OK, ""},
    {"{\"fault\": \"print\", \"bytes\": 5000000, \"count\": 1000}", 0, MXT_NOWHERE, MXT_OK, ""},
};

static void check_case(struct mxt_worker_fixture *fixture, const struct fault_case *expected)
{
	mxt_fixture_fault(fixture, expected->fault);
	struct mxt_worker_spec spec = mxt_fixture_spec(fixture, "bare");
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	enum mxt_outcome outcome = MXT_OK;
	enum mxt_stage stage = mxt_fixture_course(worker, expected->limit_ms ? expected->stage : MXT_NOWHERE,
						  expected->limit_ms, &outcome);
	if (stage != expected->stage || outcome != expected->outcome ||
	    !strstr(mxt_worker_reason(worker), expected->reason))
		fail_msg("%s: stage %d, %s, reason '%s'", expected->fault, (int)stage, mxt_outcome_name(outcome),
			 mxt_worker_reason(worker));
	assert_int_equal(mxt_worker_alive(worker), stage == MXT_NOWHERE);
	if (stage != MXT_NOWHERE && stage != MXT_AT_READY) { /* a dead worker repeats its outcome */
		struct mxt_timing timing;
		assert_int_equal(mxt_fixture_time(worker, 1, 0, &timing), outcome);
	}
	mxt_fixture_destroy(worker);
}

void mxt_fault_cases_run(struct mxt_worker_fixture *fixture)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(fault_cases); i++)
		check_case(fixture, &fault_cases[i]);
}
