/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_product.h"

#include <string.h>

#include "sim_number.h"

#include "sim_cache.h"

#define BLOCK 64 /* rows of b that stay in the processor's cache */

MXT_SIM_PLAIN static void add_scaled(double *restrict to, double factor, const double *restrict from, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		to[i] += factor * from[i];
}

void mxt_sim_product_compute(const struct mxt_sim_product *p, const double *a, const double *b, double *c)
{
	memset(c, 0, (size_t)(p->m * p->n) * sizeof *c);
	for (int64_t start = 0; start < p->k; start += BLOCK) {
		int64_t end = start + BLOCK < p->k ? start + BLOCK : p->k;
		for (int64_t i = 0; i < p->m; i++)
			for (int64_t l = start; l < end; l++)
				add_scaled(&c[i * p->n], a[i * p->k + l], &b[l * p->n], p->n);
	}
}

void mxt_sim_product_run(const struct mxt_sim_product *product, const double *a, const double *b, double *c)
{
	const double dimensions[] = {(double)product->m, (double)product->n, (double)product->k};
	size_t count = (size_t)(product->m * product->n);
	struct mxt_sim_key key = MXT_SIM_KEY_INIT;
	mxt_sim_key_add(&key, dimensions, 3);
	mxt_sim_key_add(&key, a, (size_t)(product->m * product->k));
	mxt_sim_key_add(&key, b, (size_t)(product->k * product->n));
	const double *known = mxt_sim_cache_find(&key, count);
	if (known) {
		memcpy(c, known, count * sizeof *c);
		return;
	}
	mxt_sim_product_compute(product, a, b, c);
	mxt_sim_cache_put(&key, c, count);
}
