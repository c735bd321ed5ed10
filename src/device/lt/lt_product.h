/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix product in cuBLASLt or hipBLASLt: the algorithms that the library ranks for it, and running one of them.
 */
#ifndef MXT_LT_LT_PRODUCT_H
#define MXT_LT_LT_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "lt_library.h"
#include "lt_results.h"
#include "problem.h"

struct mxt_error;
struct mxt_gemm_operands;

/* A product as torch asks for it. */
struct mxt_lt_product {
	struct mxt_lt_library *lt;
	struct mxt_lt_description *description;
	struct mxt_lt_layout *left, *right, *out;
	struct mxt_lt_preference *preference;
	size_t workspace_bytes;
	bool bias;
};

/*
 * `workspace_bytes` is what algorithms may use. Operands of later runs are aligned as these are. Borrows the library;
 * to be finished when it returned 0.
 */
int mxt_lt_product_init(struct mxt_lt_product *product, struct mxt_lt_library *lt, const struct mxt_gemm *shape,
			const struct mxt_gemm_operands *operands, size_t workspace_bytes,
			struct mxt_error *err) MXT_WUR;
void mxt_lt_product_finish(struct mxt_lt_product *product);

struct mxt_lt_choices {
	struct mxt_lt_choice *items; /* owned */
	size_t count;
};

/*
 * The library's ranking, at most `most` (at least 1), its own choice first. -ENOTSUP when it has none for this product,
 * -EPROTO (MXT_E_LT_LAYOUT) when its answer cannot be read.
 */
int mxt_lt_product_choices(const struct mxt_lt_product *product, int most, struct mxt_lt_choices *ret_choices,
			   struct mxt_error *err) MXT_WUR;
void mxt_lt_choices_finish(struct mxt_lt_choices *choices); /* zeroed is fine */

/*
 * Queues one product on the default stream. -ENOTSUP when the algorithm refuses it. `workspace` holds as much as the
 * choice needs.
 */
int mxt_lt_product_run(const struct mxt_lt_product *product, const struct mxt_gemm_operands *operands,
		       const struct mxt_lt_choice *choice, void *workspace, struct mxt_error *err) MXT_WUR;

#endif
