/* SPDX-License-Identifier: Apache-2.0 */
#include "post_peak.h"

#include "amd_model.h"
#include "error.h"
#include "json.h"
#include "nvidia_survey.h"
#include "platform_gpu.h"
#include "post_writer.h"

static int read_nvidia(const json_t *evidence, struct mxt_post_peak *ret_peak, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	const json_t *devices = json_object_get(evidence, "devices");
	MXT_CLEANUP_JSON json_t *facts = json_object();
	struct mxt_nvidia_gpu gpu;
	if (!facts || (devices && json_object_set(facts, "devices", (json_t *)devices) < 0))
		return mxt_error_oom(err);
	if (mxt_nvidia_gpu_find(facts, 0, &gpu, &why) == 0)
		*ret_peak = (struct mxt_post_peak){gpu.peak_bf16_flops, gpu.sm_count.value, gpu.max_sm_mhz.value,
						   "multiprocessors"};
	return why.id == MXT_E_NO_MEMORY ? mxt_error_oom(err) : 0;
}

static void read_amd(const json_t *platform, const json_t *evidence, struct mxt_post_peak *ret_peak)
{
	int64_t units = mxt_json_integer(platform, "units");
	int64_t max_mhz = mxt_json_integer(mxt_post_device(evidence), "max_mhz");
	uint32_t in_a_clock = mxt_amd_rate(mxt_json_text(platform, "arch")).bf16;
	if (units <= 0 || max_mhz <= 0 || in_a_clock == 0)
		return;
	double flops = (double)units * (double)max_mhz * 1e6 * in_a_clock;
	*ret_peak = (struct mxt_post_peak){flops, (uint64_t)units, (uint64_t)max_mhz, "compute units"};
}

int mxt_post_peak_read(const json_t *decision, const json_t *evidence, struct mxt_post_peak *ret_peak,
		       struct mxt_error *err)
{
	const json_t *platform = json_object_get(decision, "platform");
	struct mxt_post_peak peak = {.bf16_flops = 0};
	int rc = 0;
	if (mxt_platform_has_gpu(platform, "amd"))
		read_amd(platform, evidence, &peak);
	else
		rc = read_nvidia(evidence, &peak, err);
	if (rc == 0)
		*ret_peak = peak;
	return rc;
}
