/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in torch: tensors, and results of operators against plain loops. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "sim_fixture.h"
#include "sim_number.h"
#include "sim_tensor.h"

static void tensors(const struct mxt_sim_api *api)
{
	const int64_t sizes[] = {2, 3}, strides[] = {1, 2};
	int64_t *seen, ndim;
	int32_t dtype;
	void *tensor, *again, *nothing, *data, *same;
	SIM_CHECK(api->aoti_torch_empty_strided(2, sizes, strides, MXT_SIM_BFLOAT16, MXT_SIM_CPU, 0, &tensor) == 0);
	SIM_CHECK(api->aoti_torch_new_tensor_handle(tensor, &again) == 0);
	SIM_CHECK(api->aoti_torch_get_data_ptr(tensor, &data) == 0);
	mxt_sim_drop(api, tensor);
	SIM_CHECK(api->aoti_torch_get_data_ptr(again, &same) == 0 && same == data);
	SIM_CHECK(api->aoti_torch_get_dim(again, &ndim) == 0 && ndim == 2);
	SIM_CHECK(api->aoti_torch_get_sizes(again, &seen) == 0 && seen[0] == 2 && seen[1] == 3);
	SIM_CHECK(api->aoti_torch_get_strides(again, &seen) == 0 && seen[0] == 1 && seen[1] == 2);
	SIM_CHECK(api->aoti_torch_get_dtype(again, &dtype) == 0 && dtype == 15);
	uint64_t stack[] = {mxt_sim_arg(api, again), 0, 1};
	SIM_CHECK(api->torch_call_dispatcher("aten::transpose", "int", stack, api->aoti_torch_abi_version()) == 0);
	void *turned = mxt_sim_handle_at(stack[0]);
	SIM_CHECK(api->aoti_torch_get_sizes(turned, &seen) == 0 && seen[0] == 3 && seen[1] == 2);
	SIM_CHECK(api->aoti_torch_get_data_ptr(turned, &same) == 0 && same == data);
	mxt_sim_drop(api, turned);
	mxt_sim_drop(api, again);
	SIM_CHECK(api->aoti_torch_new_uninitialized_tensor(&nothing) == 0);
	SIM_CHECK(api->aoti_torch_get_dim(nothing, &ndim) == 1);
	SIM_CHECK(strstr(api->torch_exception_get_what_without_backtrace(), "undefined"));
	mxt_sim_drop(api, nothing);
}

static void blobs(const struct mxt_sim_api *api)
{
	float numbers[] = {1, 2, 3, 4, 5, 6};
	const int64_t sizes[] = {2}, strides[] = {2};
	void *tensor, *data;
	SIM_CHECK(api->aoti_torch_create_tensor_from_blob(numbers, 1, sizes, strides, 1, MXT_SIM_FLOAT32, MXT_SIM_CPU,
							  0, &tensor) == 0);
	SIM_CHECK(api->aoti_torch_get_data_ptr(tensor, &data) == 0 && data == &numbers[1]);
	double *seen = mxt_sim_numbers_of(api, tensor);
	SIM_CHECK(seen[0] == 2 && seen[1] == 4);
	free(seen);
	mxt_sim_drop(api, tensor);
}

/* copy_ of float64 into another type, and the bits that are left. */
static void copied_bits(const struct mxt_sim_api *api, double number, int32_t dtype, uint16_t *ret_bits)
{
	const int64_t sizes[] = {1};
	void *from = mxt_sim_tensor_of(api, MXT_SIM_CPU, MXT_SIM_FLOAT64, 1, sizes, &number);
	void *to = mxt_sim_tensor_of(api, MXT_SIM_CPU, dtype, 1, sizes, NULL), *data;
	uint64_t stack[] = {mxt_sim_arg(api, to), mxt_sim_arg(api, from), 0};
	mxt_sim_call(api, "aten::copy_", "", stack);
	mxt_sim_drop(api, mxt_sim_handle_at(stack[0]));
	SIM_CHECK(api->aoti_torch_get_data_ptr(to, &data) == 0);
	memcpy(ret_bits, data, sizeof *ret_bits);
	mxt_sim_drop(api, to);
	mxt_sim_drop(api, from);
}

