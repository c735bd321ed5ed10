/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for libtorch_cpu: the part of torch's C ABI (torch/csrc/inductor/aoti_torch/c/shim.h,
 * torch/csrc/inductor/aoti_torch/generated/c_shim_cpu.h, torch/csrc/stable/c/shim.h) that a measuring program needs.
 * Built several times: SIM_TORCH_MINOR is the version 2.N that it plays; SIM_WITHOUT_EMPTY_STRIDED leaves that function
 * out. Statuses are 0, or 1 and raised.
 */
#include <stdlib.h>

#include "sim_call.h"
#include "sim_dispatcher.h"
#include "sim_number.h"
#include "sim_torch.h"
#include "torch_context.h"

#define HAS_VERSIONED_DISPATCHER (SIM_TORCH_MINOR >= 10)
#define HAS_EXCEPTION_TEXT       (SIM_TORCH_MINOR >= 13)

const struct mxt_sim_build mxt_sim_build = {(UINT64_C(2) << 56) | ((uint64_t)SIM_TORCH_MINOR << 48),
					    !HAS_EXCEPTION_TEXT};

typedef struct AtenTensorOpaque *handle;

MXT_SIM_EXPORT uint64_t aoti_torch_abi_version(void);
MXT_SIM_EXPORT int32_t aoti_torch_device_type_cpu(void);
MXT_SIM_EXPORT int32_t aoti_torch_device_type_cuda(void);
MXT_SIM_EXPORT int32_t aoti_torch_dtype_bfloat16(void);
MXT_SIM_EXPORT int32_t aoti_torch_dtype_float16(void);
MXT_SIM_EXPORT int32_t aoti_torch_dtype_float32(void);
MXT_SIM_EXPORT int32_t aoti_torch_dtype_float64(void);
MXT_SIM_EXPORT int32_t aoti_torch_dtype_int16(void);
MXT_SIM_EXPORT int32_t aoti_torch_dtype_int32(void);
MXT_SIM_EXPORT bool aoti_torch_grad_mode_is_enabled(void);
MXT_SIM_EXPORT void aoti_torch_grad_mode_set_enabled(bool enabled);
MXT_SIM_EXPORT int32_t aoti_torch_empty_strided(int64_t ndim, const int64_t *sizes, const int64_t *strides,
						int32_t dtype, int32_t device_type, int32_t device_index, handle *ret);
MXT_SIM_EXPORT int32_t aoti_torch_create_tensor_from_blob(void *data, int64_t ndim, const int64_t *sizes,
							  const int64_t *strides, int64_t offset, int32_t dtype,
							  int32_t device_type, int32_t device_index, handle *ret);
MXT_SIM_EXPORT int32_t aoti_torch_new_uninitialized_tensor(handle *ret);
MXT_SIM_EXPORT int32_t aoti_torch_new_tensor_handle(handle from, handle *ret);
MXT_SIM_EXPORT int32_t aoti_torch_delete_tensor_object(handle tensor);
MXT_SIM_EXPORT int32_t aoti_torch_get_data_ptr(handle tensor, void **ret);
MXT_SIM_EXPORT int32_t aoti_torch_get_dim(handle tensor, int64_t *ret);
MXT_SIM_EXPORT int32_t aoti_torch_get_sizes(handle tensor, int64_t **ret);
MXT_SIM_EXPORT int32_t aoti_torch_get_strides(handle tensor, int64_t **ret);
MXT_SIM_EXPORT int32_t aoti_torch_get_dtype(handle tensor, int32_t *ret);
MXT_SIM_EXPORT int32_t aoti_torch_get_device_type(handle tensor, int32_t *ret);
MXT_SIM_EXPORT int32_t aoti_torch_is_defined(handle tensor, bool *ret);
MXT_SIM_EXPORT int32_t aoti_torch_cpu_addmm_out(handle out, handle self, handle mat1, handle mat2, double beta,
						double alpha);
MXT_SIM_EXPORT int32_t aoti_torch_cpu_baddbmm_out(handle out, handle self, handle batch1, handle batch2, double beta,
						  double alpha);
/* Methods of at::Context (ATen/Context.h): C has no names like theirs. */
MXT_SIM_EXPORT void *global_context(void) __asm__("_ZN2at13globalContextEv");
MXT_SIM_EXPORT void
set_deterministic_algorithms(void *context, bool on,
			     bool warn_only) __asm__("_ZN2at7Context26setDeterministicAlgorithmsEbb");
