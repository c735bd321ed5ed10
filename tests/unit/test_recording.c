/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "recording.h"
#include "recording_coverage.h"

static const struct mxt_scale unscaled = {.gemm_tokens = 0};

#define HEAD                                                                                                           \
	"{\"schema\":\"mindxtrain.recording/1\",\"torch\":\"2.11.0\",\"device\":\"cuda\",\"ranks\":1,\"steps\":2,"     \
	"\"forward_passes\":[1,1],\"not_seen\":[],"
#define MATRIX(rows, columns, row, column, dtype)                                                                      \
	"{\"shape\":[" #rows "," #columns "],\"strides\":[" #row "," #column "],\"dtype\":\"" dtype "\"}"
#define A MATRIX(32, 64, 64, 1, "bfloat16")
#define B MATRIX(64, 16, 1, 64, "bfloat16")

static struct mxt_recording *parse(const char *text)
{
	struct mxt_recording *recording = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_recording_parse("test", text, strlen(text), &recording, &err);
	if (rc < 0)
		print_message("%s\n", mxt_error_text(&err));
	assert_int_equal(rc, 0);
	return recording;
}

/* A recording of one call, with these keys, that is made twice in each step. */
static struct mxt_recording *parse_call(const char *keys)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s\"order\":[[0,0],[0,8]],\"calls\":[{%s,\"counts\":[2,2]}]}", HEAD, keys);
	return parse(mxt_buf_text(&text));
}

static void expect_text(const char *keys, const char *wanted)
{
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = parse_call(keys);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	assert_null(recording->calls[0].why_not);
	mxt_problem_text(&recording->calls[0].problem, &text);
	assert_string_equal(mxt_buf_text(&text), wanted);
}

static const struct mxt_gemm *gemm_of(const struct mxt_recording *recording)
{
	return &recording->calls[0].problem.as.gemm;
}

/* ---- products ---- */

static void test_products(void **state)
{
	(void)state;
	expect_text("\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" A ",\"b\":" B, "gemm nt 32x16x64 bfloat16");
	expect_text("\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(32, 64, 1, 32, "float32") ",\"b\":" MATRIX(
			64, 16, 16, 1, "float32"),
		    "gemm tn 32x16x64 float32");
	expect_text("\"kind\":\"gemm\",\"op\":\"aten::addmm\",\"c\":{\"shape\":[16],\"strides\":[1],\"dtype\":"
		    "\"bfloat16\"},\"a\":" A ",\"b\":" B,
		    "gemm nt 32x16x64 bias bfloat16");
	expect_text("\"kind\":\"gemm\",\"op\":\"aten::addmm_\",\"in_place\":true,\"c\":" MATRIX(
			32, 16, 16, 1, "bfloat16") ",\"a\":" A ",\"b\":" B,
		    "gemm nt 32x16x64 +c bfloat16");
	expect_text("\"kind\":\"gemm\",\"op\":\"aten::bmm\","
		    "\"a\":{\"shape\":[6,32,8],\"strides\":[256,8,1],\"dtype\":\"float16\"},"
		    "\"b\":{\"shape\":[6,8,32],\"strides\":[256,1,8],\"dtype\":\"float16\"}",
		    "gemm b6 nt 32x32x8 float16");
	/* neither row- nor column-major: torch copies it */
	expect_text("\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(32, 64, 256, 2, "bfloat16") ",\"b\":" B,
		    "gemm nt 32x16x64 bfloat16");
}

static void test_leading_dimensions(void **state)
{
	(void)state;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording =
	    parse_call("\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(
		32, 64, 128, 1, "bfloat16") ",\"b\":" MATRIX(64, 16, 1, 96, "bfloat16"));
	assert_int_equal(gemm_of(recording)->lda, 128);
	assert_int_equal(gemm_of(recording)->ldb, 96);
	assert_int_equal(gemm_of(recording)->ldc, 16);
}

