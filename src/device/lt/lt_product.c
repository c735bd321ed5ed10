/* SPDX-License-Identifier: Apache-2.0 */
#include "lt_product.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "torch_device.h"

/*
 * A row-major matrix is its transpose to a column-major library, so what is computed is c' = b' a': the right operand
 * comes first, and an operand that torch does not transpose is not transposed here. Rows and columns are those of the
 * stored, row-major matrix.
 */
static int create_layout(const struct mxt_lt_library *lt, struct mxt_lt_layout **ret_layout, enum mxt_dtype dtype,
			 int64_t stored_rows, int64_t columns, int64_t ld)
{
	return lt->call.layout_create(ret_layout, lt->dialect->types[dtype], (uint64_t)columns, (uint64_t)stored_rows,
				      ld);
}

static int create_layouts(struct mxt_lt_product *p, const struct mxt_gemm *g)
{
	int status =
	    create_layout(p->lt, &p->left, g->dtype, g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n, g->ldb);
	if (status == 0)
		status = create_layout(p->lt, &p->right, g->dtype, g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k,
				       g->lda);
	if (status == 0)
		status = create_layout(p->lt, &p->out, g->dtype, g->m, g->n, g->ldc);
	return status;
}

static int set(const struct mxt_lt_product *p, int attribute, int32_t value)
{
	return p->lt->call.description_set(p->description, attribute, &value, sizeof value);
}

static int point_to_bias(const struct mxt_lt_product *p, const char *bias)
{
	return p->lt->call.description_set(p->description, p->lt->dialect->bias_pointer, &bias, sizeof bias);
}

/* The heuristic looks at how the bias is aligned, so it is told of one before it is asked. */
static int create_description(struct mxt_lt_product *p, const struct mxt_gemm *g, const char *bias)
{
	const struct mxt_lt_dialect *dialect = p->lt->dialect;
	int status = p->lt->call.description_create(&p->description, dialect->compute_f32, dialect->scale_f32);
	if (status == 0 && g->trans_b)
		status = set(p, dialect->transpose_a, dialect->transposed);
	if (status == 0 && g->trans_a)
		status = set(p, dialect->transpose_b, dialect->transposed);
	if (status == 0 && g->bias)
		status = set(p, dialect->epilogue, dialect->epilogue_bias);
	if (status == 0 && g->bias)
		status = point_to_bias(p, bias);
	return status;
}

/* That operands lie on 256-byte lines, as torch's do, is the library's assumption unless it is told otherwise. */
static int create_preference(struct mxt_lt_product *p, uint64_t workspace_bytes)
{
	const struct mxt_lt_calls *call = &p->lt->call;
	int status = call->preference_create(&p->preference);
	if (status == 0)
		status = call->preference_set(p->preference, p->lt->dialect->workspace, &workspace_bytes,
					      sizeof workspace_bytes);
	return status;
}

int mxt_lt_product_init(struct mxt_lt_product *product, struct mxt_lt_library *lt, const struct mxt_gemm *shape,
			const struct mxt_gemm_operands *operands, size_t workspace_bytes, struct mxt_error *err)
{
	*product = (struct mxt_lt_product){.lt = lt, .workspace_bytes = workspace_bytes, .bias = shape->bias};
	int status = create_layouts(product, shape);
	if (status == 0)
		status = create_description(product, shape, operands->bias);
	if (status == 0)
		status = create_preference(product, workspace_bytes);
	if (status == 0)
		return 0;
	mxt_lt_product_finish(product);
	return mxt_lt_library_refused(lt, status, -EIO, "describe a product", err);
}

void mxt_lt_product_finish(struct mxt_lt_product *product)
{
	const struct mxt_lt_calls *call = &product->lt->call;
	struct mxt_lt_layout *const layouts[] = {product->left, product->right, product->out};
	for (size_t i = 0; i < MXT_ARRAY_LEN(layouts); i++)
		if (layouts[i])
			(void)call->layout_destroy(layouts[i]);
	if (product->description)
		(void)call->description_destroy(product->description);
	if (product->preference)
		(void)call->preference_destroy(product->preference);
}

/* Where results may be larger than is known, what is written shows how far they are apart. */
static int find_stride(struct mxt_lt_library *lt, const struct mxt_lt_results *results, size_t *ret_stride,
		       struct mxt_error *err)
{
	const struct mxt_lt_result_layout *layout = &lt->dialect->result;
	bool certain = true;
	size_t stride = lt->stride ? lt->stride : layout->bytes;
	int rc = layout->may_grow ? mxt_lt_results_stride(results, layout, stride, &stride, &certain, err) : 0;
	if (rc < 0)
		return mxt_error_wrap(err, rc, "%s", lt->version);
	if (certain)
		lt->stride = stride;
	*ret_stride = stride;
	return 0;
}

static int take(struct mxt_lt_library *lt, const struct mxt_lt_results *results, struct mxt_lt_choices *ret_choices,
		struct mxt_error *err)
{
	size_t stride = 0;
	int rc = find_stride(lt, results, &stride, err);
	if (rc < 0)
		return rc;
	struct mxt_lt_choice *items = calloc(results->returned, sizeof *items);
	if (!items)
		return mxt_error_oom(err);
	size_t count = mxt_lt_results_read(results, &lt->dialect->result, stride, items);
	if (count == 0) {
		free(items);
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "%s names no algorithm for this product",
				     lt->dialect->title);
	}
	*ret_choices = (struct mxt_lt_choices){items, count};
	return 0;
}

int mxt_lt_product_choices(const struct mxt_lt_product *product, int most, struct mxt_lt_choices *ret_choices,
			   struct mxt_error *err)
{
	struct mxt_lt_library *lt = product->lt;
	size_t bytes = (size_t)most * MXT_LT_SLOT_BYTES;
	MXT_CLEANUP_FREE unsigned char *memory = malloc(bytes);
	int found = 0;
	if (!memory)
		return mxt_error_oom(err);
	memset(memory, MXT_LT_POISON, bytes);
	int status = lt->call.heuristic(lt->handle, product->description, product->left, product->right, product->out,
					product->out, product->preference, most, memory, &found);
	if (status != 0)
		return mxt_lt_library_refused(lt, status, -ENOTSUP, "rank algorithms for this product", err);
	if (found <= 0 || found > most)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "%s names no algorithm for this product (%d of %d)", lt->dialect->title, found,
				     most);
	const struct mxt_lt_results results = {.bytes = memory,
					       .asked = (size_t)most,
					       .returned = (size_t)found,
					       .workspace_bytes = product->workspace_bytes};
	return take(lt, &results, ret_choices, err);
}

void mxt_lt_choices_finish(struct mxt_lt_choices *choices)
{
	free(choices->items);
	*choices = (struct mxt_lt_choices){NULL, 0};
}

int mxt_lt_product_run(const struct mxt_lt_product *product, const struct mxt_gemm_operands *operands,
		       const struct mxt_lt_choice *choice, void *workspace, struct mxt_error *err)
{
	const float alpha = 1, beta = 0;
	const struct mxt_lt_library *lt = product->lt;
	int status = product->bias ? point_to_bias(product, operands->bias) : 0;
	if (status == 0)
		status = lt->call.matmul(lt->handle, product->description, &alpha, operands->b, product->left,
					 operands->a, product->right, &beta, operands->c, product->out, operands->c,
					 product->out, choice->algorithm, workspace, choice->workspace_bytes, NULL);
	return status == 0 ? 0 : mxt_lt_library_refused(lt, status, -ENOTSUP, "run an algorithm that it offered", err);
}
