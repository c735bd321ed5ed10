/* SPDX-License-Identifier: Apache-2.0 */
/* What a ROCm torch would run on. That a torch is built for another vendor's GPUs is a finding of the check "torch". */
#include <inttypes.h>

#include "check_result.h"
#include "checks.h"
#include "survey.h"
#include "sysroot.h"

/* A machine without any GPU is where configurations are written, not a mistake. */
static void find_no_gpu(const struct mxt_survey *survey, const char *hip, struct mxt_check_result *result)
{
	bool expected = survey->gpus.reported && survey->gpus.count[MXT_GPU_AMD] == 0;
	mxt_find(result, expected ? MXT_CHECK_NOTE : MXT_CHECK_WARN,
		 "torch is built for ROCm %s, and there is no AMD GPU that it could use", hip);
	mxt_wrong(result, "training runs on the CPU here, or ends with an error");
	mxt_todo(result, "train where the GPUs are: in a container, start it with --device=/dev/kfd --device=/dev/dri "
			 "--group-add video; on the host, install AMD's driver");
}

static bool is_recorded(const struct mxt_survey *survey)
{
	return mxt_sysroot_is_live(survey->root) || survey->amd.driver || survey->amd.kfd != MXT_DEVICE_NOT_RECORDED;
}

void mxt_check_rocm(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_torch_install *install = survey->torch.count ? &survey->torch.items[0] : NULL;
	const char *hip = install ? install->files.hip : "";
	mxt_fact_text(result, "torch_hip", hip);
	if (!*hip) {
		mxt_find(result, MXT_CHECK_OK, "%s",
			 install ? "this torch is not built for ROCm" : "no torch to look at");
		return;
	}
	if (survey->amd.n_gpus == 0 && is_recorded(survey)) {
		find_no_gpu(survey, hip, result);
		return;
	}
	mxt_find(result, MXT_CHECK_OK, "torch is built for ROCm %s", hip);
}