/* Added in place onto a column-major matrix: the transposed product, row-major. */
static void test_column_major_result(void **state)
{
	(void)state;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording =
	    parse_call("\"kind\":\"gemm\",\"op\":\"aten::addmm_\",\"in_place\":true,\"c\":" MATRIX(
		32, 16, 1, 40, "bfloat16") ",\"a\":" A ",\"b\":" B);
	const struct mxt_gemm *g = gemm_of(recording);
	assert_int_equal(g->m, 16);
	assert_int_equal(g->n, 32);
	assert_false(g->trans_a);
	assert_true(g->trans_b);
	assert_int_equal(g->ldc, 40);
	assert_true(g->accumulate);
}

/* One row has no stride of its own. */
static void test_single_row(void **state)
{
	(void)state;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording =
	    parse_call("\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(1, 64, 1, 1, "bfloat16") ",\"b\":" B);
	assert_int_equal(gemm_of(recording)->lda, 64);
	assert_false(gemm_of(recording)->trans_a);
}

/* ---- attention ---- */

#define HEADS(b, h, s, d)                                                                                              \
	"{\"shape\":[" #b "," #h "," #s "," #d "],\"strides\":[8192,128,512,1],\"dtype\":\"bfloat16\"}"
#define BY_HEAD(b, h, s, d)                                                                                            \
	"{\"shape\":[" #b "," #h "," #s "," #d "],\"strides\":[8192,2048,128,1],\"dtype\":\"bfloat16\"}"
#define PACKED(t, h, d) "{\"shape\":[" #t "," #h "," #d "],\"strides\":[512,128,1],\"dtype\":\"bfloat16\"}"
#define SDPA                                                                                                           \
	"\"kind\":\"attention\",\"op\":\"aten::_scaled_dot_product_cudnn_attention\",\"direction\":\"forward\","       \
	"\"layout\":\"bhsd\",\"q\":" HEADS(2, 4, 16, 128) ",\"k\":" HEADS(2, 2, 16, 128) ",\"v\":" HEADS(2, 2, 16,     \
													 128)
#define FLASH(direction)                                                                                               \
	"\"kind\":\"attention\",\"op\":\"flash_attn::_flash_attn_varlen_forward\",\"direction\":\"" direction "\","    \
	"\"layout\":\"thd\",\"q\":" PACKED(48, 4, 128) ",\"k\":" PACKED(48, 2, 128) ",\"v\":" PACKED(48, 2, 128)

static void test_attention(void **state)
{
	(void)state;
	expect_text(SDPA ",\"causal\":true", "attention b2 s16 h4/2 d128 causal bfloat16 forward");
	expect_text(SDPA ",\"mask\":" HEADS(2, 1, 16, 16), "attention b2 s16 h4/2 d128 causal mask bfloat16 forward");
	expect_text(FLASH("backward") ",\"causal\":true,\"window\":8,\"documents\":{\"count\":4,\"tokens\":48,"
				      "\"lengths\":[16,0,20,12]}",
		    "attention b1 s48 h4/2 d128 causal window8 docs3 bfloat16 backward");
}

#define REPEATED(k)                                                                                                    \
	"\"kind\":\"attention\",\"op\":\"x\",\"direction\":\"forward\",\"layout\":\"bhsd\","                           \
	"\"q\":" HEADS(2, 4, 16, 128) ",\"k\":" k ",\"v\":" k ",\"mask\":" HEADS(2, 1, 16, 16)

/* Copies for all query heads are stored by head; what a model has itself is not. */
static void test_repeated_heads(void **state)
{
	(void)state;
	expect_text(REPEATED(BY_HEAD(2, 4, 16, 128)),
		    "attention b2 s16 h4/4 d128 causal mask repeated bfloat16 forward");
	expect_text(REPEATED(HEADS(2, 4, 16, 128)), "attention b2 s16 h4/4 d128 causal mask bfloat16 forward");
	expect_text(REPEATED(BY_HEAD(2, 2, 16, 128)), "attention b2 s16 h4/2 d128 causal mask bfloat16 forward");
}

