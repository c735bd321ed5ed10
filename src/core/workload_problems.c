/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a workload to the problems of one training step.
 *
 * Matrix products are those that torch issues for peft under autocast, where adapters are cast to the dtype of the step
 * before they multiply. Activations are [tokens, features], weights [out, in], all row-major and dense:
 *
 *   forward            y[T,out]  = x[T,in] W[out,in]^T        once, and again when the layer is checkpointed
 *   gradient of x      dx[T,in]  = dy[T,out] W[out,in]
 *   gradient of W      dW[out,in] = dy[T,out]^T x[T,in]       only where W trains
 *
 * A LoRA pair is two such products in a row, A[r,in] then B[out,r], both of which train; its frozen base has no
 * gradient of W. lm_head runs once and is never checkpointed. Left out, because they weigh the same in every candidate:
 * gradient accumulation (it repeats the whole step), the first layer's missing gradient of x, and everything that is
 * not a product or attention, which appears in the layer only, as fillers that stream the same number of bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "workload.h"

#define MAX_PROBLEMS 128
#define MAX_STEPS    512
#define PPM          1000000

struct builder {
	const struct mxt_model *model;
	const struct mxt_training *training;
	uint32_t excluded;
	struct mxt_scale scale;
	enum mxt_dtype dtype;
	int64_t tokens, real_tokens;
	bool in_layer;                           /* append to the layer's sequence */
	bool failed;                             /* a table was too small: a fault of this file */
	uint32_t attention[MXT_DIRECTION_COUNT]; /* the real shape's problems */
	struct mxt_problem_set *set;
};

/* One weight matrix [out, in] and how it is trained. */
struct linear {
	uint32_t projection; /* enum mxt_projection bits; 0: lm_head */
	int64_t in, out;
	bool bias;
	bool base, lora; /* which products are modelled */
};

static int64_t limited(int64_t value, int32_t limit)
{
	return limit > 0 && value > limit ? limit : value;
}

static uint32_t add_problem(struct builder *b, const struct mxt_problem *problem)
{
	struct mxt_problem_set *set = b->set;
	for (size_t i = 0; i < set->n_problems; i++)
		if (mxt_problem_equal(&set->problems[i], problem))
			return (uint32_t)i;
	if (set->n_problems == MAX_PROBLEMS) {
		b->failed = true;
		return 0;
	}
	set->problems[set->n_problems] = *problem;
	set->problems[set->n_problems].calls = 0;
	set->problems[set->n_problems].share_ppm = 0;
	return (uint32_t)set->n_problems++;
}

static void add_step(struct builder *b, uint32_t problem, uint64_t filler_bytes)
{
	if (!b->in_layer)
		return;
	if (b->set->n_layer == MAX_STEPS) {
		b->failed = true;
		return;
	}
	b->set->layer[b->set->n_layer++] = (struct mxt_layer_step){problem, filler_bytes};
}

/* A bandwidth-bound operation that reads and writes `passes` arrays of `features` values per token. */
static void filler(struct builder *b, int passes, int64_t features)
{
	if (features == 0)
		return;
	int64_t elements = passes * b->tokens * limited(features, b->scale.weight_extent);
	add_step(b, MXT_LAYER_FILLER, (uint64_t)elements * mxt_dtype_bytes(b->dtype));
}

/* ---- products ---- */

enum product { PRODUCT_FORWARD, PRODUCT_INPUT_GRADIENT, PRODUCT_WEIGHT_GRADIENT };

static struct mxt_gemm product_shape(const struct builder *b, enum product product, int64_t out, int64_t in)
{
	int64_t t = b->tokens;
	switch (product) {
	case PRODUCT_FORWARD:
		return (struct mxt_gemm){.m = t, .n = out, .k = in, .lda = in, .ldb = in, .ldc = out, .trans_b = true};
	case PRODUCT_INPUT_GRADIENT:
		return (struct mxt_gemm){.m = t, .n = in, .k = out, .lda = out, .ldb = in, .ldc = in};
	case PRODUCT_WEIGHT_GRADIENT:
		break;
	}
	return (struct mxt_gemm){.m = out, .n = in, .k = t, .lda = out, .ldb = in, .ldc = in, .trans_a = true};
}