static void rounding(const struct mxt_sim_api *api)
{
	static const struct {
		double number;
		int32_t dtype;
		uint16_t bits;
	} rows[] = {
	    {1, MXT_SIM_BFLOAT16, 0x3f80},
	    {1.00390625, MXT_SIM_BFLOAT16, 0x3f80}, /* a tie goes to even */
	    {1.01171875, MXT_SIM_BFLOAT16, 0x3f82},
	    {-2.5, MXT_SIM_BFLOAT16, 0xc020},
	    {1e39, MXT_SIM_BFLOAT16, 0x7f80},
	    {1, MXT_SIM_FLOAT16, 0x3c00},
	    {-2, MXT_SIM_FLOAT16, 0xc000},
	    {65504, MXT_SIM_FLOAT16, 0x7bff},
	    {65520, MXT_SIM_FLOAT16, 0x7c00},
	    {0x1p-24, MXT_SIM_FLOAT16, 0x0001},
	    {0x1p-14, MXT_SIM_FLOAT16, 0x0400},
	    {0x1.ffcp-15, MXT_SIM_FLOAT16, 0x0400},
	    {2047.9, MXT_SIM_FLOAT16, 0x6800},
	    {0, MXT_SIM_FLOAT16, 0},
	    {0, MXT_SIM_BFLOAT16, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint16_t bits;
		copied_bits(api, rows[i].number, rows[i].dtype, &bits);
		if (bits != rows[i].bits)
			(void)fprintf(stderr, "%g is 0x%04x\n", rows[i].number, bits);
		SIM_CHECK(bits == rows[i].bits);
	}
}

#define M ((size_t)5)
#define N ((size_t)7)
#define K ((size_t)11)

static void multiply(const double *a, const double *b, double *c)
{
	for (size_t i = 0; i < M; i++)
		for (size_t j = 0; j < N; j++) {
			c[i * N + j] = 0;
			for (size_t l = 0; l < K; l++)
				c[i * N + j] += a[i * K + l] * b[l * N + j];
		}
}

static void products_on(const struct mxt_sim_api *api, int32_t place)
{
	static const int64_t left[] = {M, K}, right[] = {K, N}, both[] = {M, N}, row[] = {N};
	double a[M * K], b[K * N], bias[N], expected[M * N], *seen;
	mxt_sim_fill(a, M * K, 1);
	mxt_sim_fill(b, K * N, 2);
	mxt_sim_fill(bias, N, 3);
	multiply(a, b, expected);
	void *ta = mxt_sim_tensor_of(api, place, MXT_SIM_FLOAT32, 2, left, a);
	void *tb = mxt_sim_tensor_of(api, place, MXT_SIM_FLOAT32, 2, right, b);
	void *tc = mxt_sim_tensor_of(api, place, MXT_SIM_FLOAT32, 2, both, NULL);
	void *tbias = mxt_sim_tensor_of(api, place, MXT_SIM_FLOAT32, 1, row, bias);
	for (int again = 0; again < 2; again++) { /* the second one comes from the cache */
		uint64_t stack[] = {mxt_sim_arg(api, ta), mxt_sim_arg(api, tb)};
		mxt_sim_call(api, "aten::mm", "", stack);
		seen = mxt_sim_numbers_of(api, mxt_sim_handle_at(stack[0]));
		SIM_CHECK(mxt_sim_close(seen, expected, M * N, 1e-6));
		free(seen);
		mxt_sim_drop(api, mxt_sim_handle_at(stack[0]));
	}
	uint64_t stack[] = {mxt_sim_arg(api, ta), mxt_sim_arg(api, tb), mxt_sim_arg(api, tc)};
	mxt_sim_call(api, "aten::mm", "out", stack);
	seen = mxt_sim_numbers_of(api, tc);
	SIM_CHECK(mxt_sim_close(seen, expected, M * N, 1e-6));
	free(seen);
	mxt_sim_drop(api, mxt_sim_handle_at(stack[0]));
	for (size_t i = 0; i < M * N; i++)
		expected[i] = 2 * bias[i % N] + 0.5 * expected[i];
	SIM_CHECK((place == MXT_SIM_CPU ? api->aoti_torch_cpu_addmm_out
					: api->aoti_torch_cuda_addmm_out)(tc, tbias, ta, tb, 2, 0.5) == 0);
	seen = mxt_sim_numbers_of(api, tc);
	SIM_CHECK(mxt_sim_close(seen, expected, M * N, 1e-6));
	free(seen);
	uint64_t wrong[] = {mxt_sim_arg(api, ta), mxt_sim_arg(api, ta)};
	SIM_CHECK(api->aoti_torch_call_dispatcher("aten::mm", "", wrong) == 1);
	SIM_CHECK(strstr(api->torch_exception_get_what_without_backtrace(), "cannot be multiplied (5x11 and 5x11)"));
	void *all[] = {ta, tb, tc, tbias};
	for (size_t i = 0; i < 4; i++)
		mxt_sim_drop(api, all[i]);
}

static void products(const struct mxt_sim_api *api)
{
	products_on(api, MXT_SIM_CPU);
	products_on(api, MXT_SIM_CUDA);
}

/* Attention as it is defined, one score at a time. */
#define B       ((size_t)2)
#define H       ((size_t)4)
#define S       ((size_t)37)
#define D       ((size_t)8)
#define Q_COUNT (B * H * S * D)

struct attention {
	size_t kv_heads;
	bool causal;
	double scale, q[Q_COUNT], k[Q_COUNT], v[Q_COUNT], grad[Q_COUNT];
	double out[Q_COUNT], lse[B * H * S], grad_q[Q_COUNT], grad_k[Q_COUNT], grad_v[Q_COUNT]; /* expected */
};

static double dot(const double *a, const double *b)
{
	double sum = 0;
	for (size_t i = 0; i < D; i++)
		sum += a[i] * b[i];
	return sum;
}

static void expect_row(struct attention *a, size_t row, size_t kv)
{
	double weights[S], sum = 0;
	size_t count = a->causal ? row % S + 1 : S;
	const double *q = &a->q[row * D], *grad = &a->grad[row * D];
	for (size_t j = 0; j < count; j++)
		sum += weights[j] = exp(a->scale * dot(q, &a->k[(kv + j) * D]));
	a->lse[row] = log(sum);
	for (size_t j = 0; j < count; j++)
		for (size_t c = 0; c < D; c++)
			a->out[row * D + c] += weights[j] / sum * a->v[(kv + j) * D + c];
	double delta = dot(grad, &a->out[row * D]);
	for (size_t j = 0; j < count; j++) {
		double weight = weights[j] / sum;
		double step = weight * (dot(grad, &a->v[(kv + j) * D]) - delta) * a->scale;
		for (size_t c = 0; c < D; c++) {
			a->grad_q[row * D + c] += step * a->k[(kv + j) * D + c];
			a->grad_k[(kv + j) * D + c] += step * q[c];
			a->grad_v[(kv + j) * D + c] += weight * grad[c];
		}
	}
}

static void round_all(double *numbers, int32_t dtype)
{
	for (size_t i = 0; i < Q_COUNT; i++)
		numbers[i] = mxt_sim_rounded(numbers[i], dtype);
}

static struct attention *expectation(size_t kv_heads, bool causal, int32_t dtype)
{
	struct attention *a = calloc(1, sizeof *a);
	a->kv_heads = kv_heads;
	a->causal = causal;
	a->scale = 1 / sqrt((double)D);
	double *inputs[] = {a->q, a->k, a->v, a->grad};
	for (uint64_t i = 0; i < 4; i++) {
		mxt_sim_fill(inputs[i], Q_COUNT, 10 + i);
		round_all(inputs[i], dtype);
	}
	for (size_t row = 0; row < B * H * S; row++) {
		size_t batch = row / (H * S), head = row / S % H;
		expect_row(a, row, (batch * kv_heads + head / (H / kv_heads)) * S);
	}
	return a;
}

static void expect(const struct mxt_sim_api *api, uint64_t result, const double *expected, size_t count, double bound)
{
	void *tensor = mxt_sim_handle_at(result);
	double *seen = mxt_sim_numbers_of(api, tensor);
	bool fits = mxt_sim_close(seen, expected, count, bound);
	free(seen);
	SIM_CHECK(fits);
	mxt_sim_drop(api, tensor);
}

/* The tensors of one comparison. */
struct operands {
	void *q, *k, *v, *grad, *undefined;
	double bound;
	size_t kv_count;
};

static struct operands operands_of(const struct mxt_sim_api *api, const struct attention *a, int32_t place,
				   int32_t dtype)
{
	const int64_t sizes[] = {B, H, S, D}, kv_sizes[] = {B, (int64_t)a->kv_heads, S, D};
	struct operands o = {.q = mxt_sim_tensor_of(api, place, dtype, 4, sizes, a->q),
			     .k = mxt_sim_tensor_of(api, place, dtype, 4, kv_sizes, a->k),
			     .v = mxt_sim_tensor_of(api, place, dtype, 4, kv_sizes, a->v),
			     .grad = mxt_sim_tensor_of(api, place, dtype, 4, sizes, a->grad),
			     .bound = dtype == MXT_SIM_FLOAT32 ? 1e-5 : 1e-2,
			     .kv_count = (size_t)(B * a->kv_heads * S * D)};
	(void)api->aoti_torch_new_uninitialized_tensor(&o.undefined);
	return o;
}

static void delete_operands(const struct mxt_sim_api *api, const struct operands *o)
{
	void *all[] = {o->q, o->k, o->v, o->grad, o->undefined};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mxt_sim_drop(api, all[i]);
}

#define ARG(handle) mxt_sim_arg(api, handle)
#define PTR(bits)   mxt_sim_handle_at(bits)

static void expect_gradients(const struct mxt_sim_api *api, const uint64_t *results, const struct attention *a,
			     const struct operands *o)
{
	expect(api, results[0], a->grad_q, Q_COUNT, o->bound);
	expect(api, results[1], a->grad_k, o->kv_count, o->bound);
	expect(api, results[2], a->grad_v, o->kv_count, o->bound);
}

static void expect_generated(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o,
			     void *const results[9], void *const grads[3])
{
	uint64_t bits[3];
	for (size_t i = 0; i < 3; i++)
		bits[i] = (uint64_t)(uintptr_t)grads[i];
	expect(api, (uint64_t)(uintptr_t)results[0], a->out, Q_COUNT, o->bound);
	expect(api, (uint64_t)(uintptr_t)results[1], a->lse, B * H * S, 1e-5);
	expect_gradients(api, bits, a, o);
	void *const rest[] = {results[2], results[3], results[6], results[7], results[8]};
	for (size_t i = 0; i < 5; i++)
		mxt_sim_drop(api, rest[i]);
}

static void flash(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	uint64_t f[9] = {ARG(o->q), ARG(o->k), ARG(o->v), mxt_sim_arg_float(0), a->causal, 0, 0};
	mxt_sim_call(api, "aten::_scaled_dot_product_flash_attention", "", f);
	SIM_CHECK(f[4] == S && f[5] == S);
	uint64_t b[15] = {ARG(o->grad),
			  ARG(o->q),
			  ARG(o->k),
			  ARG(o->v),
			  ARG(PTR(f[0])),
			  ARG(PTR(f[1])),
			  ARG(PTR(f[2])),
			  ARG(PTR(f[3])),
			  f[4],
			  f[5],
			  mxt_sim_arg_float(0),
			  a->causal,
			  ARG(PTR(f[6])),
			  ARG(PTR(f[7])),
			  mxt_sim_arg_box(mxt_sim_arg_float(a->scale))};
	mxt_sim_call(api, "aten::_scaled_dot_product_flash_attention_backward", "", b);
	const uint64_t rest[] = {f[2], f[3], f[6], f[7], f[8]};
	expect(api, f[0], a->out, Q_COUNT, o->bound);
	expect(api, f[1], a->lse, B * H * S, 1e-5);
	expect_gradients(api, b, a, o);
	mxt_sim_drop_results(api, rest, 5);
}

static void cudnn(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	uint64_t f[9] = {ARG(o->q), ARG(o->k), ARG(o->v),
			 0,         1,         mxt_sim_arg_float(0),
			 a->causal, 0,         mxt_sim_arg_box(mxt_sim_arg_float(a->scale))};
	mxt_sim_call(api, "aten::_scaled_dot_product_cudnn_attention", "", f);
	uint64_t b[16] = {ARG(o->grad),
			  ARG(o->q),
			  ARG(o->k),
			  ARG(o->v),
			  ARG(PTR(f[0])),
			  ARG(PTR(f[1])),
			  ARG(PTR(f[6])),
			  ARG(PTR(f[7])),
			  ARG(o->undefined),
			  ARG(PTR(f[2])),
			  ARG(PTR(f[3])),
			  f[4],
			  f[5],
			  mxt_sim_arg_float(0),
			  a->causal,
			  0};
	mxt_sim_call(api, "aten::_scaled_dot_product_cudnn_attention_backward", "", b);
	const uint64_t rest[] = {f[2], f[3], f[6], f[7], f[8]};
	expect(api, f[0], a->out, Q_COUNT, o->bound);
	expect(api, f[1], a->lse, B * H * S, 1e-5);
	expect_gradients(api, b, a, o);
	mxt_sim_drop_results(api, rest, 5);
}

static void efficient(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	static const int32_t wanted[] = {1, 1, 1, 0};
	void *grads[4];
	int64_t *sizes;
	uint64_t f[8] = {ARG(o->q), ARG(o->k), ARG(o->v), 0, 1, mxt_sim_arg_float(0), a->causal, 0};
	mxt_sim_call(api, "aten::_scaled_dot_product_efficient_attention", "", f);
	SIM_CHECK(api->aoti_torch_get_sizes(PTR(f[1]), &sizes) == 0 && sizes[2] == 64); /* 37, padded */
	SIM_CHECK(api->aoti_torch_cuda__scaled_dot_product_efficient_attention_backward(
		      o->grad, o->q, o->k, o->v, NULL, PTR(f[0]), PTR(f[1]), PTR(f[2]), PTR(f[3]), 0, wanted, 4,
		      a->causal, NULL, &grads[0], &grads[1], &grads[2], &grads[3]) == 0);
	uint64_t results[3];
	for (size_t i = 0; i < 3; i++)
		results[i] = (uint64_t)(uintptr_t)grads[i];
	const uint64_t rest[] = {f[1], f[2], f[3], (uint64_t)(uintptr_t)grads[3]};
	expect(api, f[0], a->out, Q_COUNT, o->bound);
	expect_gradients(api, results, a, o);
	mxt_sim_drop_results(api, rest, 4);
}

static void on_cpu(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	uint64_t f[7] = {ARG(o->q), ARG(o->k), ARG(o->v), mxt_sim_arg_float(0), a->causal, 0, 0};
	mxt_sim_call(api, "aten::_scaled_dot_product_flash_attention_for_cpu", "", f);
	uint64_t b[10] = {ARG(o->grad),         ARG(o->q), ARG(o->k), ARG(o->v), ARG(PTR(f[0])), ARG(PTR(f[1])),
			  mxt_sim_arg_float(0), a->causal, 0,         0};
	SIM_CHECK(
	    api->aoti_torch_call_dispatcher("aten::_scaled_dot_product_flash_attention_for_cpu_backward", "", b) == 0);
	expect(api, f[0], a->out, Q_COUNT, o->bound);
	expect(api, f[1], a->lse, B * H * S, 1e-5);
	expect_gradients(api, b, a, o);
}

/* The generated functions borrow their arguments. */
static void generated_flash(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	void *r[9], *grads[3];
	int64_t max_q = 0, max_k = 0;
	double scale = a->scale;
	SIM_CHECK(api->aoti_torch_cuda__scaled_dot_product_flash_attention(o->q, o->k, o->v, 0, a->causal, 0, NULL,
									   &r[0], &r[1], &r[2], &r[3], &max_q, &max_k,
									   &r[6], &r[7], &r[8]) == 0);
	SIM_CHECK(max_q == (int64_t)S && max_k == (int64_t)S);
	SIM_CHECK(api->aoti_torch_cuda__scaled_dot_product_flash_attention_backward(
		      o->grad, o->q, o->k, o->v, r[0], r[1], r[2], r[3], max_q, max_k, 0, a->causal, r[6], r[7], &scale,
		      &grads[0], &grads[1], &grads[2]) == 0);
	expect_generated(api, a, o, r, grads);
}

static void generated_cudnn(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	void *r[9], *grads[3];
	int64_t max_q = 0, max_k = 0;
	double scale = a->scale;
	SIM_CHECK(api->aoti_torch_cuda__scaled_dot_product_cudnn_attention(o->q, o->k, o->v, NULL, 1, 0, a->causal, 0,
									   &scale, &r[0], &r[1], &r[2], &r[3], &max_q,
									   &max_k, &r[6], &r[7], &r[8]) == 0);
	SIM_CHECK(api->aoti_torch_cuda__scaled_dot_product_cudnn_attention_backward(
		      o->grad, o->q, o->k, o->v, r[0], r[1], r[6], r[7], o->undefined, r[2], r[3], max_q, max_k, 0,
		      a->causal, NULL, &grads[0], &grads[1], &grads[2]) == 0);
	expect_generated(api, a, o, r, grads);
}

/* The way back is made of the weights: dV = P'dO, and with dS = softmax'(dO V') also dQ. */
static void math(const struct mxt_sim_api *api, const struct attention *a, const struct operands *o)
{
	uint64_t f[9] = {ARG(o->q), ARG(o->k), ARG(o->v), 0, mxt_sim_arg_float(0), a->causal, 0, 0, 1};
	mxt_sim_call(api, "aten::_scaled_dot_product_attention_math", "", f);
	double *weights = mxt_sim_numbers_of(api, PTR(f[1]));
	for (size_t row = 0; row < B * H * S; row++) {
		double sum = 0;
		for (size_t j = 0; j < S; j++)
			sum += weights[row * S + j];
		SIM_CHECK(fabs(sum - 1) < 0.02);
		SIM_CHECK(!a->causal || row % S == S - 1 || weights[row * S + row % S + 1] == 0);
	}
	free(weights);
	mxt_sim_drop(api, PTR(f[1]));
	expect(api, f[0], a->out, Q_COUNT, o->bound);
}

static void with(const struct mxt_sim_api *api, size_t kv_heads, int32_t place, int32_t dtype,
		 void (*backend)(const struct mxt_sim_api *, const struct attention *, const struct operands *))
{
	for (int causal = 0; causal < 2; causal++) {
		struct attention *a = expectation(kv_heads, causal, dtype);
		struct operands o = operands_of(api, a, place, dtype);
		backend(api, a, &o);
		backend(api, a, &o); /* from the cache */
		delete_operands(api, &o);
		free(a);
	}
}

static void attention(const struct mxt_sim_api *api)
{
	with(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, flash);
	with(api, 1, MXT_SIM_CUDA, MXT_SIM_FLOAT16, cudnn);
	with(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, generated_flash);
	with(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, generated_cudnn);
	with(api, H, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, efficient);
	with(api, H, MXT_SIM_CUDA, MXT_SIM_FLOAT32, efficient);
	with(api, H, MXT_SIM_CPU, MXT_SIM_FLOAT32, on_cpu);
	with(api, H, MXT_SIM_CPU, MXT_SIM_BFLOAT16, on_cpu);
	with(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16, math);
	with(api, 2, MXT_SIM_CPU, MXT_SIM_FLOAT32, math);
}

static void refuses_groups(const struct mxt_sim_api *api)
{
	struct attention *a = expectation(2, true, MXT_SIM_BFLOAT16);
	struct operands o = operands_of(api, a, MXT_SIM_CUDA, MXT_SIM_BFLOAT16);
	uint64_t f[8] = {ARG(o.q), ARG(o.k), ARG(o.v), 0, 1, mxt_sim_arg_float(0), 1, 0};
	SIM_CHECK(api->aoti_torch_call_dispatcher("aten::_scaled_dot_product_efficient_attention", "", f) == 1);
	uint64_t g[9] = {ARG(o.q), ARG(o.k), ARG(o.v), 0, mxt_sim_arg_float(0), 1, 0, 0, 0};
	SIM_CHECK(api->aoti_torch_call_dispatcher("aten::_scaled_dot_product_attention_math", "", g) == 1);
	free(a);
	delete_operands(api, &o);
}

static void softmax(const struct mxt_sim_api *api)
{
	const int64_t sizes[] = {1, 2};
	const double output[] = {0.25, 0.75}, grad[] = {1, 3}, expected[] = {0.25 * (1 - 2.5), 0.75 * (3 - 2.5)};
	void *to = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT32, 2, sizes, output);
	void *tg = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT32, 2, sizes, grad);
	uint64_t stack[] = {ARG(tg), ARG(to), (uint64_t)-1, MXT_SIM_FLOAT32};
	mxt_sim_call(api, "aten::_softmax_backward_data", "", stack);
	expect(api, stack[0], expected, 2, 1e-6);
	mxt_sim_drop(api, to);
	mxt_sim_drop(api, tg);
}

