/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of the rules: aten/src/ATen/Context.{h,cpp}, ROCmFABackend.h and BlasBackend.h. SIM_HIPBLASLT_0_ACTS says
 * whether TORCH_BLAS_PREFER_HIPBLASLT=0 selects rocBLAS on gfx942: upstream from 2.12 on, AMD's fork from 2.10 on.
 */
#include "torch_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_torch.h"
#include "sim_vendor.h"

#ifndef SIM_HIPBLASLT_0_ACTS
#define SIM_HIPBLASLT_0_ACTS 0
#endif

/* Since 2.9 the getter asks whether CK can be had; before, it tells what was wished for. */
#define CHECKS_CK (SIM_TORCH_MINOR >= 9)
#if CHECKS_CK
#define GET_FA "_ZN2at7Context25getROCmFAPreferredBackendEv"
#else
#define GET_FA "_ZNK2at7Context25getROCmFAPreferredBackendEv"
#endif

/* at::ROCmFABackend and at::BlasBackend: both of int8_t. */
enum { FA_DEFAULT, FA_AOTRITON, FA_CK };
enum { BLAS_DEFAULT, BLAS_CUBLAS, BLAS_CUBLASLT };

/* Methods of at::Context: C has no names like theirs. */
MXT_SIM_EXPORT int8_t get_fa(const void *context) __asm__(GET_FA);
MXT_SIM_EXPORT void set_fa(void *context,
			   int8_t backend) __asm__("_ZN2at7Context25setROCmFAPreferredBackendENS_13ROCmFABackendE");
MXT_SIM_EXPORT int8_t get_blas(void *context) __asm__("_ZN2at7Context20blasPreferredBackendEv");
MXT_SIM_EXPORT void set_blas(void *context,
			     int8_t backend) __asm__("_ZN2at7Context23setBlasPreferredBackendENS_11BlasBackendE");

static int8_t fa, blas; /* what a process prefers */

static bool is(const char *variable, const char *value)
{
	const char *set = getenv(variable);
	return set && strcmp(set, value) == 0;
}

__attribute__((constructor)) static void load(void)
{
	fa = is("TORCH_ROCM_FA_PREFER_CK", "1") ? FA_CK : FA_DEFAULT;
	blas = is("TORCH_BLAS_PREFER_CUBLASLT", "1") || is("TORCH_BLAS_PREFER_HIPBLASLT", "1") ? BLAS_CUBLASLT
											       : BLAS_DEFAULT;
	if (SIM_HIPBLASLT_0_ACTS && (is("TORCH_BLAS_PREFER_CUBLASLT", "0") || is("TORCH_BLAS_PREFER_HIPBLASLT", "0")))
		blas = BLAS_CUBLAS;
}

static bool has_ck(void)
{
	return mxt_sim_gpu_has_ck() && mxt_sim_scenario()->has[MXT_SIM_CK];
}

/* CK that is not built in, or not on this card, is said not to be there once; then AOTriton goes on in its place. */
static void check_ck(void)
{
	static bool told; /* in this process */
	if (has_ck())
		return;
	if (!told)
		(void)fprintf(stderr,
			      "[W] Warning: Cannot set preferred SDPA backend to CK: architecture supported for CK: "
			      "%d, PyTorch built with CK SDPA support: %d\n",
			      mxt_sim_scenario()->has[MXT_SIM_CK], mxt_sim_gpu_has_ck());
	told = true;
	if (CHECKS_CK)
		fa = FA_AOTRITON;
}

int8_t get_fa(const void *context)
{
	(void)context;
	if (!mxt_sim_vendor.hip)
		return fa;
	if (CHECKS_CK && fa == FA_DEFAULT)
		fa = FA_AOTRITON;
	if (CHECKS_CK && fa == FA_CK)
		check_ck();
	return fa;
}

void set_fa(void *context, int8_t backend)
{
	(void)context;
	fa = backend;
}

/* On Instinct cards hipBLASLt is what "default" means. */
int8_t get_blas(void *context)
{
	(void)context;
	if (blas == BLAS_DEFAULT)
		blas = mxt_sim_vendor.hip ? BLAS_CUBLASLT : BLAS_CUBLAS;
	return blas;
}

void set_blas(void *context, int8_t backend)
{
	(void)context;
	blas = backend;
}

enum mxt_sim_blas mxt_sim_context_blas(void)
{
	return get_blas(NULL) == BLAS_CUBLASLT ? MXT_SIM_CUBLASLT : MXT_SIM_CUBLAS;
}

const struct mxt_sim_sdpa_backend *mxt_sim_context_flash(void)
{
	if (!mxt_sim_vendor.hip)
		return &mxt_sim_sdpa_flash;
	if (get_fa(NULL) != FA_CK)
		return &mxt_sim_sdpa_aotriton;
	check_ck();
	return has_ck() ? &mxt_sim_sdpa_ck : &mxt_sim_sdpa_aotriton;
}
