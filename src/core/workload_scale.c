/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler.h"
#include "workload.h"

/*
 * The fixed table, in two halves; the smaller value of both counts. Cores limit the arithmetic: with 2 cores one round
 * of the distinct products of an 8-billion-parameter model is about 10 GFLOP per candidate. Memory limits the operands:
 * a weight of the full extent in float32 is at most 1/64 of the memory that a row is for, since several workers hold a
 * dozen problems each at the same time.
 */
struct scale_row {
	uint64_t from; /* cores, or bytes */
	struct mxt_scale scale;
};

#define GIB (UINT64_C(1) << 30)

static const struct scale_row by_cores[] = {
    {0, {128, 512, 4096}},    {4, {256, 1024, 4096}},    {8, {512, 2048, 8192}},
    {16, {1024, 2048, 8192}}, {32, {2048, 4096, 16384}}, {64, {4096, 8192, 16384}},
};

static const struct scale_row by_memory[] = {
    {0, {32, 128, 512}},
    {GIB, {64, 256, 2048}},
    {4 * GIB, {256, 1024, 4096}},
    {32 * GIB, {1024, 4096, 8192}},
    {128 * GIB, {4096, 8192, 16384}},
};

static const struct mxt_scale *row_for(const struct scale_row *rows, size_t count, uint64_t value)
{
	const struct mxt_scale *found = &rows[0].scale;
	for (size_t i = 1; i < count && rows[i].from <= value; i++)
		found = &rows[i].scale;
	return found;
}

static int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

struct mxt_scale mxt_scale_for_host(uint32_t cores, uint64_t memory_bytes)
{
	const struct mxt_scale *c = row_for(by_cores, MXT_ARRAY_LEN(by_cores), cores);
	const struct mxt_scale *m = row_for(by_memory, MXT_ARRAY_LEN(by_memory), memory_bytes);
	return (struct mxt_scale){smaller(c->gemm_tokens, m->gemm_tokens),
				  smaller(c->attention_tokens, m->attention_tokens),
				  smaller(c->weight_extent, m->weight_extent)};
}