/* copy_ and mul_ with something smaller, and a matrix times a vector. */
static void broadcast(const struct mxt_sim_api *api)
{
	static const int64_t sizes[] = {2, 3}, row[] = {3}, column[] = {2}, scalar[] = {1};
	const double row_numbers[] = {1, 2, 3}, ten = 10, expected[] = {140, 140};
	void *matrix = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT64, 2, sizes, NULL);
	void *vector = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT64, 1, row, row_numbers);
	void *out = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT64, 1, column, NULL);
	void *factor = mxt_sim_tensor_of(api, MXT_SIM_CPU, MXT_SIM_FLOAT64, 0, scalar, &ten);
	uint64_t copy[] = {ARG(matrix), ARG(vector), 0};
	mxt_sim_call(api, "aten::copy_", "", copy);
	uint64_t multiply_by[] = {ARG(matrix), ARG(factor)};
	mxt_sim_call(api, "aten::mul_", "Tensor", multiply_by);
	uint64_t apply[] = {ARG(matrix), ARG(vector), ARG(out)};
	mxt_sim_call(api, "aten::mv", "out", apply);
	expect(api, apply[0], expected, 2, 0);
	mxt_sim_drop_results(api, copy, 1);
	mxt_sim_drop_results(api, multiply_by, 1);
	const double tens[] = {10, 10, 10, 10, 10, 10};
	uint64_t fill[] = {ARG(matrix), ARG(factor)};
	mxt_sim_call(api, "aten::fill_", "Tensor", fill);
	expect(api, fill[0], tens, 6, 0);
	uint64_t wrong[] = {ARG(vector), ARG(matrix), 0};
	SIM_CHECK(api->aoti_torch_call_dispatcher("aten::copy_", "", wrong) == 1);
	void *all[] = {matrix, vector, out, factor};
	for (size_t i = 0; i < 4; i++)
		mxt_sim_drop(api, all[i]);
}