/* Only the first of many documents are there: a call stands for more. */
static void test_many_documents(void **state)
{
	(void)state;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording =
	    parse_call(FLASH("forward") ",\"documents\":{\"count\":9,\"tokens\":96,\"lengths\":[16,20,12]}");
	assert_int_equal(recording->calls[0].problem.as.attention.seq, 48);
	assert_true(fabs(recording->calls[0].calls - 4) < 1e-9);
}

static void test_not_timed(void **state)
{
	(void)state;
	static const char *const calls[] = {
	    "\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(32, 64, 64, 1, "float64") ",\"b\":" B,
	    "\"kind\":\"gemm\",\"op\":\"aten::mm\",\"out_dtype\":\"float32\",\"a\":" A ",\"b\":" B,
	    "\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(0, 64, 64, 1, "bfloat16") ",\"b\":" B,
	    "\"kind\":\"other\",\"op\":\"aten::_grouped_mm\",\"tensors\":[" A "]",
	    FLASH("forward") ",\"keys_differ\":true",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(calls); i++) {
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_buf_printf(&text, "%s\"order\":[],\"calls\":[{%s,\"counts\":[2,4]},{%s,\"counts\":[1,1]}]}", HEAD,
			       calls[i], SDPA);
		MXT_CLEANUP_RECORDING struct mxt_recording *recording = parse(mxt_buf_text(&text));
		assert_non_null(recording->calls[0].why_not);
		assert_int_equal(recording->n_notes, 1);
		assert_non_null(strstr(recording->notes[0], "3 calls in a step"));
	}
}

/* ---- the file ---- */

static void expect_error(const char *text, enum mxt_error_id id, const char *place)
{
	struct mxt_recording *recording = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_recording_parse("test", text, strlen(text), &recording, &err) < 0);
	assert_null(recording);
	assert_int_equal(err.id, id);
	if (!strstr(mxt_error_text(&err), place))
		fail_msg("'%s' is not in '%s'", place, mxt_error_text(&err));
}

static void test_errors_name_the_place(void **state)
{
	(void)state;
	static const char call[] = "{\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" A ",\"b\":" B ",\"counts\":[1,1]}";
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	expect_error("[1]", MXT_E_RECORDING, "object");
	expect_error("{", MXT_E_JSON_TEXT, "line 1");
	expect_error("{\"schema\":\"mindxtrain.plan/1\"}", MXT_E_RECORDING, "torch: the key is missing");
	expect_error(HEAD "\"order\":[],\"calls\":[]}", MXT_E_RECORDING, "no product and no attention call");
	expect_error(HEAD "\"order\":[],\"calls\":[],\"step\":1}", MXT_E_RECORDING, "did you mean 'steps'");
	mxt_buf_printf(&text, "%s\"order\":[[1,0]],\"calls\":[%s]}", HEAD, call);
	expect_error(mxt_buf_text(&text), MXT_E_RECORDING, "order[0]");
	mxt_buf_truncate(&text, 0);
	mxt_buf_printf(&text, "%s\"order\":[[0,-1]],\"calls\":[%s]}", HEAD, call);
	expect_error(mxt_buf_text(&text), MXT_E_RECORDING, "order");
	expect_error(HEAD "\"order\":[],\"calls\":[{\"kind\":\"gemm\",\"op\":\"x\",\"counts\":[1]}]}", MXT_E_RECORDING,
		     "calls[0].counts");
	expect_error(HEAD "\"order\":[],\"calls\":[{\"kind\":\"gemm\",\"op\":\"x\",\"counts\":[1,1]}]}",
		     MXT_E_RECORDING, "calls[0].a");
	expect_error(HEAD "\"order\":[],\"calls\":[{\"kind\":\"gemm\",\"op\":\"x\",\"a\":" A ",\"b\":" A
			  ",\"counts\":[1,1]}]}",
		     MXT_E_RECORDING, "do not fit together");
	expect_error(HEAD "\"order\":[],\"calls\":[{\"kind\":\"attention\",\"op\":\"x\",\"counts\":[1,1]}]}",
		     MXT_E_RECORDING, "calls[0].direction");
}