/* Calls of the whole product, as so many calls of its cut: rounded, and never beyond what the counter holds. */
static void add_calls(struct mxt_problem *problem, uint32_t calls, int64_t real, int64_t cut)
{
	uint64_t more = ((uint64_t)real * calls + (uint64_t)cut / 2) / (uint64_t)cut;
	problem->calls = more < UINT32_MAX - problem->calls ? problem->calls + (uint32_t)more : UINT32_MAX;
}

/* A product with a weight of out x in, `calls` times a step. */
static void multiply(struct builder *b, enum product product, int64_t out, int64_t in, bool bias, uint32_t calls)
{
	int64_t cut_out = limited(out, b->scale.weight_extent);
	int64_t cut_in = limited(in, b->scale.weight_extent);
	if (cut_out <= 0 || cut_in <= 0)
		return; /* a weight without elements */
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM};
	problem.as.gemm = product_shape(b, product, cut_out, cut_in);
	problem.as.gemm.dtype = b->dtype;
	problem.as.gemm.bias = bias && product == PRODUCT_FORWARD;
	uint32_t index = add_problem(b, &problem);
	int64_t real = out * in, cut = cut_out * cut_in;
	add_calls(&b->set->problems[index], calls, real, cut);
	b->set->problems[index].share_ppm = PPM;
	b->set->step_flops[MXT_PROBLEM_GEMM] += 2.0 * (double)b->real_tokens * (double)real * calls;
	b->set->scaled = b->set->scaled || real != cut;
	add_step(b, index, 0);
}

static bool has_lora(const struct builder *b, const struct linear *l)
{
	return l->lora && b->training->adapter != MXT_ADAPTER_NONE && (b->training->lora_targets & l->projection) != 0;
}

static void linear_forward(struct builder *b, const struct linear *l, uint32_t calls)
{
	if (l->base)
		multiply(b, PRODUCT_FORWARD, l->out, l->in, l->bias, calls);
	if (!has_lora(b, l))
		return;
	multiply(b, PRODUCT_FORWARD, b->training->lora_rank, l->in, false, calls);
	multiply(b, PRODUCT_FORWARD, l->out, b->training->lora_rank, false, calls);
	filler(b, 3, l->out); /* base + scaled update */
}

static void linear_backward(struct builder *b, const struct linear *l, uint32_t calls)
{
	if (has_lora(b, l)) {
		int64_t rank = b->training->lora_rank;
		multiply(b, PRODUCT_INPUT_GRADIENT, l->out, rank, false, calls);
		multiply(b, PRODUCT_WEIGHT_GRADIENT, l->out, rank, false, calls);
		multiply(b, PRODUCT_INPUT_GRADIENT, rank, l->in, false, calls);
		multiply(b, PRODUCT_WEIGHT_GRADIENT, rank, l->in, false, calls);
		filler(b, 3, l->in); /* gradients of both branches */
	}
	if (!l->base)
		return;
	multiply(b, PRODUCT_INPUT_GRADIENT, l->out, l->in, false, calls);
	if (b->training->adapter == MXT_ADAPTER_NONE)
		multiply(b, PRODUCT_WEIGHT_GRADIENT, l->out, l->in, false, calls);
}

/* ---- attention ---- */

/*
 * Representative shapes: the real micro-batch and length; half the length; micro-batch 1; micro-batch 1 at twice the
 * length. Packed and padded jobs only ever run the first: the others weigh nothing there and are for warnings.
 */
struct attention_row {
	int32_t batch_divisor; /* 0: micro-batch 1 */
	int32_t length_percent;
	uint32_t varying_ppm, fixed_ppm;
};

