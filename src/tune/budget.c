/* SPDX-License-Identifier: Apache-2.0 */
#include "budget.h"

/* Ending the workers, sealing and syncing a plan takes some 50 ms; a slow disk or a loaded host gets ten times that. */
#define RESERVE_MIN_NS (400 * MXT_NS_PER_MS)
#define RESERVE_SHARE  20 /* 1/20 of the budget where that is more */

void mxt_budget_init(struct mxt_budget *budget, const struct mxt_clock *clock, uint64_t start_ns, uint64_t limit_ns)
{
	uint64_t reserve = limit_ns / RESERVE_SHARE;
	if (reserve < RESERVE_MIN_NS)
		reserve = RESERVE_MIN_NS;
	if (reserve > limit_ns)
		reserve = limit_ns;
	*budget = (struct mxt_budget){clock, start_ns, limit_ns, start_ns + limit_ns - reserve};
}

uint64_t mxt_budget_used_ns(const struct mxt_budget *budget)
{
	return mxt_now_ns(budget->clock) - budget->start_ns;
}

uint64_t mxt_budget_left_ns(const struct mxt_budget *budget)
{
	uint64_t now = mxt_now_ns(budget->clock);
	return now < budget->work_end_ns ? budget->work_end_ns - now : 0;
}

uint64_t mxt_budget_stage_end_ns(const struct mxt_budget *budget, unsigned share_percent)
{
	return mxt_now_ns(budget->clock) + mxt_budget_left_ns(budget) / 100 * share_percent;
}