static void random_numbers(const struct mxt_sim_api *api)
{
	enum { COUNT = 10000 };
	const int64_t sizes[] = {COUNT};
	double sum = 0, squares = 0;
	void *tensor = mxt_sim_tensor_of(api, MXT_SIM_CUDA, MXT_SIM_FLOAT32, 1, sizes, NULL);
	uint64_t stack[] = {ARG(tensor), mxt_sim_arg_float(2), mxt_sim_arg_float(3), 0};
	mxt_sim_call(api, "aten::normal_", "", stack);
	mxt_sim_drop(api, PTR(stack[0]));
	double *seen = mxt_sim_numbers_of(api, tensor);
	for (int i = 0; i < COUNT; i++) {
		sum += seen[i];
		squares += (seen[i] - 2) * (seen[i] - 2);
	}
	free(seen);
	SIM_CHECK(fabs(sum / COUNT - 2) < 0.15 && fabs(squares / COUNT - 9) < 0.5);
	mxt_sim_drop(api, tensor);
}

/* The choice for one set of tensors, or -1. */
static int64_t choice(const struct mxt_sim_api *api, size_t kv_heads, int32_t place, int32_t dtype)
{
	struct attention *a = expectation(kv_heads, true, MXT_SIM_FLOAT32);
	struct operands o = operands_of(api, a, place, dtype);
	uint64_t stack[8] = {ARG(o.q), ARG(o.k), ARG(o.v), 0, mxt_sim_arg_float(0), 1, 0, kv_heads != H};
	int failed = api->aoti_torch_call_dispatcher("aten::_fused_sdp_choice", "", stack);
	free(a);
	delete_operands(api, &o);
	return failed ? -1 : (int64_t)stack[0];
}