MXT_SIM_EXPORT bool deterministic_algorithms(const void *context) __asm__("_ZNK2at7Context23deterministicAlgorithmsEv");
MXT_SIM_EXPORT int32_t aoti_torch_call_dispatcher(const char *name, const char *overload, uint64_t *stack);
MXT_SIM_EXPORT int omp_get_max_threads(void); /* of torch's OpenMP runtime */
#if HAS_VERSIONED_DISPATCHER
MXT_SIM_EXPORT int32_t torch_call_dispatcher(const char *name, const char *overload, uint64_t *stack,
					     uint64_t extension_build_version);
#endif
#if HAS_EXCEPTION_TEXT
MXT_SIM_EXPORT const char *torch_exception_get_what(void);
MXT_SIM_EXPORT const char *torch_exception_get_what_without_backtrace(void);
#endif

/* What torch keeps for a process. */
static struct {
	const struct mxt_sim_gpu *gpu; /* NULL: no such library is loaded */
	bool no_grad, deterministic;
} state;

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.cpu");
}

void mxt_sim_gpu_load(const struct mxt_sim_gpu *gpu)
{
	state.gpu = gpu;
}

bool mxt_sim_gpu_is_loaded(void)
{
	return state.gpu != NULL;
}

bool mxt_sim_gpu_has_ck(void)
{
	return state.gpu && state.gpu->ck;
}

bool mxt_sim_is_deterministic(void)
{
	return state.deterministic;
}

int mxt_sim_gpu_route(const struct mxt_sim_gemm *gemm, bool with_bias, struct mxt_sim_route *ret_route)
{
	*ret_route = (struct mxt_sim_route){.blas = mxt_sim_context_blas(), .factor = 1};
	if (!state.gpu || !state.gpu->route || state.gpu->route(gemm, with_bias, ret_route) == 0)
		return 0;
	return mxt_sim_raise("%s", ret_route->why);
}

void *global_context(void)
{
	return &state;
}

void set_deterministic_algorithms(void *context, bool on, bool warn_only)
{
	state.deterministic = on && !warn_only && context == &state;
}

bool deterministic_algorithms(const void *context)
{
	return context == &state && state.deterministic;
}

uint64_t aoti_torch_abi_version(void)
{
	return mxt_sim_build.abi_version;
}

int omp_get_max_threads(void)
{
	return 1;
}

int32_t aoti_torch_device_type_cpu(void)
{
	return MXT_SIM_CPU;
}

int32_t aoti_torch_device_type_cuda(void)
{
	return MXT_SIM_CUDA;
}

int32_t aoti_torch_dtype_bfloat16(void)
{
	return MXT_SIM_BFLOAT16;
}

int32_t aoti_torch_dtype_float16(void)
{
	return MXT_SIM_FLOAT16;
}

int32_t aoti_torch_dtype_float32(void)
{
	return MXT_SIM_FLOAT32;
}

int32_t aoti_torch_dtype_float64(void)
{
	return MXT_SIM_FLOAT64;
}

int32_t aoti_torch_dtype_int16(void)
{
	return MXT_SIM_INT16;
}

int32_t aoti_torch_dtype_int32(void)
{
	return MXT_SIM_INT32;
}

bool aoti_torch_grad_mode_is_enabled(void)
{
	return !state.no_grad;
}

void aoti_torch_grad_mode_set_enabled(bool enabled)
{
	state.no_grad = !enabled;
}

static int check_device(int32_t device_type, int32_t device_index)
{
	if (device_type != MXT_SIM_CPU && device_type != MXT_SIM_CUDA)
		return mxt_sim_raise("there is no device of type %d", (int)device_type);
	if (device_type == MXT_SIM_CUDA && !state.gpu)
		return mxt_sim_raise("PyTorch is not linked with support for cuda devices");
	if (device_type == MXT_SIM_CUDA && device_index > 0 && device_index >= mxt_sim_device_count())
		return mxt_sim_raise_status(101);
	return 0;
}

#ifndef SIM_WITHOUT_EMPTY_STRIDED
/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_empty_strided(int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype,
				 int32_t device_type, int32_t device_index, handle *ret)
{
	struct mxt_sim_tensor *tensor;
	if (check_device(device_type, device_index) ||
	    mxt_sim_tensor_new(ndim, sizes, strides, dtype, device_type, &tensor))
		return 1;
	*ret = mxt_sim_handle(tensor);
	return 0;
}
#endif

/* NOLINTNEXTLINE(readability-function-size): the interface is torch's */
int32_t aoti_torch_create_tensor_from_blob(void *data, int64_t ndim, const int64_t *sizes, const int64_t *strides,
					   int64_t offset, int32_t dtype, int32_t device_type, int32_t device_index,
					   handle *ret)
{
	struct mxt_sim_tensor *tensor;
	void *first = (char *)data + offset * (int64_t)mxt_sim_dtype_bytes(dtype);
	if (check_device(device_type, device_index) ||
	    mxt_sim_tensor_around(first, ndim, sizes, strides, dtype, device_type, &tensor))
		return 1;
	*ret = mxt_sim_handle(tensor);
	return 0;
}

