/* SPDX-License-Identifier: Apache-2.0 */
#include "hipblaslt_override.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "number.h"
#include "pin.h"

/* What they compute in is float32 for all of them. */
static const char *const types[] = {
    [MXT_DTYPE_F32] = "f32_r",
    [MXT_DTYPE_BF16] = "bf16_r",
    [MXT_DTYPE_F16] = "f16_r",
};

unsigned mxt_hipblaslt_version(const char *built, const char **ret_revision)
{
	uint64_t version = 0;
	if (mxt_parse_u64(built, &built, &version) < 0 || *built != '-' || version > UINT32_MAX)
		return 0;
	if (ret_revision)
		*ret_revision = built + 1;
	return (unsigned)version;
}

void mxt_hipblaslt_override_key(const struct mxt_gemm *product, struct mxt_buf *buf)
{
	struct mxt_blas_call call = mxt_blas_call(product);
	const char *type = types[product->dtype];
	mxt_buf_printf(buf, "%c,%c,%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%s,%s,f32_r",
		       call.trans_a ? 'T' : 'N', call.trans_b ? 'T' : 'N', call.batch, call.m, call.n, call.k, type,
		       type, type);
}

bool mxt_hipblaslt_override_can_pin(const char *library, const struct mxt_pin *pin)
{
	return strcmp(library, "hipblaslt") == 0 && pin->solution > 0;
}

/* The names are repeated for each: the reader takes lines in pairs. */
static void append_columns(const struct mxt_pin *pin, const char *arch, struct mxt_buf *buf)
{
	(void)arch;
	mxt_buf_puts(buf, "transA,transB,batch_count,m,n,k,a_type,b_type,c_type,compute_type,solution_index\n");
	mxt_hipblaslt_override_key(&pin->product, buf);
	mxt_buf_printf(buf, ",%" PRId32 "\n", pin->solution);
}

/* As hipblaslt-bench prints them. Fields that nobody reads hold what is true, figures that were not taken are 0. */
static void append_fields(const struct mxt_pin *pin, const char *arch, struct mxt_buf *buf)
{
	const struct mxt_gemm *product = &pin->product;
	struct mxt_blas_call call = mxt_blas_call(product);
	const char *type = types[product->dtype];
	int64_t stride_a = call.lda * (call.trans_a ? call.m : call.k);
	int64_t stride_b = call.ldb * (call.trans_b ? call.k : call.n);
	int64_t stride_c = call.ldc * call.n;
	mxt_buf_printf(buf, "%c,%c,0,%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",1,", call.trans_a ? 'T' : 'N',
		       call.trans_b ? 'T' : 'N', call.batch, call.m, call.n, call.k);
	mxt_buf_printf(buf, "%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%" PRId64 ",", call.lda, stride_a,
		       product->accumulate ? 1 : 0, call.ldb, stride_b);
	mxt_buf_printf(buf, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", call.ldc, stride_c, call.ldc, stride_c);
	mxt_buf_printf(buf, "%s,%s,%s,%s,f32_r,0,0,0,0,0,none,%d,%s,", type, type, type, type, product->bias ? 1 : 0,
		       type);
	mxt_buf_printf(buf, "0,0,0,0,%" PRId32 ",%s,0\n", pin->solution, arch);
}

static int append_pin(const json_t *gemm, size_t i, unsigned version, struct mxt_buf *buf, struct mxt_error *err)
{
	struct mxt_pin pin;
	int rc = mxt_pin_read(json_array_get(json_object_get(gemm, "pins"), i), &pin);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0 || !mxt_hipblaslt_override_can_pin(mxt_json_text(gemm, "library"), &pin))
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_HANDOFF,
				     "the plan pins a product that hipBLASLt cannot be told of; make the plan anew");
	const char *arch = mxt_json_text(json_object_get(gemm, "built"), "arch");
	if (version >= MXT_HIPBLASLT_COLUMNS_SINCE)
		append_columns(&pin, arch, buf);
	else
		append_fields(&pin, arch, buf);
	return 0;
}

int mxt_hipblaslt_override(const json_t *decision, struct mxt_buf *buf, struct mxt_error *err)
{
	const json_t *gemm = json_object_get(decision, "gemm"), *built = json_object_get(gemm, "built");
	const char *revision = "";
	unsigned version = mxt_hipblaslt_version(mxt_json_text(built, "hipblaslt"), &revision);
	if (version < MXT_HIPBLASLT_OVERRIDE_SINCE || revision[0] == '\0' || strchr(mxt_json_text(built, "arch"), ','))
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_HANDOFF,
				     "the plan's pins cannot be written for hipBLASLt: its decision does not say for "
				     "which one, or for one before 0.12; make the plan anew");
	mxt_buf_printf(buf, "Git Version: %s\n", revision);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < json_array_size(json_object_get(gemm, "pins")); i++)
		rc = append_pin(gemm, i, version, buf, err);
	return rc < 0 ? rc : mxt_buf_status(buf, err);
}
