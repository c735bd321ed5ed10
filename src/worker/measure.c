/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <errno.h>
#include <stdbool.h>

#include "clock.h"
#include "error.h"
#include "statistics.h"

#define LAUNCH_NS   (MXT_NS_PER_MS)
#define MAX_REPEATS (UINT32_C(1) << 20)
#define MAX_SAMPLES 4096

struct launch {
	uint32_t repeats;
	uint64_t total_ns;
	double run_ns; /* of one run of the sequence */
};

static int launch_once(const struct mxt_measure *m, struct launch *launch, struct mxt_error *err)
{
	uint64_t ns = 0;
	int rc = m->ops->time(m->device, m->steps, m->n_steps, launch->repeats, &ns, err);
	if (rc < 0)
		return rc;
	launch->total_ns = ns;
	launch->run_ns = (double)ns / launch->repeats;
	return 0;
}

/* Raises repeats so that the next launch spans LAUNCH_NS, judged by the last one; true when it was too short. */
static bool lengthen(struct launch *launch)
{
	if (launch->total_ns >= LAUNCH_NS || launch->repeats == MAX_REPEATS)
		return false;
	/* A tenth more, so that the next launch does not fall short again by noise. */
	double wanted = launch->run_ns > 0 ? 1.1 * (double)LAUNCH_NS / launch->run_ns + 1 : MAX_REPEATS;
	uint32_t repeats = wanted < (double)MAX_REPEATS ? (uint32_t)wanted : MAX_REPEATS;
	launch->repeats = repeats > launch->repeats ? repeats : launch->repeats + 1;
	return true;
}

static bool agree(double a, double b)
{
	double larger = a > b ? a : b, smaller = a > b ? b : a;
	return larger - smaller <= 0.05 * larger;
}

static int warm_up(const struct mxt_measure *m, struct launch *launch, struct mxt_error *err)
{
	double before = -1;
	for (uint64_t spent = 0;;) {
		int rc = launch_once(m, launch, err);
		if (rc < 0)
			return rc;
		spent += launch->total_ns;
		bool settled = before >= 0 && agree(before, launch->run_ns);
		bool too_short = lengthen(launch);
		if (spent >= m->max_warm_ns || (settled && !too_short))
			return 0;
		before = launch->run_ns;
	}
}

static int take_samples(const struct mxt_measure *m, struct launch *launch, double *run_ns, size_t *ret_count,
			struct mxt_error *err)
{
	size_t count = 0;
	uint64_t spent = 0;
	do {
		int rc = launch_once(m, launch, err);
		if (rc < 0)
			return rc;
		if (lengthen(launch))
			continue; /* does not count; the condition below still decides */
		run_ns[count++] = launch->run_ns;
		spent += launch->total_ns;
	} while (count == 0 || (spent < m->target_ns && count < MAX_SAMPLES));
	*ret_count = count;
	return 0;
}

int mxt_measure(const struct mxt_measure *measure, struct mxt_timing *ret_timing, struct mxt_error *err)
{
	struct launch launch = {.repeats = 1};
	double run_ns[MAX_SAMPLES];
	size_t count = 0;
	int rc = measure->max_warm_ns ? warm_up(measure, &launch, err) : 0;
	if (rc == 0)
		rc = take_samples(measure, &launch, run_ns, &count, err);
	if (rc < 0)
		return rc;
	double ns = mxt_median(run_ns, count);
	if (ns < 0.5)
		return mxt_error_set(err, -EIO, MXT_E_DEVICE_TIME,
				     "the device reports a time of 0 ns for %u runs of the sequence", launch.repeats);
	*ret_timing = (struct mxt_timing){(uint64_t)(ns + 0.5), (uint32_t)count, launch.repeats};
	return 0;
}