static void chooses_cudnn(const struct mxt_sim_api *api)
{
	SIM_CHECK(choice(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16) == 3);
	SIM_CHECK(choice(api, H, MXT_SIM_CUDA, MXT_SIM_FLOAT32) == 2);
	SIM_CHECK(choice(api, 2, MXT_SIM_CUDA, MXT_SIM_FLOAT32) == 0);
	SIM_CHECK(choice(api, H, MXT_SIM_CPU, MXT_SIM_FLOAT32) == 1);
}

static void chooses_flash(const struct mxt_sim_api *api)
{
	SIM_CHECK(choice(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16) == 1);
}

static void chooses_math(const struct mxt_sim_api *api)
{
	SIM_CHECK(choice(api, 2, MXT_SIM_CUDA, MXT_SIM_BFLOAT16) == 0);
}

static void test_tensors(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = tensors});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = blobs});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = rounding});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = random_numbers});
}

static void test_products(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = products});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = broadcast});
}

static void test_attention(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = attention});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = refuses_groups});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = softmax});
}

static void test_choice(void **state)
{
	(void)state;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = chooses_cudnn});
	mxt_sim_case_pass(
	    &(struct mxt_sim_case){.run = chooses_flash, .variables = {"TORCH_CUDNN_SDPA_DEPRIORITIZED=1"}});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = chooses_flash, .scenario = "{\"attention\": {\"flash\": {}}}"});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = chooses_math, .scenario = "{\"attention\": {}}"});
}