int32_t aoti_torch_new_uninitialized_tensor(handle *ret)
{
	*ret = mxt_sim_handle(NULL);
	return 0;
}

int32_t aoti_torch_new_tensor_handle(handle from, handle *ret)
{
	*ret = mxt_sim_handle(mxt_sim_tensor_ref(from->tensor));
	return 0;
}

int32_t aoti_torch_delete_tensor_object(handle tensor)
{
	mxt_sim_handle_delete(tensor);
	return 0;
}

static int check_defined(handle tensor)
{
	return tensor->tensor ? 0 : mxt_sim_raise("the tensor is undefined");
}

int32_t aoti_torch_get_data_ptr(handle tensor, void **ret)
{
	if (check_defined(tensor))
		return 1;
	*ret = tensor->tensor->data;
	return 0;
}

int32_t aoti_torch_get_dim(handle tensor, int64_t *ret)
{
	if (check_defined(tensor))
		return 1;
	*ret = tensor->tensor->ndim;
	return 0;
}

int32_t aoti_torch_get_sizes(handle tensor, int64_t **ret)
{
	if (check_defined(tensor))
		return 1;
	*ret = tensor->tensor->sizes;
	return 0;
}

int32_t aoti_torch_get_strides(handle tensor, int64_t **ret)
{
	if (check_defined(tensor))
		return 1;
	*ret = tensor->tensor->strides;
	return 0;
}

int32_t aoti_torch_get_dtype(handle tensor, int32_t *ret)
{
	if (check_defined(tensor))
		return 1;
	*ret = tensor->tensor->dtype;
	return 0;
}

int32_t aoti_torch_get_device_type(handle tensor, int32_t *ret)
{
	if (check_defined(tensor))
		return 1;
	*ret = tensor->tensor->place;
	return 0;
}

int32_t aoti_torch_is_defined(handle tensor, bool *ret)
{
	*ret = tensor->tensor != NULL;
	return 0;
}

int mxt_sim_torch_dispatch(const char *name, uint64_t *stack)
{
	return mxt_sim_dispatch(name, "", stack);
}

uint64_t mxt_sim_torch_second(handle tensor)
{
	return (uint64_t)(uintptr_t)mxt_sim_handle(tensor ? mxt_sim_tensor_ref(tensor->tensor) : NULL);
}

int mxt_sim_torch_matmul(const struct mxt_sim_matmul *matmul)
{
	return mxt_sim_matmul_run(matmul);
}

int32_t aoti_torch_cpu_addmm_out(handle out, handle self, handle mat1, handle mat2, double beta, double alpha)
{
	const struct mxt_sim_matmul matmul = {self->tensor, mat1->tensor, mat2->tensor, out->tensor, beta, alpha};
	return mxt_sim_matmul_run(&matmul);
}

int32_t aoti_torch_cpu_baddbmm_out(handle out, handle self, handle batch1, handle batch2, double beta, double alpha)
{
	return aoti_torch_cpu_addmm_out(out, self, batch1, batch2, beta, alpha);
}

int mxt_sim_torch_efficient_backward(struct mxt_sim_sdpa *sdpa, handle ret_grads[4])
{
	struct mxt_sim_tensor *grads[4] = {NULL};
	sdpa->backend = &mxt_sim_sdpa_efficient;
	if (mxt_sim_sdpa_backward(sdpa, grads))
		return 1;
	for (int i = 0; i < 4; i++)
		ret_grads[i] = mxt_sim_handle(grads[i]);
	return 0;
}

int32_t aoti_torch_call_dispatcher(const char *name, const char *overload, uint64_t *stack)
{
	return mxt_sim_dispatch(name, overload, stack);
}

#if HAS_VERSIONED_DISPATCHER
int32_t torch_call_dispatcher(const char *name, const char *overload, uint64_t *stack, uint64_t extension_build_version)
{
	if (extension_build_version > mxt_sim_build.abi_version)
		return mxt_sim_raise("the extension was built with a newer torch");
	return mxt_sim_dispatch(name, overload, stack);
}
#endif

#if HAS_EXCEPTION_TEXT
const char *torch_exception_get_what(void)
{
	return mxt_sim_raised();
}

const char *torch_exception_get_what_without_backtrace(void)
{
	return mxt_sim_raised();
}
#endif