static const struct attention_row attention_rows[] = {
    {1, 100, 400000, PPM},
    {1, 50, 300000, 0},
    {0, 100, 200000, 0},
    {0, 200, 100000, 0},
};

/* The job's micro-batch and length, cut so that twice the length still keeps within the limit. */
static struct mxt_attention main_shape(const struct builder *b, bool cut)
{
	const struct mxt_training *t = b->training;
	struct mxt_attention shape = {.batch = t->micro_batch,
				      .seq = t->seq_len,
				      .heads = b->model->heads,
				      .kv_heads = b->model->kv_heads,
				      .head_dim = b->model->head_dim,
				      .causal = true,
				      .dtype = b->dtype};
	int32_t limit = b->scale.attention_tokens;
	if (cut && limit > 0) {
		shape.seq = (int32_t)limited(shape.seq, limit / 2);
		shape.batch = (int32_t)limited(shape.batch, limit / shape.seq);
	}
	return shape;
}

static struct mxt_problem attention_problem(struct mxt_attention main, const struct attention_row *row,
					    enum mxt_direction direction)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION};
	int64_t seq = (int64_t)main.seq * row->length_percent / 100;
	main.seq = seq > 0 ? (int32_t)seq : 1;
	main.batch = row->batch_divisor ? main.batch : 1;
	main.direction = direction;
	problem.as.attention = main;
	return problem;
}

static uint32_t attention_layers(const struct builder *b)
{
	return (uint32_t)(b->model->attention_layers ? b->model->attention_layers : b->model->layers);
}

static uint32_t pass_calls(const struct builder *b, uint32_t layers, enum mxt_direction direction)
{
	return direction == MXT_FORWARD && b->training->checkpointing ? 2 * layers : layers;
}

static void add_attention(struct builder *b, const struct attention_row *row, enum mxt_direction direction)
{
	bool fixed = b->training->packing || b->training->padding;
	uint32_t share = fixed ? row->fixed_ppm : row->varying_ppm;
	uint32_t calls = pass_calls(b, attention_layers(b), direction);
	struct mxt_problem problem = attention_problem(main_shape(b, true), row, direction);
	struct mxt_problem real = attention_problem(main_shape(b, false), row, direction);
	uint32_t index = add_problem(b, &problem);
	b->set->problems[index].calls = calls;
	b->set->problems[index].share_ppm += share;
	b->set->step_flops[MXT_PROBLEM_ATTENTION] += mxt_problem_flops(&real) * calls * share / PPM;
	b->set->scaled = b->set->scaled || !mxt_problem_equal(&problem, &real);
	if (row == &attention_rows[0])
		b->attention[direction] = index;
}

static void add_attentions(struct builder *b)
{
	if (b->excluded & MXT_PART_ATTENTION)
		return;
	for (size_t i = 0; i < MXT_ARRAY_LEN(attention_rows); i++)
		for (int d = 0; d < MXT_DIRECTION_COUNT; d++)
			add_attention(b, &attention_rows[i], (enum mxt_direction)d);
}

/* ---- one layer ---- */

#define MAX_LINEARS 3

struct linear_group {
	struct linear items[MAX_LINEARS];
	size_t count;
};

static struct linear make_linear(const struct builder *b, uint32_t projection, int64_t out, int64_t in, bool bias)
{
	return (struct linear){
	    projection, in, out, bias, !(b->excluded & MXT_PART_BASE), !(b->excluded & MXT_PART_LORA)};
}

