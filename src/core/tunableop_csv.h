/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pins as the file that torch's TunableOp reads: `Validator,KEY,VALUE` lines, then `operator,parameters,solution` rows.
 *
 * torch takes a file only if it names exactly the validators that this torch registered, each with the value that this
 * process has; it reads it when the first product is computed, and takes a row whose third field is the last one. What
 * no row names is computed as without a file. A solution that the library does not offer is an error of the product
 * that it is for.
 *
 * Read in aten/src/ATen/cuda/tunable of torch 2.11.0 (GemmCommon.h, TunableGemm.h, GemmHipblaslt.h, GemmRocblas.h,
 * TunableOp.h, as the wheel has them) and, without a tag, in Tunable.cpp after it registered HIP_VERSION (first in 2.9)
 * and before. The letters of the transposes that hipBLASLt's solutions once had in their names are gone since 2.7.
 * Before 2.9 there is a validator ROCM_VERSION instead, of the machine that torch was built on: such a file cannot be
 * written here.
 */
#ifndef MXT_CORE_TUNABLEOP_CSV_H
#define MXT_CORE_TUNABLEOP_CSV_H

#include <jansson.h>
#include <stdbool.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_gemm;
struct mxt_pin;

/* The file of a decision with pins. MXT_E_PLAN_HANDOFF where the decision does not say what a validator needs. */
int mxt_tunableop_csv(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

/* Appends what a row is found by, "GemmTunableOp_BFloat16_TN,tn_…": products that share it share a solution. */
void mxt_tunableop_key(const struct mxt_gemm *product, struct mxt_buf *buf);

/* False for what TunableOp cannot be told: it adds biases through hipBLASLt only. */
bool mxt_tunableop_can_pin(const char *library, const struct mxt_pin *pin);

#endif