/* ---- the set ---- */

static void read_fixture(const char *name, struct mxt_recording **ret_recording)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/tests/fixtures/recordings/%s", getenv("MXT_SOURCE_ROOT"), name);
	assert_int_equal(mxt_recording_read(mxt_buf_text(&path), ret_recording, NULL), 0);
}

static struct mxt_problem_set problems(const struct mxt_recording *recording, const struct mxt_scale *scale)
{
	struct mxt_problem_set set;
	assert_int_equal(mxt_recording_problems(recording, scale, false, &set, NULL, NULL), 0);
	return set;
}

static double weight(const struct mxt_problem *problem)
{
	return (double)problem->calls * problem->share_ppm / 1e6;
}

static double weighted_flops(const struct mxt_problem_set *set)
{
	double sum = 0;
	for (size_t i = 0; i < set->n_problems; i++)
		sum += weight(&set->problems[i]) * mxt_problem_flops(&set->problems[i]);
	return sum;
}

/* A real step of a small LoRA model, two micro-batches: 3 layers, so 2 x 3 attention calls either way. */
static void test_fixture(void **state)
{
	(void)state;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	read_fixture("lora_accumulated.json", &recording);
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = problems(recording, &unscaled);
	assert_int_equal(set.n_problems, 27);
	assert_false(set.scaled);
	double step = set.step_flops[MXT_PROBLEM_GEMM] + set.step_flops[MXT_PROBLEM_ATTENTION];
	assert_true(fabs(weighted_flops(&set) / step - 1) < 1e-6);
	size_t attentions = 0;
	for (size_t i = 0; i < set.n_layer; i++)
		if (set.layer[i].problem != MXT_LAYER_FILLER)
			attentions += set.problems[set.layer[i].problem].kind == MXT_PROBLEM_ATTENTION;
	assert_int_equal(attentions, 2);
	assert_true(set.n_layer > 20);
}

/* The same problems and counts have the same hash, however often they were recorded. */
static void test_hash(void **state)
{
	(void)state;
#define CALL(counts) "{\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" A ",\"b\":" B ",\"counts\":" counts "}"
	MXT_CLEANUP_RECORDING struct mxt_recording *one = parse(HEAD "\"order\":[],\"calls\":[" CALL("[3,3]") "]}");
	MXT_CLEANUP_RECORDING struct mxt_recording *same =
	    parse(HEAD "\"order\":[[0,7]],\"calls\":[" CALL("[1,2]") "," CALL("[2,1]") "]}");
	MXT_CLEANUP_RECORDING struct mxt_recording *other = parse(HEAD "\"order\":[],\"calls\":[" CALL("[3,4]") "]}");
	assert_int_equal(strlen(one->hash), 64);
	assert_string_equal(one->hash, same->hash);
	assert_string_not_equal(one->hash, other->hash);
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = problems(other, &unscaled);
	assert_int_equal(set.problems[0].calls, 4);
	assert_int_equal(set.problems[0].share_ppm, 875000);
}

