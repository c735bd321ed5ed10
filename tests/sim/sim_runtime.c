/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_runtime.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "rng.h"
#include "sim_scenario.h"

#define BUSY       46 /* cudaErrorDevicesUnavailable */
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
	double now_ns, slept_ns;
	uint64_t taken_bytes;
	uint64_t shapes[MAX_SHAPES]; /* those launched so far */
	size_t n_shapes;
	int broken; /* cudaError_t that everything answers; 0: sound */
} device;

uint64_t mxt_sim_hash(uint64_t start, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < len; i++)
		start = (start ^ at[i]) * UINT64_C(0x100000001b3);
	return start;
}

/* As on the fake device: processes draw noise of their own, and with a seed the same in every run; what tells a
 * worker from its twin is its command line. */
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
	return BUSY;
}

static int first_use(void)
{
	struct mxt_sim_outcome outcome = mxt_sim_enter("device");
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome.code > 0 ? outcome.code : BUSY;
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
	ns *= exp(deviate) * (1 + device.scenario.drift_per_s * device.now_ns / NS_PER_S);
	if (mxt_rng_unit(&device.rng) < noise->tail_probability)
		ns *= 1 - noise->tail_size * log(1 - mxt_rng_unit(&device.rng));
	return ns;
}

void mxt_sim_launch(const struct mxt_sim_cost *cost, double flops, double bytes, uint64_t shape, unsigned effects)
{
	make_ready();
	if (first_time(shape))
		device.now_ns += cost->first_call_ns;
	double work_s = fmax(flops / cost->flops_per_s, bytes / device.scenario.bytes_per_s);
	double ns = disturbed(cost->fixed_ns + work_s * NS_PER_S);
	if (!(effects & MXT_SIM_INSTANT))
		device.now_ns += ns;
}

void mxt_sim_move(uint64_t bytes)
{
	make_ready();
	device.now_ns += disturbed(1000 + (double)bytes / device.scenario.bytes_per_s * NS_PER_S);
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

static const struct {
	int status;
	const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const char *mxt_sim_error_text(int status)
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].status == status)
			return errors[i].text;
	return "unrecognized error code";
}

const char *mxt_sim_error_name(int status)
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].status == status)
			return errors[i].name;
	return "unrecognized error code";
}
