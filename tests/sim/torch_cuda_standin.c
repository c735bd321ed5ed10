/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for the C interface of libtorch_cuda (torch/csrc/inductor/aoti_torch/generated/c_shim_cuda.h), and of
 * libtorch_hip, whose functions have the same names.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_torch.h"

typedef struct AtenTensorOpaque *handle;

MXT_SIM_EXPORT int32_t aoti_torch_cuda_addmm_out(handle out, handle self, handle mat1, handle mat2, double beta,
						 double alpha);
MXT_SIM_EXPORT int32_t aoti_torch_cuda_baddbmm_out(handle out, handle self, handle batch1, handle batch2, double beta,
						   double alpha);
MXT_SIM_EXPORT int32_t aoti_torch_cuda__scaled_dot_product_flash_attention(
    handle query, handle key, handle value, double dropout_p, int32_t is_causal, int32_t return_debug_mask,
    const double *scale, handle *ret0, handle *ret1, handle *ret2, handle *ret3, int64_t *ret4, int64_t *ret5,
    handle *ret6, handle *ret7, handle *ret8);
MXT_SIM_EXPORT int32_t aoti_torch_cuda__scaled_dot_product_flash_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle out, handle logsumexp, handle cum_seq_q,
    handle cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, int32_t is_causal, handle philox_seed,
    handle philox_offset, const double *scale, handle *ret0, handle *ret1, handle *ret2);
MXT_SIM_EXPORT int32_t aoti_torch_cuda__scaled_dot_product_cudnn_attention(
    handle query, handle key, handle value, const handle *attn_bias, int32_t compute_log_sumexp, double dropout_p,
    int32_t is_causal, int32_t return_debug_mask, const double *scale, handle *ret0, handle *ret1, handle *ret2,
    handle *ret3, int64_t *ret4, int64_t *ret5, handle *ret6, handle *ret7, handle *ret8);
MXT_SIM_EXPORT int32_t aoti_torch_cuda__scaled_dot_product_cudnn_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle out, handle logsumexp, handle philox_seed,
    handle philox_offset, handle attn_bias, handle cum_seq_q, handle cum_seq_k, int64_t max_q, int64_t max_k,
    double dropout_p, int32_t is_causal, const double *scale, handle *ret0, handle *ret1, handle *ret2);
MXT_SIM_EXPORT int32_t aoti_torch_cuda__scaled_dot_product_efficient_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle attn_bias, handle out, handle logsumexp,
    handle philox_seed, handle philox_offset, double dropout_p, const int32_t *grad_input_mask,
    int64_t grad_input_mask_len, int32_t is_causal, const double *scale, handle *ret0, handle *ret1, handle *ret2,
    handle *ret3);

int32_t aoti_torch_cuda_addmm_out(handle out, handle self, handle mat1, handle mat2, double beta, double alpha)
{
	const struct mxt_sim_matmul matmul = {self->tensor, mat1->tensor, mat2->tensor, out->tensor, beta, alpha};
	return mxt_sim_torch_matmul(&matmul);
}

int32_t aoti_torch_cuda_baddbmm_out(handle out, handle self, handle batch1, handle batch2, double beta, double alpha)
{
	return aoti_torch_cuda_addmm_out(out, self, batch1, batch2, beta, alpha);
}

/* The generated functions borrow handles, where the dispatcher takes them over. */
#define PUT(tensor) mxt_sim_torch_second(tensor)

