/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "choose.h"
#include "gain.h"

void mxt_confirm_evaluate(const double *log_ratios, size_t count, uint32_t alpha_ppm, size_t comparisons,
			  struct mxt_confirm *ret_confirm)
{
	uint32_t blocks = mxt_look_of(count);
	*ret_confirm = (struct mxt_confirm){.bound_ppm = MXT_BOUND_UNKNOWN_PPM, .blocks = blocks};
	if (blocks == 0)
		return;
	double fresh[MXT_LOOK_LAST], all[MXT_LOOK_LAST];
	for (size_t i = 0; i < blocks; i++)
		fresh[i] = -log_ratios[i];
	memcpy(all, fresh, sizeof *all * blocks);
	struct mxt_gain gain = mxt_gain_estimate(fresh, blocks, all, blocks);
	double level = alpha_ppm / 1e6 / MXT_LOOKS / (double)(comparisons ? comparisons : 1);
	double reach = mxt_gain_quantile(level, blocks) * gain.error;
	ret_confirm->gain_ppm = mxt_gain_ppm(gain.center);
	ret_confirm->bound_ppm = mxt_gain_ppm(gain.center - reach);
	ret_confirm->surely_slower = gain.center + reach < 0;
	ret_confirm->surely_faster = gain.center - reach > 0;
}
