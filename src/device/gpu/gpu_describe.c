/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_describe.h"

#include "error.h"
#include "gpu_runtime.h"
#include "json.h"
#include "loaded_libraries.h"
#include "torch_device.h"

/* New reference; NULL when memory ran out. A runtime that does not tell its version has 0. */
static json_t *runtime_facts(const struct mxt_gpu_runtime *runtime, const char *const *selectors, const char *attention)
{
	int runtime_version = 0, driver_version = 0;
	(void)runtime->call.runtime_version(&runtime_version);
	(void)runtime->call.driver_version(&driver_version);
	return json_pack("{s:s, s:i, s:i, s:o, s:o}", "attention", attention, runtime->dialect->runtime_fact,
			 runtime_version, runtime->dialect->driver_fact, driver_version, "files",
			 mxt_loaded_libraries(), "switches", mxt_torch_switches(selectors));
}

int mxt_gpu_describe(struct mxt_device *device, const char *const *selectors, json_t *own, json_t **ret_facts,
		     struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *added = own;
	enum mxt_sdpa_kind kind = MXT_SDPA_MATH;
	int rc = mxt_torch_common_attention(device, &kind, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *more =
	    runtime_facts(device->state, selectors, mxt_torch_attention_name(&device->torch, kind));
	MXT_CLEANUP_JSON json_t *facts = mxt_torch_device_facts(device);
	if (!facts || !more || !added || json_object_update(facts, more) < 0 || json_object_update(facts, added) < 0)
		return mxt_error_oom(err);
	*ret_facts = json_incref(facts);
	return 0;
}
