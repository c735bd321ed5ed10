/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pins as the file that hipBLASLt reads where HIPBLASLT_TUNING_OVERRIDE_FILE names it. Its first line is
 * "Git Version: REVISION", and the file counts only for the library of that revision. What comes then depends on the
 * library's version:
 *
 *   0.12 (ROCm 6.4)     rows of exactly 37 fields without a header; what counts are the fields 0 and 1 (transposes),
 *                       3 (batch), 4 to 6 (m, n, k), 17 and 19 (types of a and c), 21 (computes in) and 34 (solution)
 *   1.0 (ROCm 7.0) on   a line of column names, then a line of values, for each product; columns are taken by name, and
 *                       only in this order: transA, transB, batch_count, m, n, k, a_type, b_type, c_type, compute_type,
 *                       solution_index. Forms of this reader that know no names take the same values by their place.
 *
 * A product is found by transposes, shape, batch and types: leading dimensions, beta and bias make no difference. The
 * solution's number must be above 0. The library opens the file at every question to its heuristic: it belongs on a
 * local disk. Read in library/src/amd_detail/rocblaslt/src/UserDrivenTuningParser.cpp and
 * library/src/amd_detail/hipblaslt.cpp of hipBLASLt, without a tag.
 */
#ifndef MXT_CORE_HIPBLASLT_OVERRIDE_H
#define MXT_CORE_HIPBLASLT_OVERRIDE_H

#include <jansson.h>
#include <stdbool.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_gemm;
struct mxt_pin;

/* As the library numbers itself: major * 100000 + minor * 100 + patch. */
#define MXT_HIPBLASLT_OVERRIDE_SINCE 1200   /* 0.12.0 */
#define MXT_HIPBLASLT_COLUMNS_SINCE  100000 /* 1.0.0 */

/*
 * The version in a member of decision.gemm.built, "100202-dabb6df2b9"; 0 where there is none. *ret_revision (may be
 * NULL) is what follows it, in the text.
 */
unsigned mxt_hipblaslt_version(const char *built, const char **ret_revision);

/* The file of a decision with pins. MXT_E_PLAN_HANDOFF where it does not say what is needed. */
int mxt_hipblaslt_override(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

/* Appends what a row is found by: products that share it share a solution. */
void mxt_hipblaslt_override_key(const struct mxt_gemm *product, struct mxt_buf *buf);

bool mxt_hipblaslt_override_can_pin(const char *library, const struct mxt_pin *pin);

#endif