static uint64_t float_bits(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

static uint64_t box(uint64_t value)
{
	uint64_t *out = malloc(sizeof *out);
	if (!out)
		abort();
	*out = value;
	return (uint64_t)(uintptr_t)out;
}

static uint64_t optional_float(const double *number)
{
	return number ? box(float_bits(*number)) : 0;
}

static handle take(uint64_t bits)
{
	handle out;
	memcpy(&out, &bits, sizeof out);
	return out;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_cuda__scaled_dot_product_flash_attention(handle query, handle key, handle value, double dropout_p,
							    int32_t is_causal, int32_t return_debug_mask,
							    const double *scale, handle *ret0, handle *ret1,
							    handle *ret2, handle *ret3, int64_t *ret4, int64_t *ret5,
							    handle *ret6, handle *ret7, handle *ret8)
{
	handle *const tensors[] = {ret0, ret1, ret2, ret3, NULL, NULL, ret6, ret7, ret8};
	uint64_t stack[9] = {
	    PUT(query),           PUT(key), PUT(value), float_bits(dropout_p), is_causal != 0, return_debug_mask != 0,
	    optional_float(scale)};
	if (mxt_sim_torch_dispatch("aten::_scaled_dot_product_flash_attention", stack))
		return 1;
	for (size_t i = 0; i < 9; i++)
		if (tensors[i])
			*tensors[i] = take(stack[i]);
	*ret4 = (int64_t)stack[4];
	*ret5 = (int64_t)stack[5];
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_cuda__scaled_dot_product_cudnn_attention(
    handle query, handle key, handle value, const handle *attn_bias, int32_t compute_log_sumexp, double dropout_p,
    int32_t is_causal, int32_t return_debug_mask, const double *scale, handle *ret0, handle *ret1, handle *ret2,
    handle *ret3, int64_t *ret4, int64_t *ret5, handle *ret6, handle *ret7, handle *ret8)
{
	handle *const tensors[] = {ret0, ret1, ret2, ret3, NULL, NULL, ret6, ret7, ret8};
	uint64_t stack[] = {PUT(query),
			    PUT(key),
			    PUT(value),
			    attn_bias ? box(PUT(*attn_bias)) : 0,
			    compute_log_sumexp != 0,
			    float_bits(dropout_p),
			    is_causal != 0,
			    return_debug_mask != 0,
			    optional_float(scale)};
	if (mxt_sim_torch_dispatch("aten::_scaled_dot_product_cudnn_attention", stack))
		return 1;
	for (size_t i = 0; i < 9; i++)
		if (tensors[i])
			*tensors[i] = take(stack[i]);
	*ret4 = (int64_t)stack[4];
	*ret5 = (int64_t)stack[5];
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_cuda__scaled_dot_product_flash_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle out, handle logsumexp, handle cum_seq_q,
    handle cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p, int32_t is_causal, handle philox_seed,
    handle philox_offset, const double *scale, handle *ret0, handle *ret1, handle *ret2)
{
	uint64_t stack[] = {
	    PUT(grad_out),         PUT(query),     PUT(key),         PUT(value),         PUT(out),
	    PUT(logsumexp),        PUT(cum_seq_q), PUT(cum_seq_k),   (uint64_t)max_q,    (uint64_t)max_k,
	    float_bits(dropout_p), is_causal != 0, PUT(philox_seed), PUT(philox_offset), optional_float(scale)};
	if (mxt_sim_torch_dispatch("aten::_scaled_dot_product_flash_attention_backward", stack))
		return 1;
	*ret0 = take(stack[0]);
	*ret1 = take(stack[1]);
	*ret2 = take(stack[2]);
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_cuda__scaled_dot_product_cudnn_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle out, handle logsumexp, handle philox_seed,
    handle philox_offset, handle attn_bias, handle cum_seq_q, handle cum_seq_k, int64_t max_q, int64_t max_k,
    double dropout_p, int32_t is_causal, const double *scale, handle *ret0, handle *ret1, handle *ret2)
{
	uint64_t stack[] = {PUT(grad_out),    PUT(query),
			    PUT(key),         PUT(value),
			    PUT(out),         PUT(logsumexp),
			    PUT(philox_seed), PUT(philox_offset),
			    PUT(attn_bias),   PUT(cum_seq_q),
			    PUT(cum_seq_k),   (uint64_t)max_q,
			    (uint64_t)max_k,  float_bits(dropout_p),
			    is_causal != 0,   optional_float(scale)};
	if (mxt_sim_torch_dispatch("aten::_scaled_dot_product_cudnn_attention_backward", stack))
		return 1;
	*ret0 = take(stack[0]);
	*ret1 = take(stack[1]);
	*ret2 = take(stack[2]);
	return 0;
}

static struct mxt_sim_tensor *tensor_of(handle tensor)
{
	return tensor ? tensor->tensor : NULL;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_cuda__scaled_dot_product_efficient_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle attn_bias, handle out, handle logsumexp,
    handle philox_seed, handle philox_offset, double dropout_p, const int32_t *grad_input_mask,
    int64_t grad_input_mask_len, int32_t is_causal, const double *scale, handle *ret0, handle *ret1, handle *ret2,
    handle *ret3)
{
	handle grads[4];
	struct mxt_sim_sdpa sdpa = {.grad = tensor_of(grad_out),
				    .q = tensor_of(query),
				    .k = tensor_of(key),
				    .v = tensor_of(value),
				    .mask = tensor_of(attn_bias),
				    .out = tensor_of(out),
				    .lse = tensor_of(logsumexp),
				    .dropout = dropout_p,
				    .causal = is_causal != 0,
				    .has_scale = scale != NULL,
				    .scale = scale ? *scale : 0};
	(void)philox_seed;
	(void)philox_offset;
	(void)grad_input_mask;
	(void)grad_input_mask_len;
	if (mxt_sim_torch_efficient_backward(&sdpa, grads))
		return 1;
	*ret0 = grads[0];
	*ret1 = grads[1];
	*ret2 = grads[2];
	*ret3 = grads[3];
	return 0;
}
