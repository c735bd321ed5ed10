/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_inventory.h"

#include <errno.h>

#include "error.h"

#define GIB ((json_int_t)1 << 30)

struct fields {
	json_t *platform, *stack, *devices; /* borrowed; NULL: defaults */
	json_int_t units, memory_bytes, llc_bytes;
	double peak_gflops, peak_gb_per_s;
};

static bool in_range(const struct fields *fields)
{
	return fields->units >= 1 && fields->units <= 65535 && fields->memory_bytes >= 1 && fields->llc_bytes >= 0 &&
	       fields->peak_gflops >= 0 && fields->peak_gflops <= 1e12 && fields->peak_gb_per_s >= 0 &&
	       fields->peak_gb_per_s <= 1e12;
}

static bool right_types(const struct fields *fields)
{
	return (!fields->platform || json_is_object(fields->platform)) &&
	       (!fields->stack || json_is_object(fields->stack)) &&
	       (!fields->devices || json_is_array(fields->devices));
}

static int parse_fields(json_t *json, struct fields *fields, struct mxt_error *err)
{
	json_error_t fault;
	if (json &&
	    json_unpack_ex(json, &fault, 0, "{s?o, s?o, s?o, s?I, s?I, s?I, s?F, s?F !}", "platform", &fields->platform,
			   "stack", &fields->stack, "devices", &fields->devices, "units", &fields->units,
			   "memory_bytes", &fields->memory_bytes, "llc_bytes", &fields->llc_bytes, "peak_gflops",
			   &fields->peak_gflops, "peak_gb_per_s", &fields->peak_gb_per_s) < 0)
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "inventory of the scenario: %s", fault.text);
	if (!in_range(fields))
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO,
				     "inventory of the scenario: a number is out of range");
	if (!right_types(fields))
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO,
				     "inventory of the scenario: platform and stack are objects, devices is an array");
	return 0;
}

static json_t *platform_of(const struct fields *fields)
{
	if (fields->platform)
		return json_incref(fields->platform);
	json_int_t gib = fields->memory_bytes / GIB;
	return json_pack("{s:s, s:s, s:I, s:I}", "vendor", "simulated", "arch", "simulated-1", "units", fields->units,
			 "memory_gib", gib > 0 ? gib : 1);
}

static json_t *stack_of(const struct fields *fields)
{
	if (fields->stack)
		return json_incref(fields->stack);
	return json_pack("{s:s, s:s}", "torch", "none", "provider", "simulated");
}

static json_t *devices_of(const struct fields *fields)
{
	return fields->devices ? json_incref(fields->devices) : json_pack("[{s:s}]", "name", "simulated device");
}

int mxt_fake_inventory_parse(json_t *json, struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	struct fields fields = {
	    .units = 2, .memory_bytes = 8 * GIB, .llc_bytes = GIB / 32, .peak_gflops = 1000, .peak_gb_per_s = 100};
	int rc = parse_fields(json, &fields, err);
	if (rc < 0)
		return rc;
	struct mxt_inventory inventory = {
	    .platform = platform_of(&fields),
	    .stack = stack_of(&fields),
	    .devices = devices_of(&fields),
	    .units = (uint32_t)fields.units,
	    .memory_bytes = (uint64_t)fields.memory_bytes,
	    .llc_bytes = (uint64_t)fields.llc_bytes,
	    .peak_flops = fields.peak_gflops * 1e9,
	    .peak_bytes = fields.peak_gb_per_s * 1e9,
	};
	if (!inventory.platform || !inventory.stack || !inventory.devices) {
		mxt_inventory_finish(&inventory);
		return mxt_error_oom(err);
	}
	*ret_inventory = inventory;
	return 0;
}