static struct linear_group qkv_group(const struct builder *b)
{
	const struct mxt_model *m = b->model;
	int64_t q = (int64_t)m->heads * m->head_dim, kv = (int64_t)m->kv_heads * m->head_dim;
	if (b->excluded & MXT_PART_QKVO)
		return (struct linear_group){.count = 0};
	if (m->fused_qkv)
		return (struct linear_group){
		    {make_linear(b, MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V, q + 2 * kv, m->hidden, m->attention_bias)},
		    1};
	return (struct linear_group){{make_linear(b, MXT_PROJ_Q, q, m->hidden, m->attention_bias),
				      make_linear(b, MXT_PROJ_K, kv, m->hidden, m->attention_bias),
				      make_linear(b, MXT_PROJ_V, kv, m->hidden, m->attention_bias)},
				     3};
}

static struct linear_group o_group(const struct builder *b)
{
	const struct mxt_model *m = b->model;
	if (b->excluded & MXT_PART_QKVO)
		return (struct linear_group){.count = 0};
	return (struct linear_group){{make_linear(b, MXT_PROJ_O, m->hidden, (int64_t)m->heads * m->head_dim, false)},
				     1};
}

/* A mixture of experts may have no dense width. */
static bool has_mlp(const struct builder *b)
{
	return !(b->excluded & MXT_PART_MLP) && b->model->ffn > 0;
}

static struct linear_group up_group(const struct builder *b)
{
	const struct mxt_model *m = b->model;
	if (!has_mlp(b))
		return (struct linear_group){.count = 0};
	if (!m->gated_mlp)
		return (struct linear_group){{make_linear(b, MXT_PROJ_UP, m->ffn, m->hidden, false)}, 1};
	if (m->fused_gate_up)
		return (struct linear_group){
		    {make_linear(b, MXT_PROJ_GATE | MXT_PROJ_UP, 2 * (int64_t)m->ffn, m->hidden, false)}, 1};
	return (struct linear_group){{make_linear(b, MXT_PROJ_GATE, m->ffn, m->hidden, false),
				      make_linear(b, MXT_PROJ_UP, m->ffn, m->hidden, false)},
				     2};
}

static struct linear_group down_group(const struct builder *b)
{
	if (!has_mlp(b))
		return (struct linear_group){.count = 0};
	return (struct linear_group){{make_linear(b, MXT_PROJ_DOWN, b->model->hidden, b->model->ffn, false)}, 1};
}

static void group_forward(struct builder *b, struct linear_group group, uint32_t calls)
{
	for (size_t i = 0; i < group.count; i++)
		linear_forward(b, &group.items[i], calls);
}

/* In reverse; where several share an input, their gradients are added up. */
static void group_backward(struct builder *b, struct linear_group group, uint32_t calls)
{
	for (size_t i = group.count; i-- > 0;) {
		linear_backward(b, &group.items[i], calls);
		if (i + 1 < group.count)
			filler(b, 3, group.items[i].in);
	}
}

static int64_t qk_features(const struct builder *b)
{
	return ((int64_t)b->model->heads + b->model->kv_heads) * b->model->head_dim;
}

static void attention_step(struct builder *b, enum mxt_direction direction)
{
	filler(b, 2, qk_features(b)); /* rotary embedding */
	if (!(b->excluded & MXT_PART_ATTENTION))
		add_step(b, b->attention[direction], 0);
}

static void layer_forward(struct builder *b)
{
	uint32_t attention_calls = pass_calls(b, attention_layers(b), MXT_FORWARD);
	uint32_t mlp_calls = pass_calls(b, (uint32_t)b->model->layers, MXT_FORWARD);
	filler(b, 2, b->model->hidden); /* norm */
	group_forward(b, qkv_group(b), attention_calls);
	attention_step(b, MXT_FORWARD);
	group_forward(b, o_group(b), attention_calls);
	filler(b, 3, b->model->hidden); /* residual */
	filler(b, 2, b->model->hidden); /* norm */
	group_forward(b, up_group(b), mlp_calls);
	filler(b, b->model->gated_mlp ? 3 : 2, b->model->ffn); /* activation */
	group_forward(b, down_group(b), mlp_calls);
	filler(b, 3, b->model->hidden); /* residual */
}

