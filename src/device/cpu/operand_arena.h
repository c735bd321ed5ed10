/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that operands are cut from, one window after the other, so that calls that follow each other find their
 * operands in memory and not in the caches. One arena holds what all tasks of a device read, seeded random numbers of
 * mean 0 and variance 1 that nobody writes to; one holds what they write.
 */
#ifndef MXT_CPU_OPERAND_ARENA_H
#define MXT_CPU_OPERAND_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mxt_error;

struct mxt_operand_arena {
	float *base;         /* address space of `limit` bytes, NULL before the first growth */
	size_t limit, ready; /* bytes; [0, ready) can be used */
	size_t cursor;       /* where the next window begins */
	bool random;         /* filled with numbers of `seed`, else with zeros */
	uint64_t seed;
};

/* Takes address space for at most `limit` bytes of operands; memory only as the arena grows. */
int mxt_operand_arena_init(struct mxt_operand_arena *arena, size_t limit, bool random, uint64_t seed,
			   struct mxt_error *err);
void mxt_operand_arena_finish(struct mxt_operand_arena *arena);

/* Makes at least `bytes` usable; what is there keeps its place and value. -ENOTSUP beyond the limit, or -ENOMEM. */
int mxt_operand_arena_grow(struct mxt_operand_arena *arena, size_t bytes, struct mxt_error *err);

/* The next window of `bytes` <= ready bytes; back at the start when the end is near. */
float *mxt_operand_arena_next(struct mxt_operand_arena *arena, size_t bytes);

/* The next window is the first one again. */
static inline void mxt_operand_arena_rewind(struct mxt_operand_arena *arena)
{
	arena->cursor = 0;
}

/* Bytes that a window of `bytes` takes: whole cache lines and a little more. */
size_t mxt_operand_window(size_t bytes);

/* The random number at an index, whether the arena has grown there or not. */
float mxt_operand_value(uint64_t seed, size_t index);

#endif
