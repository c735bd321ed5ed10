/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_list.h"

#include <errno.h>
#include <string.h>

#include "number.h"

static int parse_range(const char **at, uint64_t *ret_first, uint64_t *ret_last)
{
	if (mxt_parse_u64(*at, at, ret_first) < 0)
		return -EINVAL;
	*ret_last = *ret_first;
	if (**at == '-') {
		++*at;
		if (mxt_parse_u64(*at, at, ret_last) < 0)
			return -EINVAL;
	}
	return *ret_first <= *ret_last && *ret_last < MXT_CPU_LIST_MAX ? 0 : -EINVAL;
}

int mxt_cpu_list_parse(const char *text, struct mxt_cpu_list *ret_list)
{
	struct mxt_cpu_list list = {{0}};
	const char *at = text;
	while (*at) {
		uint64_t first = 0, last = 0;
		if (parse_range(&at, &first, &last) < 0 || (*at != '\0' && *at != ','))
			return -EINVAL;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			list.words[cpu / 64] |= UINT64_C(1) << cpu % 64;
		at += *at == ',';
	}
	*ret_list = list;
	return 0;
}

bool mxt_cpu_list_has(const struct mxt_cpu_list *list, uint32_t cpu)
{
	return cpu < MXT_CPU_LIST_MAX && (list->words[cpu / 64] >> cpu % 64 & 1) != 0;
}

uint32_t mxt_cpu_list_count(const struct mxt_cpu_list *list)
{
	uint32_t count = 0;
	for (uint32_t cpu = 0; cpu < MXT_CPU_LIST_MAX; cpu++)
		count += mxt_cpu_list_has(list, cpu);
	return count;
}

uint32_t mxt_cpu_list_next(const struct mxt_cpu_list *list, uint32_t from)
{
	while (from < MXT_CPU_LIST_MAX && !mxt_cpu_list_has(list, from))
		from++;
	return from;
}
