/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"
#include "json.h"
#include "operators.h"

static const struct {
	const char *name, *backend; /* NULL: not known */
} names[] = {
    {"aten::_scaled_dot_product_flash_attention", "flash"},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", "flash"},
    {"aten::_scaled_dot_product_efficient_attention", "efficient"},
    {"aten::_scaled_dot_product_cudnn_attention_backward", "cudnn"},
    {"aten::_cudnn_attention_forward", "cudnn"},
    {"torch_attn::_varlen_attn", "varlen"},
    {"flash_attn::_flash_attn_varlen_forward", "fa2"},
    {"_flash_attn2_588b404::varlen_fwd", "fa2"},
    {"flash_attn_3::fwd", "fa3"},
    {"_vllm_flash_attn3_5e1a::fwd", "fa3"},
    {"xformers_flash::flash_fwd", "xformers"},
    {"aiter::mha_fwd", "aiter"},
    {"higher_order::flex_attention", "flex"},
    {"aten::mm", NULL},
    {"", NULL},
};

static void backends(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++) {
		const char *backend = mxt_operator_backend(names[i].name);
		assert_string_equal(backend ? backend : "", names[i].backend ? names[i].backend : "");
	}
}

#define CALL(op, direction, seq, counts)                                                                               \
	"{\"kind\":\"attention\",\"op\":\"" op "\",\"direction\":\"" direction "\",\"q\":{\"shape\":[1,4," seq         \
	",16]},\"counts\":[" counts "]}"

static void expect_seen(const char *calls, const char *wanted)
{
	MXT_CLEANUP_JSON json_t *recording = json_pack("{s:o}", "calls", json_loads(calls, 0, NULL));
	assert_non_null(recording);
	assert_string_equal(mxt_operators_seen(recording), wanted);
}

static void seen(void **state)
{
	(void)state;
	expect_seen("[]", "");
	expect_seen("[{\"kind\":\"gemm\",\"op\":\"flash_attn::x\"}]", "");
	expect_seen("[" CALL("flash_attn::_flash_attn_forward", "forward", "8", "2,2") "]", "fa2");
	/* By queries, not by calls; the other direction does not count. */
	expect_seen("[" CALL("flash_attn::_flash_attn_forward", "forward", "8", "2") "," CALL(
			"aten::_scaled_dot_product_cudnn_attention", "forward", "64",
			"1") "," CALL("aten::_scaled_dot_product_flash_attention_backward", "backward", "64", "9") "]",
		    "cudnn");
}

static void contradictions(void **state)
{
	(void)state;
	assert_false(mxt_operators_contradict("fa2", "fa2"));
	assert_true(mxt_operators_contradict("flash", "fa2"));
	assert_true(mxt_operators_contradict("flash", "cudnn"));
	assert_false(mxt_operators_contradict("", "fa2"));
	assert_false(mxt_operators_contradict("flash", ""));
	assert_false(mxt_operators_contradict("flash", "math"));
	assert_false(mxt_operators_contradict("flash", "ck"));
	assert_false(mxt_operators_contradict("flash", "aotriton"));
	assert_true(mxt_operators_contradict("efficient", "ck"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(backends),
	    cmocka_unit_test(seen),
	    cmocka_unit_test(contradictions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
