/* SPDX-License-Identifier: Apache-2.0 */
#include "tunableop_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "pin.h"

/* torch's names of types; float32 products are "tf32" where the job allows that, and are not pinned there. */
static const char *const types[] = {
    [MXT_DTYPE_F32] = "float",
    [MXT_DTYPE_BF16] = "BFloat16",
    [MXT_DTYPE_F16] = "Half",
};

/* By gemm.library. */
static const struct {
	const char *library, *prefix;
	bool biases, negative;
} solutions[] = {
    {"hipblaslt", "Gemm_Hipblaslt_", true, false},
    {"rocblas", "Gemm_Rocblas_", false, true},
};

void mxt_tunableop_key(const struct mxt_gemm *product, struct mxt_buf *buf)
{
	struct mxt_blas_call call = mxt_blas_call(product);
	bool batched = call.batch > 1; /* torch computes a batch of one as a plain product */
	const char *kind = batched ? "StridedBatched" : product->bias ? "AndBias" : "";
	mxt_buf_printf(buf, "Gemm%sTunableOp_%s_%c%c,%c%c_%" PRId64 "_%" PRId64 "_%" PRId64, kind,
		       types[product->dtype], call.trans_a ? 'T' : 'N', call.trans_b ? 'T' : 'N',
		       call.trans_a ? 't' : 'n', call.trans_b ? 't' : 'n', call.m, call.n, call.k);
	if (batched)
		mxt_buf_printf(buf, "_B_%" PRId32, call.batch);
	mxt_buf_printf(buf, "_ld_%" PRId64 "_%" PRId64 "_%" PRId64, call.lda, call.ldb, call.ldc);
}

/* The row of a library; past the end where TunableOp has none. */
static size_t find_library(const char *library)
{
	size_t i = 0;
	while (i < MXT_ARRAY_LEN(solutions) && strcmp(solutions[i].library, library) != 0)
		i++;
	return i;
}

bool mxt_tunableop_can_pin(const char *library, const struct mxt_pin *pin)
{
	size_t row = find_library(library);
	if (row == MXT_ARRAY_LEN(solutions))
		return false;
	if (pin->solution < 0 && !solutions[row].negative)
		return false;
	return !pin->product.bias || (solutions[row].biases && pin->product.batch == 0);
}

/* "2.9.1+rocm7.2" is 2.9.1 in TORCH_VERSION, and so is 2.9.1a0. */
static int plain_version_length(const char *version)
{
	return (int)strspn(version, "0123456789.");
}

/* A value of decision.gemm.built; fields end at commas. */
static int append_validator(const char *key, const char *value, int len, struct mxt_buf *buf, struct mxt_error *err)
{
	if (len == 0 || memchr(value, ',', (size_t)len))
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_HANDOFF,
				     "the plan's pins cannot be written for torch: nothing in its decision says what "
				     "%s has to be; make the plan anew",
				     key);
	mxt_buf_printf(buf, "Validator,%s,%.*s\n", key, len, value);
	return 0;
}

static int append_validators(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err)
{
	static const struct {
		const char *key, *member;
	} rows[] = {{"HIP_VERSION", "hip"},
		    {"HIPBLASLT_VERSION", "hipblaslt"},
		    {"GCN_ARCH_NAME", "arch"},
		    {"ROCBLAS_VERSION", "rocblas"}};
	const char *torch = mxt_json_text(json_object_get(decision, "stack"), "torch");
	const json_t *built = json_object_get(json_object_get(decision, "gemm"), "built");
	int rc = append_validator("PT_VERSION", torch, plain_version_length(torch), buf, err);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(rows); i++) {
		const char *value = mxt_json_text(built, rows[i].member);
		rc = append_validator(rows[i].key, value, (int)strlen(value), buf, err);
	}
	return rc;
}

static int append_pin(const char *library, const json_t *json, struct mxt_buf *buf, struct mxt_error *err)
{
	struct mxt_pin pin;
	int rc = mxt_pin_read(json, &pin);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0 || !mxt_tunableop_can_pin(library, &pin))
		return mxt_error_set(
		    err, -EINVAL, MXT_E_PLAN_HANDOFF,
		    "the plan pins a product that torch's TunableOp cannot be told of; make the plan anew");
	mxt_tunableop_key(&pin.product, buf);
	mxt_buf_printf(buf, ",%s%" PRId32 "\n", solutions[find_library(library)].prefix, pin.solution);
	return 0;
}

int mxt_tunableop_csv(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err)
{
	const json_t *gemm = json_object_get(decision, "gemm"), *pins = json_object_get(gemm, "pins");
	int rc = append_validators(decision, buf, err);
	for (size_t i = 0; rc == 0 && i < json_array_size(pins); i++)
		rc = append_pin(mxt_json_text(gemm, "library"), json_array_get(pins, i), buf, err);
	return rc < 0 ? rc : mxt_buf_status(buf, err);
}