static void layer_backward(struct builder *b)
{
	uint32_t attention_calls = attention_layers(b);
	uint32_t mlp_calls = (uint32_t)b->model->layers;
	group_backward(b, down_group(b), mlp_calls);
	filler(b, b->model->gated_mlp ? 5 : 3, b->model->ffn); /* activation */
	group_backward(b, up_group(b), mlp_calls);
	filler(b, 3, b->model->hidden); /* norm */
	filler(b, 3, b->model->hidden); /* residual */
	group_backward(b, o_group(b), attention_calls);
	attention_step(b, MXT_BACKWARD);
	group_backward(b, qkv_group(b), attention_calls);
	filler(b, 3, b->model->hidden); /* norm */
	filler(b, 3, b->model->hidden); /* residual */
}

/* Forward, the repeated forward of a checkpoint, backward. */
static void add_layer(struct builder *b)
{
	b->in_layer = true;
	layer_forward(b);
	size_t forward_steps = b->set->n_layer;
	for (size_t i = 0; b->training->checkpointing && i < forward_steps; i++)
		add_step(b, b->set->layer[i].problem, b->set->layer[i].filler_bytes);
	layer_backward(b);
	b->in_layer = false;
}

static void add_lm_head(struct builder *b)
{
	struct linear head = {0, b->model->hidden, b->model->vocab, false, true, false};
	if (b->excluded & MXT_PART_LM_HEAD)
		return;
	linear_forward(b, &head, 1);
	linear_backward(b, &head, 1);
}

/* ---- the set ---- */

static int set_allocate(struct mxt_problem_set *set, struct mxt_error *err)
{
	set->problems = calloc(MAX_PROBLEMS, sizeof *set->problems);
	set->layer = calloc(MAX_STEPS, sizeof *set->layer);
	return set->problems && set->layer ? 0 : mxt_error_oom(err);
}

static int set_check(const struct builder *b, struct mxt_error *err)
{
	const struct mxt_problem_set *set = b->set;
	if (b->failed)
		return mxt_error_set(err, -EOVERFLOW, MXT_E_INTERNAL, "a workload has more problems than expected");
	if (set->n_problems == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_WORKLOAD,
				     "nothing of this workload can be modelled, so there is nothing to tune; "
				     "--print-workload lists the reasons");
	for (size_t i = 0; i < set->n_problems; i++) {
		if (mxt_problem_validate(&set->problems[i]) == 0)
			continue;
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_problem_text(&set->problems[i], &text);
		return mxt_error_set(err, -ERANGE, MXT_E_WORKLOAD,
				     "the workload needs a problem that is too large to time (%s); use a smaller "
				     "micro-batch or sequence length",
				     mxt_buf_text(&text));
	}
	return 0;
}

int mxt_workload_problems(const struct mxt_workload *workload, const struct mxt_scale *scale, enum mxt_dtype dtype,
			  struct mxt_problem_set *ret_set, struct mxt_error *err)
{
	struct mxt_problem_set set = {.scale = *scale};
	int64_t tokens = (int64_t)workload->training.micro_batch * workload->training.seq_len;
	struct builder b = {.model = &workload->model,
			    .training = &workload->training,
			    .excluded = workload->excluded,
			    .scale = *scale,
			    .dtype = dtype,
			    .tokens = limited(tokens, scale->gemm_tokens),
			    .real_tokens = tokens,
			    .set = &set};
	int rc = set_allocate(&set, err);
	if (rc == 0) {
		set.scaled = b.tokens != tokens;
		add_attentions(&b);
		add_layer(&b);
		add_lm_head(&b);
		rc = set_check(&b, err);
	}
	if (rc < 0)
		mxt_problem_set_finish(&set);
	else
		*ret_set = set;
	return rc;
}

void mxt_problem_set_finish(struct mxt_problem_set *set)
{
	free(set->problems);
	free(set->layer);
	*set = (struct mxt_problem_set){.problems = NULL};
}
