/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_visible.h"

#include <stdlib.h>
#include <string.h>

static struct mxt_sim_visible choose(const struct mxt_sim_visible *from, const char *list)
{
	struct mxt_sim_visible to = {.count = 0};
	while (*list) {
		char *end;
		long number = strtol(list, &end, 10);
		if (end == list || number < 0 || number >= from->count || to.count == MXT_SIM_MAX_CARDS)
			break;
		to.cards[to.count++] = from->cards[number];
		list = end + strspn(end, ", ");
	}
	return to;
}

struct mxt_sim_visible mxt_sim_visible(int cards)
{
	const char *rocr = getenv("ROCR_VISIBLE_DEVICES"), *hip = getenv("HIP_VISIBLE_DEVICES");
	struct mxt_sim_visible visible = {.count = 0};
	for (int i = 0; i < cards && i < MXT_SIM_MAX_CARDS; i++)
		visible.cards[visible.count++] = i;
	if (rocr)
		visible = choose(&visible, rocr);
	if (!hip)
		hip = getenv("CUDA_VISIBLE_DEVICES");
	return hip ? choose(&visible, hip) : visible;
}
