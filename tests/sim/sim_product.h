/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products in plain loops: row-major a[m][k] times b[k][n] is c[m][n].
 */
#ifndef MXT_SIM_PRODUCT_H
#define MXT_SIM_PRODUCT_H

#include <stdint.h>

struct mxt_sim_product {
	int64_t m, n, k;
};

/* Adds nothing up but the product itself: c need not be cleared. */
void mxt_sim_product_compute(const struct mxt_sim_product *product, const double *a, const double *b, double *c);
/* Through the cache of results. */
void mxt_sim_product_run(const struct mxt_sim_product *product, const double *a, const double *b, double *c);

#endif
