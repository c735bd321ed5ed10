/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_runtime.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "rng.h"
#include "sim_clock.h"
#include "sim_scenario.h"
#include "sim_vendor.h"

#define MAX_SHAPES 4096
#define NS_PER_S   1e9

const char mxt_stand_in[] = "stand-in";

/* A library is its process's: this is the device, there is no other. */
static struct {
	bool ready, used;
	struct mxt_sim_scenario scenario;
	long long *fault_calls; /* by fault of the scenario */
	struct mxt_rng rng;
	double process_deviate; /* standard normal, for life */
	struct mxt_sim_pace pace;
	double now_ns, slept_ns;
	uint64_t taken_bytes;
	uint64_t shapes[MAX_SHAPES]; /* those launched so far */
	size_t n_shapes;
	int broken; /* status that everything answers; 0: sound */
} device;

uint64_t mxt_sim_hash(uint64_t start, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < len; i++)
		start = (start ^ at[i]) * UINT64_C(0x100000001b3);
	return start;
}

/*
 * As on the fake device: processes draw noise of their own, and with a seed the same in every run; what tells a
 * worker from its twin is its command line.
 */
static uint64_t noise_seed(int64_t seed)
{
	char text[1024];
	MXT_CLEANUP_CLOSE int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text) : 0;
	uint64_t hash = mxt_sim_hash(MXT_SIM_HASH_START, text, len > 0 ? (size_t)len : 0);
	if (seed >= 0)
		return hash ^ (uint64_t)seed;
	return hash ^ (uint64_t)getpid() << 32 ^ mxt_now_ns(&mxt_clock_monotonic);
}

static void make_ready(void)
{
	if (device.ready)
		return;
	device.ready = true;
	mxt_sim_scenario_read(&device.scenario);
	device.fault_calls = calloc(device.scenario.n_faults + 1, sizeof *device.fault_calls);
	if (!device.fault_calls)
		abort();
	device.rng.state = noise_seed(device.scenario.seed);
	device.process_deviate = mxt_rng_normal(&device.rng);
	mxt_sim_pace_init(&device.pace, &device.scenario);
}

__attribute__((destructor)) static void finish(void)
{
	if (device.ready)
		mxt_sim_scenario_finish(&device.scenario);
	free(device.fault_calls);
	device.fault_calls = NULL;
	device.ready = false;
}

const struct mxt_sim_scenario *mxt_sim_scenario(void)
{
	make_ready();
	return &device.scenario;
}

struct mxt_sim_outcome mxt_sim_enter(const char *site)
{
	make_ready();
	struct mxt_sim_outcome outcome = mxt_sim_fault_run(&device.scenario, site, device.fault_calls);
	if (outcome.effects & MXT_SIM_BREAK)
		device.broken = outcome.code;
	return outcome;
}

/* The lock stays with the process. */
static int take_exclusive(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (fd >= 0)
		(void)close(fd);
	return mxt_sim_vendor.busy;
}

static int first_use(void)
{
	struct mxt_sim_outcome outcome = mxt_sim_enter("device");
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome.code > 0 ? outcome.code : mxt_sim_vendor.busy;
	const struct mxt_sim_device *card = &device.scenario.device;
	if (card->status)
		return card->status;
	return card->exclusive ? take_exclusive(card->exclusive) : 0;
}

int mxt_sim_device_status(void)
{
	make_ready();
	if (!device.used) {
		device.used = true;
		int status = first_use();
		device.broken = status ? status : device.broken;
	}
	return device.broken;
}

int mxt_sim_device_count(void)
{
	make_ready();
	const struct mxt_sim_device *card = &device.scenario.device;
	return mxt_sim_vendor.count ? mxt_sim_vendor.count(card) : card->count;
}

