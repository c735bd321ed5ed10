/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a product that lies on a device is from the truth, in double precision, at a cost far below its own.
 */
#ifndef MXT_GEMM_DISTANCE_H
#define MXT_GEMM_DISTANCE_H

#include <stdint.h>

#include "compiler.h"
#include "problem.h"
#include "torch_device.h"

/* Memory on the device, laid out as the shape says. Borrowed. */
struct mxt_gemm_product {
	const struct mxt_gemm *shape; /* one product, whatever its batch */
	char *a, *b;
	char *bias;   /* [n], or NULL */
	char *before; /* what c held that the product was added to, laid out as c; NULL: it was overwritten */
	char *c;
};

/*
 * The larger of two distances, relative to the largest sampled reference element; infinite where a result that was
 * looked at is not a number:
 *
 * sampled: up to 1,024 elements at the crossings of evenly spaced rows and columns, the last of each among them, each
 * computed in full;
 * projected: Freivalds' test with 4 vectors of random signs, c r against a (b r), its worst row over sqrt(n): one that
 * sees an error anywhere.
 *
 * `bits`: BLAKE3 of the sampled elements and of the projections, so that equal products have equal bits and different
 * ones almost surely not.
 */
int mxt_gemm_product_distance(const struct mxt_device *device, const struct mxt_gemm_product *product,
			      double *ret_distance, uint8_t bits[32], struct mxt_error *err) MXT_WUR;

#endif
