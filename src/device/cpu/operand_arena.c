/* SPDX-License-Identifier: Apache-2.0 */
#include "operand_arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "compiler.h"
#include "error.h"

#define GRANULE ((size_t)2 << 20) /* growth steps: the size of a huge page */
#define LINE    ((size_t)256)     /* windows begin at multiples of it */

static size_t round_up(size_t bytes, size_t step)
{
	return (bytes + step - 1) / step * step;
}

size_t mxt_operand_window(size_t bytes)
{
	return round_up(bytes, LINE);
}

int mxt_operand_arena_init(struct mxt_operand_arena *arena, size_t limit, bool random, uint64_t seed,
			   struct mxt_error *err)
{
	limit = round_up(limit, GRANULE);
	/* Address space that nobody may use yet is not counted as memory, whatever the overcommit policy is. */
	void *base = mmap(NULL, limit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return mxt_error_set(err, -errno, MXT_E_OPERANDS_TOO_LARGE,
				     "cannot take %zu MiB of address space for operands: %s; check `ulimit -v`",
				     limit >> 20, strerror(errno));
	*arena = (struct mxt_operand_arena){.base = base, .limit = limit, .random = random, .seed = seed};
	return 0;
}

void mxt_operand_arena_finish(struct mxt_operand_arena *arena)
{
	if (arena->base)
		(void)munmap(arena->base, arena->limit);
	*arena = (struct mxt_operand_arena){.base = NULL};
}

/* A hash of the index with 24 good bits; multiplications of 32-bit numbers, so that loops over it become vectors. */
static inline float value_of(uint32_t low, uint32_t high, uint32_t index)
{
	uint32_t x = (index ^ low) * UINT32_C(0x9e3779b1);
	x = (x ^ (x >> 15) ^ high) * UINT32_C(0x85ebca6b);
	x = (x ^ (x >> 13)) * UINT32_C(0xc2b2ae35);
	x ^= x >> 16;
	const float unit = 0x1p-23F, root3 = 1.73205081F; /* uniform in [-root3, root3): variance 1 */
	return ((float)(int32_t)(x >> 8) * unit - 1.0F) * root3;
}

float mxt_operand_value(uint64_t seed, size_t index)
{
	return value_of((uint32_t)seed, (uint32_t)(seed >> 32) + (uint32_t)((uint64_t)index >> 32), (uint32_t)index);
}

/* Indices within one growth step share their high half: steps do not straddle multiples of 2^32 elements. */
MXT_VECTOR_CLONES
static void fill_step(float *target, uint64_t seed, size_t first, size_t count)
{
	uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32) + (uint32_t)((uint64_t)first >> 32);
	for (uint32_t i = 0; i < (uint32_t)count; i++)
		target[i] = value_of(low, high, (uint32_t)first + i);
}

static void fill(struct mxt_operand_arena *arena, size_t from, size_t to)
{
	size_t step = GRANULE / sizeof(float);
	if (!arena->random)
		memset((char *)arena->base + from, 0, to - from); /* so that the first call finds its pages */
	else
		for (size_t i = from / sizeof(float); i < to / sizeof(float); i += step)
			fill_step(arena->base + i, arena->seed, i, step);
}

int mxt_operand_arena_grow(struct mxt_operand_arena *arena, size_t bytes, struct mxt_error *err)
{
	size_t need = round_up(bytes, GRANULE);
	if (need <= arena->ready)
		return 0;
	if (need > arena->limit)
		return mxt_error_set(
		    err, -ENOTSUP, MXT_E_OPERANDS_TOO_LARGE,
		    "its operands take %zu MiB, and one worker may use %zu MiB of this machine's memory", need >> 20,
		    arena->limit >> 20);
	char *start = (char *)arena->base + arena->ready;
	size_t more = need - arena->ready;
	if (mprotect(start, more, PROT_READ | PROT_WRITE) < 0)
		return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE,
				     "no memory for %zu MiB more of operands: %s", more >> 20, strerror(errno));
	(void)madvise(start, more, MADV_HUGEPAGE); /* a wish: fewer faults, fewer misses of the TLB */
	fill(arena, arena->ready, need);
	arena->ready = need;
	return 0;
}

float *mxt_operand_arena_next(struct mxt_operand_arena *arena, size_t bytes)
{
	if (arena->cursor + bytes > arena->ready)
		arena->cursor = 0;
	float *window = arena->base + arena->cursor / sizeof(float);
	arena->cursor += mxt_operand_window(bytes);
	return window;
}
