/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_rules.h"

#include <errno.h>
#include <stddef.h>

#include "error.h"

/* Numbers that are refused although the board has so many GPUs, and what is known of them beside their links. */
static const struct {
	int32_t first, last;
	const char *known;
} partial[] = {
    {2, 4, "RCCL then chooses the channels itself and resets NCCL_MIN_NCHANNELS=112"},
    {5, 7, "on MI355X, whose links are the same, 5 to 7 ranks reached a tenth of what 8 do (a public report of 2026)"},
};

static int refuse_partial(int32_t gpus, const char *known, struct mxt_error *err)
{
	int32_t links = gpus - 1;
	return mxt_error_set(err, -ENODEV, MXT_E_GPU_COUNT,
			     "%d GPUs of such a machine are refused: one link joins each pair, so every GPU would have "
			     "%d of its %d links in use, %d GB/s (%d x %d) against %d with all %d; %s. Give --gpus 1, "
			     "a job for each GPU, or --gpus %d",
			     gpus, links, MXT_XGMI_LINKS, links * MXT_XGMI_LINK_GB_S, links, MXT_XGMI_LINK_GB_S,
			     MXT_XGMI_LINKS * MXT_XGMI_LINK_GB_S, MXT_XGMI_GPUS, known, MXT_XGMI_GPUS);
}

int mxt_gpu_count_check(int32_t gpus, struct mxt_error *err)
{
	if (gpus == 1 || gpus == MXT_XGMI_GPUS)
		return 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(partial); i++)
		if (gpus >= partial[i].first && gpus <= partial[i].last)
			return refuse_partial(gpus, partial[i].known, err);
	return mxt_error_set(
	    err, -ENODEV, MXT_E_GPU_COUNT,
	    "%d GPUs on a node are refused: the links of such a machine join %d; give --gpus 1 or --gpus %d", gpus,
	    MXT_XGMI_GPUS, MXT_XGMI_GPUS);
}