static void build_2_15(const struct mxt_sim_api *api)
{
	SIM_CHECK(api->aoti_torch_abi_version() == UINT64_C(0x020f000000000000));
	SIM_CHECK(api->torch_call_dispatcher && api->torch_exception_get_what_without_backtrace);
	int version;
	SIM_CHECK(api->cudaRuntimeGetVersion(&version) == 0 && version == 13000);
}

static void build_2_8(const struct mxt_sim_api *api)
{
	SIM_CHECK(api->aoti_torch_abi_version() == UINT64_C(0x0208000000000000));
	SIM_CHECK(!api->torch_call_dispatcher && !api->torch_exception_get_what_without_backtrace);
	int version;
	SIM_CHECK(api->cudaRuntimeGetVersion(&version) == 0 && version == 12080);
	SIM_CHECK(choice(api, H, MXT_SIM_CUDA, MXT_SIM_BFLOAT16) == 3);
}

static void build_no_empty(const struct mxt_sim_api *api)
{
	SIM_CHECK(!api->aoti_torch_empty_strided && api->aoti_torch_create_tensor_from_blob);
}

static void build_orphan(const struct mxt_sim_api *api)
{
	SIM_CHECK(api->aoti_torch_empty_strided && !api->aoti_torch_cuda_addmm_out);
}

static void test_builds(void **state)
{
	(void)state;
	struct mxt_sim_output output;
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = build_2_15});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = build_2_8, .build = "2.8"});
	mxt_sim_case_pass(&(struct mxt_sim_case){.run = build_no_empty, .build = "no-empty"});
	assert_int_equal(mxt_sim_case_status(&(struct mxt_sim_case){.run = build_orphan, .build = "orphan"}, &output),
			 0);
	assert_non_null(strstr(output.text, "libmxtstub-not-there.so.7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tensors), cmocka_unit_test(test_products), cmocka_unit_test(test_attention),
	    cmocka_unit_test(test_choice),  cmocka_unit_test(test_builds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
