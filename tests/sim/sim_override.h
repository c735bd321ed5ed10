/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that pin solutions by problem: hipBLASLt's HIPBLASLT_TUNING_OVERRIDE_FILE in two generations, and rocBLAS's
 * ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH. These readers were written from the documented rules (the README tells which),
 * not from any writer's.
 */
#ifndef MXT_SIM_OVERRIDE_H
#define MXT_SIM_OVERRIDE_H

#include <stdbool.h>

#include "sim_gemm.h"

enum mxt_sim_override_form {
	MXT_SIM_OVERRIDE_NONE,    /* the library has no such file yet */
	MXT_SIM_OVERRIDE_STRICT,  /* hipBLASLt 0.12: 37 fields by place */
	MXT_SIM_OVERRIDE_NAMED,   /* hipBLASLt 1.0 and later: pairs of a header and a line, fields by name */
	MXT_SIM_OVERRIDE_ROCBLAS, /* 15 or 18 fields by place */
};

/*
 * The number that the file has for the problem; false: it has none, or the file is not taken. `revision`: what the
 * first line must name; NULL: rocBLAS asks for nothing. `output` is the type of D.
 */
bool mxt_sim_override_find(enum mxt_sim_override_form form, const char *path, const char *revision,
			   const struct mxt_sim_gemm *gemm, int32_t output, int *ret_number);

#endif
