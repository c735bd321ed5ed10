/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "sim_scenario.h"

#define NS_PER_S 1e9

static struct mxt_sim_ages *map(const char *path)
{
	MXT_CLEANUP_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(struct mxt_sim_ages)) < 0)
		return NULL;
	void *memory = mmap(NULL, sizeof(struct mxt_sim_ages), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void mxt_sim_pace_init(struct mxt_sim_pace *pace, const struct mxt_sim_scenario *scenario)
{
	const char *shared = scenario->clock.shared;
	uint64_t none = 0;
	pace->ages = shared ? map(shared) : &pace->own;
	if (!pace->ages) {
		(void)fprintf(stderr, "stand-in torch: the clock's file %s cannot be shared\n", shared);
		_Exit(97);
	}
	(void)atomic_compare_exchange_strong(&pace->ages->began_ns, &none, mxt_now_ns(&mxt_clock_monotonic));
}

double mxt_sim_pace_factor(const struct mxt_sim_pace *pace, const struct mxt_sim_scenario *scenario)
{
	const struct mxt_sim_clock *clock = &scenario->clock;
	double device_s = (double)atomic_load(&pace->ages->device_ns) / NS_PER_S, age_s = device_s;
	if (clock->wall)
		age_s = (double)(mxt_now_ns(&mxt_clock_monotonic) - atomic_load(&pace->ages->began_ns)) / NS_PER_S;
	double warm = clock->warm_s > 0 && age_s < clock->warm_s ? age_s / clock->warm_s : 1;
	return (clock->cold_factor + (1 - clock->cold_factor) * warm) * (1 + scenario->drift_per_s * device_s);
}

void mxt_sim_pace_advance(struct mxt_sim_pace *pace, double ns)
{
	(void)atomic_fetch_add(&pace->ages->device_ns, (uint64_t)ns);
}
