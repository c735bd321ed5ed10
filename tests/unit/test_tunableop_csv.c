/* SPDX-License-Identifier: Apache-2.0 */
/* Pins as torch's TunableOp reads them: rows of every kind of product, and validators. */
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "pin.h"
#include "tunableop_csv.h"

static const char decision_text[] =
    "{\"stack\":{\"torch\":\"2.9.1+rocm7.2.1\"},\"gemm\":{\"library\":\"hipblaslt\",\"mode\":\"pinned\","
    "\"built\":{\"arch\":\"gfx942:sramecc+:xnack-\",\"hip\":\"702\",\"hipblaslt\":\"100202-dabb6df2b9\","
    "\"rocblas\":\"5.2.0.dabb6df2b9\"},\"pins\":["
    "{\"problem\":{\"op\":\"gemm\",\"m\":100,\"n\":200,\"k\":20,\"dtype\":\"bfloat16\",\"trans_b\":true},"
    "\"solution\":4711}]}}";

static json_t *make_decision(void)
{
	json_t *decision = json_loads(decision_text, 0, NULL);
	assert_non_null(decision);
	return decision;
}

/* torch's own document has the first one: x[100, 20] times W[200, 20] transposed. */
static void rows_name_products_as_torch_passes_them(void **state)
{
	(void)state;
	static const struct {
		struct mxt_gemm product;
		const char *key;
	} cases[] = {
	    {{.m = 100, .n = 200, .k = 20, .lda = 20, .ldb = 20, .ldc = 200, .trans_b = true, .dtype = MXT_DTYPE_BF16},
	     "GemmTunableOp_BFloat16_TN,tn_200_100_20_ld_20_20_200"},
	    {{.m = 100, .n = 200, .k = 20, .lda = 20, .ldb = 200, .ldc = 200, .dtype = MXT_DTYPE_F16},
	     "GemmTunableOp_Half_NN,nn_200_100_20_ld_200_20_200"},
	    {{.m = 4, .n = 5, .k = 6, .lda = 4, .ldb = 5, .ldc = 5, .trans_a = true, .dtype = MXT_DTYPE_F32},
	     "GemmTunableOp_float_NT,nt_5_4_6_ld_5_4_5"},
	    {{.m = 4,
	      .n = 5,
	      .k = 6,
	      .lda = 70,
	      .ldb = 80,
	      .ldc = 90,
	      .trans_b = true,
	      .bias = true,
	      .dtype = MXT_DTYPE_BF16},
	     "GemmAndBiasTunableOp_BFloat16_TN,tn_5_4_6_ld_80_70_90"},
	    {{.m = 4, .n = 5, .k = 6, .lda = 6, .ldb = 5, .ldc = 5, .batch = 3, .dtype = MXT_DTYPE_BF16},
	     "GemmStridedBatchedTunableOp_BFloat16_NN,nn_5_4_6_B_3_ld_5_6_5"},
	    {{.m = 4, .n = 5, .k = 6, .lda = 6, .ldb = 5, .ldc = 5, .batch = 1, .dtype = MXT_DTYPE_BF16},
	     "GemmTunableOp_BFloat16_NN,nn_5_4_6_ld_5_6_5"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		mxt_tunableop_key(&cases[i].product, &buf);
		assert_string_equal(mxt_buf_text(&buf), cases[i].key);
	}
}

static void expect_file(const json_t *decision, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_tunableop_csv(decision, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), text);
}

#define VALIDATORS                                                                                                     \
	"Validator,PT_VERSION,2.9.1\n"                                                                                 \
	"Validator,HIP_VERSION,702\n"                                                                                  \
	"Validator,HIPBLASLT_VERSION,100202-dabb6df2b9\n"                                                              \
	"Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\n"                                                             \
	"Validator,ROCBLAS_VERSION,5.2.0.dabb6df2b9\n"

static void writes_validators_and_rows(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *decision = make_decision();
	expect_file(decision, VALIDATORS "GemmTunableOp_BFloat16_TN,tn_200_100_20_ld_20_20_200,Gemm_Hipblaslt_4711\n");
	json_t *gemm = json_object_get(decision, "gemm");
	json_t *pin = json_array_get(json_object_get(gemm, "pins"), 0);
	assert_int_equal(json_object_set_new(gemm, "library", json_string("rocblas")), 0);
	assert_int_equal(json_object_set_new(pin, "solution", json_integer(-621294427)), 0);
	expect_file(decision,
		    VALIDATORS "GemmTunableOp_BFloat16_TN,tn_200_100_20_ld_20_20_200,Gemm_Rocblas_-621294427\n");
}

static void expect_refusal(const json_t *decision)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_tunableop_csv(decision, &buf, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_HANDOFF);
}

/* A file with a validator too few, or with another value, would be left aside as a whole. */
static void needs_every_validator(void **state)
{
	(void)state;
	static const char *const keys[] = {"arch", "hip", "hipblaslt", "rocblas"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		MXT_CLEANUP_JSON json_t *decision = make_decision();
		json_t *built = json_object_get(json_object_get(decision, "gemm"), "built");
		assert_int_equal(json_object_set_new(built, keys[i], json_string("7,2")), 0);
		expect_refusal(decision);
		assert_int_equal(json_object_del(built, keys[i]), 0);
		expect_refusal(decision);
	}
}

static void refuses_what_torch_cannot_be_told(void **state)
{
	(void)state;
	struct mxt_pin pin = {.product = {.m = 1, .n = 1, .k = 1, .bias = true}, .solution = 1};
	assert_true(mxt_tunableop_can_pin("hipblaslt", &pin));
	assert_false(mxt_tunableop_can_pin("rocblas", &pin));
	pin.product.batch = 2;
	assert_false(mxt_tunableop_can_pin("hipblaslt", &pin));
	pin.product.bias = false;
	assert_true(mxt_tunableop_can_pin("rocblas", &pin));
	assert_false(mxt_tunableop_can_pin("cublas", &pin));
	MXT_CLEANUP_JSON json_t *decision = make_decision();
	json_t *gemm = json_object_get(decision, "gemm");
	assert_int_equal(json_object_set_new(gemm, "library", json_string("rocblas")), 0);
	json_t *problem = json_object_get(json_array_get(json_object_get(gemm, "pins"), 0), "problem");
	assert_int_equal(json_object_set_new(problem, "bias", json_true()), 0);
	expect_refusal(decision);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_name_products_as_torch_passes_them),
	    cmocka_unit_test(writes_validators_and_rows),
	    cmocka_unit_test(needs_every_validator),
	    cmocka_unit_test(refuses_what_torch_cannot_be_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
