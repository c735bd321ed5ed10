/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim_number.h"

#define ENTRIES     4096
#define MAX_NUMBERS ((size_t)16 << 20) /* 128 MiB in all */

static struct {
	struct {
		struct mxt_sim_key key;
		double *numbers; /* owned */
		size_t count;
	} entries[ENTRIES];
	size_t next;    /* the oldest, to be replaced */
	size_t numbers; /* in all */
} cache;

MXT_SIM_PLAIN static uint64_t mix(uint64_t state, uint64_t bits)
{
	state = (state ^ bits) * UINT64_C(0xff51afd7ed558ccd);
	return state ^ (state >> 32);
}

MXT_SIM_PLAIN void mxt_sim_key_add_bytes(struct mxt_sim_key *key, const void *bytes, size_t count)
{
	const char *at = bytes;
	uint64_t low = mix(key->low, count), high = key->high;
	for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
		uint64_t bits = 0;
		memcpy(&bits, at + i, count - i < sizeof bits ? count - i : sizeof bits);
		low = mix(low, bits);
		high = (high ^ bits) * UINT64_C(0xc4ceb9fe1a85ec53) + (high >> 29);
	}
	*key = (struct mxt_sim_key){low, high};
}

void mxt_sim_key_add(struct mxt_sim_key *key, const double *numbers, size_t count)
{
	mxt_sim_key_add_bytes(key, numbers, count * sizeof *numbers);
}

const double *mxt_sim_cache_find(const struct mxt_sim_key *key, size_t count)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (cache.entries[i].count == count && cache.entries[i].numbers &&
		    cache.entries[i].key.low == key->low && cache.entries[i].key.high == key->high)
			return cache.entries[i].numbers;
	return NULL;
}

static void drop(size_t i)
{
	free(cache.entries[i].numbers);
	cache.numbers -= cache.entries[i].count;
	cache.entries[i].numbers = NULL;
	cache.entries[i].count = 0;
}

void mxt_sim_cache_put(const struct mxt_sim_key *key, const double *numbers, size_t count)
{
	if (count > MAX_NUMBERS)
		return;
	double *copy = malloc(count * sizeof *copy + 1);
	if (!copy)
		return;
	memcpy(copy, numbers, count * sizeof *copy);
	size_t at = cache.next;
	drop(at);
	for (size_t i = (at + 1) % ENTRIES; i != at && cache.numbers + count > MAX_NUMBERS; i = (i + 1) % ENTRIES)
		drop(i);
	cache.entries[at].key = *key;
	cache.entries[at].numbers = copy;
	cache.entries[at].count = count;
	cache.numbers += count;
	cache.next = (at + 1) % ENTRIES;
}

__attribute__((destructor)) static void finish(void)
{
	for (size_t i = 0; i < ENTRIES; i++)
		drop(i);
}