static void test_scaled(void **state)
{
	(void)state;
	const struct mxt_scale scale = {.gemm_tokens = 8, .weight_extent = 16, .attention_tokens = 16};
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	read_fixture("lora_accumulated.json", &recording);
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = problems(recording, &scale);
	assert_true(set.scaled);
	for (size_t i = 0; i < set.n_problems; i++) {
		const struct mxt_problem *p = &set.problems[i];
		if (p->kind == MXT_PROBLEM_GEMM)
			assert_true(p->as.gemm.m <= 16 && p->as.gemm.n <= 16 && p->as.gemm.k <= 16);
		else
			assert_true(p->as.attention.batch * p->as.attention.seq <= 16);
		assert_int_equal(mxt_problem_validate(p), 0);
	}
	double step = set.step_flops[MXT_PROBLEM_GEMM] + set.step_flops[MXT_PROBLEM_ATTENTION];
	assert_true(fabs(weighted_flops(&set) / step - 1) < 1e-6);
}

static void test_scale_for_memory(void **state)
{
	(void)state;
	struct mxt_scale scale;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording =
	    parse_call("\"kind\":\"gemm\",\"op\":\"aten::mm\",\"a\":" MATRIX(
		4096, 4096, 4096, 1, "bfloat16") ",\"b\":" MATRIX(4096, 4096, 1, 4096, "bfloat16"));
	mxt_recording_scale_for_memory(recording, UINT64_C(1) << 30, false, &scale);
	assert_int_equal(scale.gemm_tokens, 0);
	mxt_recording_scale_for_memory(recording, UINT64_C(1) << 24, false, &scale);
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = problems(recording, &scale);
	assert_int_equal(set.problems[0].as.gemm.m, 1024);
	assert_true(mxt_problem_bytes(&set.problems[0]) <= UINT64_C(1) << 24);
}

/* 300 different products: the 256 with most operations stay, and a sentence says what the others are worth. */
static void test_limit(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf note = MXT_BUF_INIT;
	mxt_buf_puts(&text, HEAD "\"order\":[[0,0],[299,0]],\"calls\":[");
	for (int i = 1; i <= 300; i++)
		mxt_buf_printf(&text,
			       "%s{\"kind\":\"gemm\",\"op\":\"aten::mm\",\"counts\":[1,1],\"a\":{\"shape\":[%d,64],"
			       "\"strides\":[64,1],\"dtype\":\"bfloat16\"},\"b\":" B "}",
			       i > 1 ? "," : "", i);
	mxt_buf_puts(&text, "]}");
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = parse(mxt_buf_text(&text));
	struct mxt_problem_set set;
	assert_int_equal(mxt_recording_problems(recording, &unscaled, false, &set, &note, NULL), 0);
	assert_int_equal(set.n_problems, MXT_RECORDING_MAX_PROBLEMS);
	assert_int_equal(set.problems[0].as.gemm.m, 45);
	assert_non_null(strstr(mxt_buf_text(&note), "2.19 %"));
	/* what is left out still moves its bytes in the layer */
	assert_int_equal(set.n_layer, 2);
	assert_int_equal(set.layer[0].problem, MXT_LAYER_FILLER);
	assert_int_equal(set.layer[1].problem, 255);
	mxt_problem_set_finish(&set);
}

/* ---- ranks ---- */

static json_t *document(const char *calls)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	json_t *value = NULL;
	mxt_buf_printf(&text, "%s\"order\":[],\"calls\":[%s]}", HEAD, calls);
	assert_int_equal(mxt_json_parse("test", text.data, text.len, MXT_JSON_CANONICAL, &value, NULL), 0);
	assert_int_equal(mxt_recording_check("test", value, NULL), 0);
	return value;
}

static void expect_counts(const json_t *merged, size_t call, const char *wanted)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const json_t *calls = json_object_get(merged, "calls");
	assert_int_equal(mxt_json_canonical(json_object_get(json_array_get(calls, call), "counts"), &text, NULL), 0);
	assert_string_equal(mxt_buf_text(&text), wanted);
}

