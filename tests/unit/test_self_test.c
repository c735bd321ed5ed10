/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test on first contact, against a HIP that lies in one way after the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd_machine.h"
#include "clock.h"
#include "clock_test.h"
#include "cmocka_all.h"
#include "error.h"
#include "gpu_runtime.h"
#include "hip_identity.h"
#include "identity_test.h"
#include "self_test.h"
#include "sysroot.h"

#define MEMORY   UINT64_C(206141652992)
#define COPY_NS  250000 /* of any copy */
#define NO_LIMIT 1e9

/* What HIP tells, and how it works. */
static struct {
	uint64_t now_ns;
	double clock_factor;     /* of its events */
	double clock_limit;      /* tries after which they tell the truth */
	uint64_t memory_bytes;   /* by hipMemGetInfo */
	int units;               /* as attribute */
	const char *name, *arch; /* in the properties */
	uint32_t waves;
	const char *address;
	bool loses_a_byte, fills_nothing;
	int status;      /* of copies */
	int left_behind; /* by a call, until it is asked for */
} hip;

struct mxt_gpu_event {
	uint64_t ns;
};

static enum mxt_gpu_status attribute(int *value, enum mxt_gpu_attribute number, int device)
{
	assert_int_equal(number, MXT_HIP_UNITS);
	assert_int_equal(device, 0);
	*value = hip.units;
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status allocate(void **data, size_t bytes)
{
	*data = malloc(bytes);
	return *data ? MXT_GPU_SUCCESS : MXT_GPU_OUT_OF_MEMORY;
}

static enum mxt_gpu_status release(void *data)
{
	free(data);
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status copy(void *to, const void *from, size_t bytes, enum mxt_gpu_copy kind)
{
	memcpy(to, from, bytes);
	if (hip.loses_a_byte && kind == MXT_GPU_ON_DEVICE)
		((unsigned char *)to)[bytes - 1] ^= 1;
	return (enum mxt_gpu_status)hip.status;
}

/* Memory is not touched: only the clocks matter to who does not wait. */
static enum mxt_gpu_status copy_async(void *to, const void *from, size_t bytes, enum mxt_gpu_copy kind,
				      struct mxt_gpu_stream *stream)
{
	(void)to, (void)from, (void)bytes, (void)kind;
	assert_null(stream);
	hip.now_ns += COPY_NS;
	return (enum mxt_gpu_status)hip.status;
}

static enum mxt_gpu_status fill(void *data, int value, size_t bytes)
{
	if (!hip.fills_nothing)
		memset(data, value, bytes);
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status memory_info(size_t *left, size_t *total)
{
	*total = hip.memory_bytes;
	*left = hip.memory_bytes / 2;
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status event_record(struct mxt_gpu_event *event, struct mxt_gpu_stream *stream)
{
	assert_null(stream);
	event->ns = hip.now_ns;
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status event_synchronize(struct mxt_gpu_event *event)
{
	(void)event;
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status event_elapsed(float *ms, struct mxt_gpu_event *start, struct mxt_gpu_event *stop)
{
	double factor = hip.clock_limit-- > 0 ? hip.clock_factor : 1;
	*ms = (float)((double)(stop->ns - start->ns) * factor / 1e6);
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status last_error(void)
{
	int status = hip.left_behind;
	hip.left_behind = 0;
	return (enum mxt_gpu_status)status;
}

static const char *error_text(enum mxt_gpu_status status)
{
	(void)status;
	return "out of order";
}

static void put(void *to, size_t offset, const void *value, size_t bytes)
{
	memcpy((char *)to + offset, value, bytes);
}

struct places {
	size_t name, arch, memory, waves, units, bus;
};

static void describe(void *to, const struct places *at)
{
	const int32_t zero = 0, bus = 0x0c, units = 304;
	put(to, at->name, hip.name, strlen(hip.name) + 1);
	put(to, at->arch, hip.arch, strlen(hip.arch) + 1);
	put(to, at->memory, &(uint64_t){MEMORY}, 8);
	put(to, at->waves, &hip.waves, 4);
	put(to, at->units, &units, 4);
	put(to, at->bus, &bus, 4);
	put(to, at->bus + 4, &zero, 4); /* device; in the new layout the domain, too */
}

static enum mxt_gpu_status properties_new(struct mxt_hip_properties_new *properties, int device)
{
	assert_int_equal(device, 0);
	memset(properties, 0, 1472);
	describe(properties, &(struct places){0, 1160, 288, 308, 388, 584});
	return MXT_GPU_SUCCESS;
}

static enum mxt_gpu_status properties_old(struct mxt_hip_properties_old *properties, int device)
{
	assert_int_equal(device, 0);
	memset(properties, 0, 792);
	describe(properties, &(struct places){0, 396, 256, 276, 336, 368});
	return MXT_GPU_SUCCESS;
}

/* A release whose function for the new layout fills the old one. */
static enum mxt_gpu_status properties_wrong(struct mxt_hip_properties_new *properties, int device)
{
	return properties_old((struct mxt_hip_properties_old *)(void *)properties, device);
}

static enum mxt_gpu_status pci_address(char *text, int bytes, int device)
{
	(void)device;
	(void)snprintf(text, (size_t)bytes, "%s", hip.address);
	return MXT_GPU_SUCCESS;
}

static struct mxt_gpu_event start_event, stop_event;
static struct mxt_gpu_runtime runtime;

static int set_up(void **state)
{
	(void)state;
	memset(&hip, 0, sizeof hip);
	hip.clock_factor = 1;
	hip.clock_limit = NO_LIMIT;
	hip.memory_bytes = MEMORY;
	hip.units = 304;
	hip.waves = 64;
	hip.name = "AMD Instinct MI300X";
	hip.arch = "gfx942:sramecc+:xnack-";
	hip.address = "0000:0c:00.0";
	runtime = (struct mxt_gpu_runtime){.dialect = &mxt_hip_runtime,
					   .call = {.attribute = attribute,
						    .allocate = allocate,
						    .release = release,
						    .copy = copy,
						    .copy_async = copy_async,
						    .fill = fill,
						    .memory_info = memory_info,
						    .event_record = event_record,
						    .event_synchronize = event_synchronize,
						    .event_elapsed = event_elapsed,
						    .last_error = last_error,
						    .error_text = error_text,
						    .hip_properties_new = properties_new,
						    .hip_properties_old = properties_old,
						    .hip_pci_address = pci_address},
					   .start = &start_event,
					   .stop = &stop_event};
	return 0;
}

static uint64_t host_now(void *context)
{
	(void)context;
	return hip.now_ns;
}

static const struct mxt_clock host_clock = {host_now, NULL};

static int run(struct mxt_self_test *test, struct mxt_error *err)
{
	static const struct mxt_sysroot nowhere = {.prefix = "/nowhere"};
	struct mxt_hip_identity identity;
	int rc = mxt_hip_identity_read(&runtime, &identity, err);
	return rc < 0 ? rc : mxt_self_test_run(test, &runtime, &identity, &nowhere, &host_clock, err);
}

static void refused(const char *assumption, const char *value, const char *other)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_self_test test = {.n_held = 0};
	assert_int_equal(run(&test, &err), -EIO);
	assert_int_equal(err.id, MXT_E_FIRST_CONTACT);
	assert_non_null(strstr(err.text, assumption));
	assert_non_null(strstr(err.text, value));
	assert_non_null(strstr(err.text, other));
	assert_non_null(strstr(err.text, "mindxtrain doctor --bundle report.tar"));
}

static void holds(void)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_self_test test = {.n_held = 0};
	int rc = run(&test, &err);
	if (rc < 0)
		print_error("%s\n", mxt_error_text(&err));
	assert_int_equal(rc, 0);
	json_t *names = mxt_self_test_json(&test);
	json_t *expected = json_pack("[s, s, s, s, s]", "layout", "numbers", "copy", "fill", "clock");
	assert_true(json_equal(names, expected));
	json_decref(names);
	json_decref(expected);
}

static void test_all_holds(void **state)
{
	(void)state;
	holds();
}

static void test_old_layout(void **state)
{
	(void)state;
	struct mxt_hip_identity identity;
	runtime.call.hip_properties_new = NULL;
	assert_int_equal(mxt_hip_identity_read(&runtime, &identity, NULL), 0);
	assert_string_equal(identity.layout, "R0000");
	assert_string_equal(identity.arch, "gfx942:sramecc+:xnack-");
	assert_int_equal(identity.memory_bytes, MEMORY);
	assert_int_equal(identity.units, 304);
	holds();
}

static void test_wrong_layout(void **state)
{
	(void)state;
	runtime.call.hip_properties_new = properties_wrong;
	refused("in the layout that its header has", "R0600", "AMD Instinct MI300X");
}

static void test_dishonest_name(void **state)
{
	(void)state;
	hip.name = "\001\177";
	refused("in the layout that its header has", "R0600", "no printable text");
	hip.name = "AMD Instinct MI300X";
	hip.arch = "sm_90";
	refused("in the layout that its header has", "R0600", "does not begin with \"gfx\"");
}

/* As where libdrm has no list of names. */
static void test_no_name(void **state)
{
	(void)state;
	struct mxt_hip_identity identity;
	hip.name = "";
	assert_int_equal(mxt_hip_identity_read(&runtime, &identity, NULL), 0);
	assert_string_equal(identity.name, "gfx942:sramecc+:xnack-");
	holds();
}

static void test_waves(void **state)
{
	(void)state;
	hip.waves = 48;
	refused("in the layout that its header has", "48", "32 or 64");
	hip.waves = 32;
	refused("waves are as wide as the architecture says", "32", "64");
	hip.arch = "gfx1100";
	holds();
}

static void test_units(void **state)
{
	(void)state;
	hip.units = 38;
	refused("same compute units", "304", "38");
}

static void test_memory(void **state)
{
	(void)state;
	hip.memory_bytes = MEMORY / 8;
	refused("same memory", "206141652992", "25767706624");
	hip.memory_bytes = MEMORY - MEMORY / 100;
	holds();
}

static void test_address(void **state)
{
	(void)state;
	hip.address = "0000:0d:00.0";
	refused("same PCI address", "0000:0c:00.", "0000:0d:00.0");
	hip.address = "0000:0C:00.3"; /* a partition */
	holds();
}

static void test_copies(void **state)
{
	(void)state;
	hip.loses_a_byte = true;
	refused("copies keep what they copy", "1052674", "1052675");
	hip.loses_a_byte = false;
	hip.fills_nothing = true;
	refused("a fill writes all bytes", "byte 0", "5a");
}

/* 16 copies take 4 ms, which is long enough. */
static void test_clock(void **state)
{
	(void)state;
	hip.clock_factor = 1000;
	refused("ticks in milliseconds", "4000000 us by events", "4000 us by the host");
	hip.clock_factor = 1.0 / 1024;
	refused("ticks in milliseconds", "3 us by events", "4000 us by the host");
	hip.clock_factor = 10;
	refused("ticks in milliseconds", "40000 us by events", "4000 us by the host");
	hip.clock_factor = 0.1;
	refused("ticks in milliseconds", "400 us by events", "4000 us by the host");
	hip.clock_factor = 1.01;
	holds();
	hip.clock_factor = 0.4; /* the host was kept waiting, by others */
	holds();
	hip.clock_factor = -1;
	refused("events tell a time", "-", "ms by events");
}

static void test_clock_that_was_disturbed(void **state)
{
	(void)state;
	hip.clock_factor = 0.1;
	hip.clock_limit = 8; /* the first copy, 1, 2, 4, 8 and 16 copies, and two tries */
	holds();
}

static void test_too_fast(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_clock_reading reading = {1000000, 1100000, UINT64_C(50) << 30};
	assert_int_equal(mxt_clock_test_judge(&reading, &err), -EIO);
	assert_non_null(strstr(err.text, "51200 MiB in 1000 us is more than any memory moves"));
}

static void test_refused_call(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_self_test test = {.n_held = 0};
	hip.status = 719;
	assert_int_equal(run(&test, &err), -EIO);
	assert_int_equal(err.id, MXT_E_HIP_CALL);
	assert_string_equal(err.text, "the HIP runtime cannot copy memory: out of order (error 719)");
}

/* ---- against the driver ---- */

static struct mxt_amd_gpu card;
static const struct mxt_amd_gpu healthy = {.arch = "gfx942",
					   .pci = "0000:0c:00.0",
					   .units = 304,
					   .partitions = 1,
					   .memory_bytes = MEMORY,
					   .card_memory_bytes = MEMORY};

static int against_driver(struct mxt_error *err)
{
	const struct mxt_amd_machine machine = {.gpus = &card, .n_gpus = 1};
	struct mxt_hip_identity identity;
	assert_int_equal(mxt_hip_identity_read(&runtime, &identity, NULL), 0);
	return mxt_identity_test_driver(&identity, &machine, err);
}

static void driver_refuses(const char *assumption, const char *value, const char *other)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(against_driver(&err), -EIO);
	assert_int_equal(err.id, MXT_E_FIRST_CONTACT);
	assert_non_null(strstr(err.text, assumption));
	assert_non_null(strstr(err.text, value));
	assert_non_null(strstr(err.text, other));
	card = healthy;
}

static void test_driver(void **state)
{
	(void)state;
	card = healthy;
	assert_int_equal(against_driver(NULL), 0);
	card.units = 38;
	driver_refuses("same compute units", "304", "38");
	(void)snprintf(card.arch, sizeof card.arch, "gfx94");
	driver_refuses("same architecture", "gfx942:", "driver gfx94 about");
	(void)snprintf(card.pci, sizeof card.pci, "0001:0c:00.0");
	driver_refuses("same cards", "0000:0c:00.0", "0001:0c:00.0");
	card.memory_bytes = MEMORY / 8;
	driver_refuses("same memory", "206141652992", "25767706624");
}

static void test_driver_that_tells_less(void **state)
{
	(void)state;
	card = (struct mxt_amd_gpu){.pci = "0000:0c:00.0"};
	assert_int_equal(against_driver(NULL), 0);
}

/* Partitions share the memory of their card, or have a part of it: as the memory mode says. */
static void test_partitions(void **state)
{
	(void)state;
	card = healthy;
	card.partitions = 8;
	card.memory_bytes = MEMORY / 4;
	assert_int_equal(against_driver(NULL), 0);
	card.card_memory_bytes = MEMORY / 4;
	driver_refuses("same memory", "206141652992", "51535413248");
}

/* ---- errors that were left behind ---- */

#define ILLEGAL_ADDRESS 700

static int stopped(const struct mxt_gpu_dialect *dialect, int left_behind)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	uint64_t ns = 0;
	runtime.dialect = dialect;
	hip.left_behind = left_behind;
	int rc = mxt_hip_platform.stop(&runtime, &ns, &err);
	assert_true(rc == 0 || err.id == dialect->refused);
	return rc;
}

/* A kernel that is not in the first file where a library looks for it is no failure of what was timed. */
static void test_errors_of_a_search(void **state)
{
	(void)state;
	assert_int_equal(stopped(&mxt_hip_runtime, MXT_GPU_NOT_FOUND), 0);
	assert_int_equal(stopped(&mxt_hip_runtime, MXT_GPU_NO_BINARY), 0);
	assert_int_equal(stopped(&mxt_hip_runtime, ILLEGAL_ADDRESS), -EIO);
	assert_int_equal(stopped(&mxt_cudart, MXT_GPU_NOT_FOUND), -EIO);
}

/* A stop event whose time is a little before the start's. */
static void test_times_in_the_wrong_order(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	uint64_t ns = 1;
	hip.now_ns = 1000000;
	hip.clock_factor = -1;
	start_event.ns = hip.now_ns - 20000;
	assert_int_equal(mxt_hip_platform.stop(&runtime, &ns, NULL), 0);
	assert_int_equal(ns, 0);
	start_event.ns = hip.now_ns - 900000;
	assert_int_equal(mxt_hip_platform.stop(&runtime, &ns, &err), -EIO);
	assert_int_equal(err.id, MXT_E_DEVICE_TIME);
}

/* ---- the last cache ---- */

static void test_cache(void **state)
{
	(void)state;
	struct mxt_hip_identity identity = {.arch = "gfx942:sramecc+:xnack-", .l2_bytes = 4194304};
	assert_int_equal(mxt_hip_llc_bytes(&identity), 256 << 20);
	(void)snprintf(identity.arch, sizeof identity.arch, "gfx942");
	assert_int_equal(mxt_hip_llc_bytes(&identity), 256 << 20);
	(void)snprintf(identity.arch, sizeof identity.arch, "gfx90a:sramecc+:xnack-");
	assert_int_equal(mxt_hip_llc_bytes(&identity), 4194304);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_all_holds, set_up),
	    cmocka_unit_test_setup(test_old_layout, set_up),
	    cmocka_unit_test_setup(test_wrong_layout, set_up),
	    cmocka_unit_test_setup(test_dishonest_name, set_up),
	    cmocka_unit_test_setup(test_no_name, set_up),
	    cmocka_unit_test_setup(test_waves, set_up),
	    cmocka_unit_test_setup(test_units, set_up),
	    cmocka_unit_test_setup(test_memory, set_up),
	    cmocka_unit_test_setup(test_address, set_up),
	    cmocka_unit_test_setup(test_copies, set_up),
	    cmocka_unit_test_setup(test_clock, set_up),
	    cmocka_unit_test_setup(test_clock_that_was_disturbed, set_up),
	    cmocka_unit_test_setup(test_too_fast, set_up),
	    cmocka_unit_test_setup(test_refused_call, set_up),
	    cmocka_unit_test_setup(test_driver, set_up),
	    cmocka_unit_test_setup(test_driver_that_tells_less, set_up),
	    cmocka_unit_test_setup(test_partitions, set_up),
	    cmocka_unit_test_setup(test_errors_of_a_search, set_up),
	    cmocka_unit_test_setup(test_times_in_the_wrong_order, set_up),
	    cmocka_unit_test_setup(test_cache, set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