static bool first_time(uint64_t shape)
{
	for (size_t i = 0; i < device.n_shapes; i++)
		if (device.shapes[i] == shape)
			return false;
	if (device.n_shapes < MAX_SHAPES)
		device.shapes[device.n_shapes++] = shape;
	return true;
}

static double disturbed(double ns)
{
	const struct mxt_sim_noise *noise = &device.scenario.noise;
	double deviate = noise->sigma * mxt_rng_normal(&device.rng) + noise->process_sigma * device.process_deviate;
	ns *= exp(deviate) * mxt_sim_pace_factor(&device.pace, &device.scenario);
	if (mxt_rng_unit(&device.rng) < noise->tail_probability)
		ns *= 1 - noise->tail_size * log(1 - mxt_rng_unit(&device.rng));
	return ns;
}

static void advance(double ns)
{
	device.now_ns += ns;
	mxt_sim_pace_advance(&device.pace, ns);
}

/* "mm.rocblas" is the beginning of its own site and of mm.rocblas.7. */
static bool begins(const char *site, const char *with)
{
	size_t len = strlen(with);
	return strncmp(site, with, len) == 0 && (site[len] == '\0' || site[len] == '.');
}

double mxt_sim_cliff_factor(const char *site, const int64_t dims[static 3])
{
	double factor = 1;
	make_ready();
	for (size_t i = 0; i < device.scenario.n_cliffs; i++) {
		const struct mxt_sim_cliff *cliff = &device.scenario.cliffs[i];
		bool here = begins(site, cliff->at);
		for (size_t d = 0; d < 3 && d < json_array_size(cliff->dims); d++)
			here = here && json_integer_value(json_array_get(cliff->dims, d)) == dims[d];
		factor *= here ? cliff->factor : 1;
	}
	return factor;
}

void mxt_sim_launch(const struct mxt_sim_cost *cost, double flops, double bytes, uint64_t shape, unsigned effects)
{
	make_ready();
	if (first_time(shape))
		advance(cost->first_call_ns);
	double work_s = fmax(flops / cost->flops_per_s, bytes / device.scenario.bytes_per_s);
	double ns = disturbed(cost->fixed_ns + work_s * NS_PER_S);
	if (!(effects & MXT_SIM_INSTANT))
		advance(ns);
}

void mxt_sim_move(uint64_t bytes)
{
	make_ready();
	advance(disturbed(1000 + (double)bytes / device.scenario.bytes_per_s * NS_PER_S));
}

void mxt_sim_wait(double ns)
{
	make_ready();
	device.now_ns += ns;
	device.slept_ns += ns;
}

double mxt_sim_now_ns(void)
{
	return device.now_ns;
}

void mxt_sim_synchronize(void)
{
	make_ready();
	double ns = device.now_ns - device.slept_ns;
	device.slept_ns = device.now_ns;
	if (!device.scenario.real_sleep || !(ns > 0))
		return;
	struct timespec left = {(time_t)(ns / NS_PER_S), (long)fmod(ns, NS_PER_S)};
	while (nanosleep(&left, &left) < 0)
		continue;
}

uint64_t mxt_sim_memory_free(void)
{
	make_ready();
	return (uint64_t)device.scenario.device.memory_bytes - device.taken_bytes;
}

bool mxt_sim_memory_take(uint64_t bytes)
{
	if (bytes > mxt_sim_memory_free())
		return false;
	device.taken_bytes += bytes;
	return true;
}

void mxt_sim_memory_give(uint64_t bytes)
{
	device.taken_bytes -= bytes;
}

/* The row without a name is the last. */
static const struct mxt_sim_error *error_of(int status)
{
	const struct mxt_sim_error *row = mxt_sim_vendor.errors;
	while (row->name && row->status != status)
		row++;
	return row;
}

const char *mxt_sim_error_text(int status)
{
	return error_of(status)->text;
}

const char *mxt_sim_error_name(int status)
{
	const struct mxt_sim_error *row = error_of(status);
	return row->name ? row->name : row->text;
}