static void test_merge(void **state)
{
	(void)state;
#define OTHER(counts) "{\"kind\":\"other\",\"op\":\"aten::_int_mm\",\"counts\":" counts "}"
	json_t *documents[] = {document(CALL("[1,2]")), document(OTHER("[5,6]") "," CALL("[3,4]")),
			       document(OTHER("[7,8]"))};
	MXT_CLEANUP_JSON json_t *merged = NULL;
	assert_int_equal(mxt_recording_merge(documents, 3, &merged, NULL), 0);
	assert_int_equal(json_integer_value(json_object_get(merged, "ranks")), 3);
	assert_int_equal(json_array_size(json_object_get(merged, "forward_passes")), 6);
	expect_counts(merged, 0, "[1,2,3,4,0,0]");
	expect_counts(merged, 1, "[0,0,5,6,7,8]");
	assert_int_equal(mxt_recording_check("merged", merged, NULL), 0);
	assert_int_equal(json_object_set_new(documents[2], "steps", json_integer(1)), 0);
	json_t *other = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_recording_merge(documents, 3, &other, &err) < 0);
	assert_int_equal(err.id, MXT_E_RECORDING);
	for (size_t i = 0; i < MXT_ARRAY_LEN(documents); i++)
		json_decref(documents[i]);
}

/* ---- coverage ---- */

static struct mxt_problem square(int64_t n, uint32_t calls)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .calls = calls, .share_ppm = 1000000};
	problem.as.gemm = (struct mxt_gemm){.m = n, .n = n, .k = n, .lda = n, .ldb = n, .ldc = n};
	return problem;
}

static struct mxt_problem packed(int32_t first, int32_t second, uint32_t calls)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION, .calls = calls, .share_ppm = 1000000};
	problem.as.attention = (struct mxt_attention){.batch = 1,
						      .seq = first + second,
						      .heads = 4,
						      .kv_heads = 2,
						      .head_dim = 64,
						      .causal = true,
						      .n_documents = 2,
						      .documents = {first, second}};
	return problem;
}

static void test_coverage(void **state)
{
	(void)state;
	struct mxt_problem recorded[] = {square(64, 4), square(128, 1), packed(8, 8, 3), packed(10, 6, 3)};
	struct mxt_problem generated[] = {square(64, 2), packed(12, 4, 6), square(32, 9)};
	const struct mxt_problem_set left = {.problems = recorded, .n_problems = 4};
	const struct mxt_problem_set right = {.problems = generated, .n_problems = 3};
	struct mxt_coverage coverage;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_recording_coverage(&left, &right, &coverage);
	assert_true(fabs(coverage.gemm_covered_flops / coverage.gemm_flops - 2.0 / 12) < 1e-9);
	assert_true(fabs(coverage.attention_calls - 6) < 1e-9);
	assert_true(fabs(coverage.attention_covered - 6) < 1e-9);
	assert_int_equal(coverage.n_misses, 2);
	assert_int_equal(coverage.misses[0]->as.gemm.m, 128);
	assert_true(fabs(coverage.miss_calls[1] - 2) < 1e-9);
	mxt_coverage_text(&coverage, &text);
	assert_non_null(strstr(mxt_buf_text(&text), "16.7 % of the operations"));
	assert_non_null(strstr(mxt_buf_text(&text), "6 of 6 attention calls"));
	assert_non_null(strstr(mxt_buf_text(&text), "1 x gemm nn 128x128x128"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_products),
	    cmocka_unit_test(test_leading_dimensions),
	    cmocka_unit_test(test_column_major_result),
	    cmocka_unit_test(test_single_row),
	    cmocka_unit_test(test_attention),
	    cmocka_unit_test(test_repeated_heads),
	    cmocka_unit_test(test_many_documents),
	    cmocka_unit_test(test_not_timed),
	    cmocka_unit_test(test_errors_name_the_place),
	    cmocka_unit_test(test_fixture),
	    cmocka_unit_test(test_hash),
	    cmocka_unit_test(test_scaled),
	    cmocka_unit_test(test_scale_for_memory),
	    cmocka_unit_test(test_limit),
	    cmocka_unit_test(test_merge),
	    cmocka_unit_test(test_coverage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
