/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for libtorch_cuda (torch/csrc/inductor/aoti_torch/generated/c_shim_cuda.h). Loading it gives the
 * dispatcher of libtorch_cpu its operators on "cuda" tensors. SIM_NEEDS_GONE builds one that cannot be loaded.
 */
#include "sim_torch.h"

typedef struct AtenTensorOpaque *handle;

#ifdef SIM_NEEDS_GONE
int mxtstub_gone(void); /* of a library that is not there when this one is loaded */
#endif

MXT_SIM_EXPORT int32_t aoti_torch_cuda_addmm_out(handle out, handle self, handle mat1, handle mat2, double beta,
						 double alpha);
MXT_SIM_EXPORT int32_t aoti_torch_cuda__scaled_dot_product_efficient_attention_backward(
    handle grad_out, handle query, handle key, handle value, handle attn_bias, handle out, handle logsumexp,
    handle philox_seed, handle philox_offset, double dropout_p, const int32_t *grad_input_mask,
    int64_t grad_input_mask_len, int32_t is_causal, const double *scale, handle *ret0, handle *ret1, handle *ret2,
    handle *ret3);

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.cuda");
#ifdef SIM_NEEDS_GONE
	(void)mxtstub_gone();
#endif
	mxt_sim_cuda_load();
}

int32_t aoti_torch_cuda_addmm_out(handle out, handle self, handle mat1, handle mat2, double beta, double alpha)
{
	const struct mxt_sim_matmul matmul = {self->tensor, mat1->tensor, mat2->tensor, out->tensor, beta, alpha};
	return mxt_sim_torch_matmul(&matmul);
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
