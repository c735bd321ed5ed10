/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a libtorch_hip does while it is loaded. SIM_WITH_CK builds one that holds CK's flash attention, and exports its
 * function as torch does (aten/src/ATen/native/transformers/hip/flash_attn/flash_api.h: declared, and visible, only in
 * such builds); nothing here calls it.
 */
#include "sim_rocm_blas.h"
#include "sim_torch.h"
#include "tunable.h"

#ifdef SIM_WITH_CK
MXT_SIM_EXPORT void
mha_fwd_ck(void) __asm__("_ZN13pytorch_flash10mha_fwd_ckERKN2at6TensorES3_S3_RSt8optionalIS1_ES6_ffbiibS4_"
			 "INS0_9GeneratorEE");
MXT_SIM_EXPORT void mha_bwd_ck(void) __asm__("_ZN13pytorch_flash10mha_bwd_ckERKN2at6TensorES3_S3_S3_S3_S3_"
					     "RSt8optionalIS1_ES6_S6_S6_ffbiibS1_S1_");

void mha_fwd_ck(void)
{
}

void mha_bwd_ck(void)
{
}
#define HAS_CK true
#else
#define HAS_CK false
#endif
MXT_SIM_EXPORT void
mha_fwd_aot(void) __asm__("_ZN13pytorch_flash11mha_fwd_aotERKN2at6TensorES3_S3_RSt8optionalIS1_ES6_ffbiibRKS4_"
			  "INS0_9GeneratorEE");

void mha_fwd_aot(void)
{
}

/* Of a library that torch needs. */
int ncclGetVersion(int *version);

/* What TunableOp says; without it, what the library that the process prefers takes by itself. */
static int route(const struct mxt_sim_gemm *gemm, bool with_bias, struct mxt_sim_route *route)
{
	if (mxt_sim_tunable_is_on()) {
		int rc = mxt_sim_tunable_route(gemm, with_bias, route);
		if (rc || route->is_pinned)
			return rc;
	}
	route->factor = route->blas == MXT_SIM_CUBLASLT ? mxt_sim_hipblaslt_first(gemm, gemm->dtype).factor
							: mxt_sim_rocblas_first(gemm, gemm->dtype).factor;
	return 0;
}

__attribute__((constructor)) static void load(void)
{
	static const struct mxt_sim_gpu gpu = {.ck = HAS_CK, .route = route};
	int version = 0;
	size_t bytes = 0;
	(void)mxt_sim_enter("load.hip");
	if (hipblasLtGetVersion(NULL, &version) == 0 && rocblas_get_version_string_size(&bytes) == 0 &&
	    ncclGetVersion(&version) == 0)
		mxt_sim_gpu_load(&gpu);
}
