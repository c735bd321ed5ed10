/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for cuBLASLt (cublasLt.h of CUDA 13.0): column-major products with the transposes, alpha, beta and bias of
 * the real one, and a heuristic that names the algorithms of the scenario. Statuses are cublasStatus_t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_number.h"
#include "sim_product.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

#ifndef SIM_CUBLASLT_VERSION
#define SIM_CUBLASLT_VERSION 130100
#endif

enum status { SUCCESS = 0, ALLOC_FAILED = 3, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };

/* Attributes are copied as they come, at the number that they have in cublasLt.h. */
#define MAX_ATTRIBUTES  32
#define ATTRIBUTE_BYTES 8
enum { DESC_TRANSA = 3, DESC_TRANSB = 4, DESC_EPILOGUE = 7, DESC_BIAS_POINTER = 8 };
enum { LAYOUT_TYPE = 0, LAYOUT_ROWS = 2, LAYOUT_COLS = 3, LAYOUT_LD = 4 };
enum { PREFERENCE_WORKSPACE = 1 };
enum { EPILOGUE_BIAS = 4 };

struct attributes { /* a descriptor, a layout, or a preference */
	unsigned char values[MAX_ATTRIBUTES][ATTRIBUTE_BYTES];
};

struct lt_handle {
	int sound;
};

struct algorithm {
	uint64_t data[8];
};

#define ALGORITHM_MARK UINT64_C(0x6d78742d73696d00) /* in data[0]; its number is in data[1] */

struct heuristic_result {
	struct algorithm algorithm;
	size_t workspace_bytes;
	int state;
	float waves;
	int reserved[4];
};

typedef struct attributes *attributes;

MXT_SIM_EXPORT size_t cublasLtGetVersion(void);
MXT_SIM_EXPORT const char *cublasLtGetStatusString(int status);
MXT_SIM_EXPORT int cublasLtCreate(struct lt_handle **ret);
MXT_SIM_EXPORT int cublasLtDestroy(struct lt_handle *handle);
MXT_SIM_EXPORT int cublasLtMatmulDescCreate(attributes *ret, int compute_type, int scale_type);
MXT_SIM_EXPORT int cublasLtMatmulDescSetAttribute(attributes desc, int attribute, const void *value, size_t bytes);
MXT_SIM_EXPORT int cublasLtMatmulDescDestroy(attributes desc);
MXT_SIM_EXPORT int cublasLtMatrixLayoutCreate(attributes *ret, int type, uint64_t rows, uint64_t cols, int64_t ld);
MXT_SIM_EXPORT int cublasLtMatrixLayoutSetAttribute(attributes layout, int attribute, const void *value, size_t bytes);
MXT_SIM_EXPORT int cublasLtMatrixLayoutDestroy(attributes layout);
MXT_SIM_EXPORT int cublasLtMatmulPreferenceCreate(attributes *ret);
MXT_SIM_EXPORT int cublasLtMatmulPreferenceSetAttribute(attributes preference, int attribute, const void *value,
							size_t bytes);
MXT_SIM_EXPORT int cublasLtMatmulPreferenceDestroy(attributes preference);
MXT_SIM_EXPORT int cublasLtMatmulAlgoGetHeuristic(struct lt_handle *handle, attributes desc, attributes a, attributes b,
						  attributes c, attributes d, attributes preference, int wanted,
						  struct heuristic_result *results, int *ret_count);
MXT_SIM_EXPORT int cublasLtMatmul(struct lt_handle *handle, attributes desc, const void *alpha, const void *a,
				  attributes a_layout, const void *b, attributes b_layout, const void *beta,
				  const void *c, attributes c_layout, void *d, attributes d_layout,
				  const struct algorithm *algorithm, void *workspace, size_t workspace_bytes,
				  void *stream);

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.cublaslt");
}

size_t cublasLtGetVersion(void)
{
	return SIM_CUBLASLT_VERSION;
}

const char *cublasLtGetStatusString(int status)
{
	switch (status) {
	case SUCCESS:
		return "CUBLAS_STATUS_SUCCESS";
	case ALLOC_FAILED:
		return "CUBLAS_STATUS_ALLOC_FAILED";
	case INVALID_VALUE:
		return "CUBLAS_STATUS_INVALID_VALUE";
	case EXECUTION_FAILED:
		return "CUBLAS_STATUS_EXECUTION_FAILED";
	case NOT_SUPPORTED:
		return "CUBLAS_STATUS_NOT_SUPPORTED";
	default:
		return "unknown cublasLt status";
	}
}

static int failure(const struct mxt_sim_outcome *outcome, int otherwise)
{
	if (!(outcome->effects & MXT_SIM_FAIL))
		return SUCCESS;
	return outcome->code > 0 ? outcome->code : otherwise;
}

int cublasLtCreate(struct lt_handle **ret)
{
	if (mxt_sim_device_status())
		return 1; /* CUBLAS_STATUS_NOT_INITIALIZED */
	*ret = calloc(1, sizeof **ret);
	return *ret ? SUCCESS : ALLOC_FAILED;
}

int cublasLtDestroy(struct lt_handle *handle)
{
	free(handle);
	return SUCCESS;
}

static int create(attributes *ret)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? SUCCESS : ALLOC_FAILED;
}

static int destroy(attributes some)
{
	free(some);
	return SUCCESS;
}

static int set(attributes some, int attribute, const void *value, size_t bytes)
{
	if (!some || !value || attribute < 0 || attribute >= MAX_ATTRIBUTES || bytes > ATTRIBUTE_BYTES)
		return INVALID_VALUE;
	memset(some->values[attribute], 0, ATTRIBUTE_BYTES);
	memcpy(some->values[attribute], value, bytes);
	return SUCCESS;
}

static int64_t get(const struct attributes *some, int attribute)
{
	int64_t value;
	memcpy(&value, some->values[attribute], sizeof value);
	return value;
}

int cublasLtMatmulDescCreate(attributes *ret, int compute_type, int scale_type)
{
	(void)compute_type;
	(void)scale_type;
	return create(ret);
}

int cublasLtMatmulDescSetAttribute(attributes desc, int attribute, const void *value, size_t bytes)
{
	return set(desc, attribute, value, bytes);
}

int cublasLtMatmulDescDestroy(attributes desc)
{
	return destroy(desc);
}

int cublasLtMatrixLayoutCreate(attributes *ret, int type, uint64_t rows, uint64_t cols, int64_t ld)
{
	int status = create(ret);
	if (status == SUCCESS)
		(void)(set(*ret, LAYOUT_TYPE, &type, sizeof type) || set(*ret, LAYOUT_ROWS, &rows, sizeof rows) ||
		       set(*ret, LAYOUT_COLS, &cols, sizeof cols) || set(*ret, LAYOUT_LD, &ld, sizeof ld));
	return status;
}

int cublasLtMatrixLayoutSetAttribute(attributes layout, int attribute, const void *value, size_t bytes)
{
	return set(layout, attribute, value, bytes);
}

int cublasLtMatrixLayoutDestroy(attributes layout)
{
	return destroy(layout);
}

int cublasLtMatmulPreferenceCreate(attributes *ret)
{
	return create(ret);
}

int cublasLtMatmulPreferenceSetAttribute(attributes preference, int attribute, const void *value, size_t bytes)
{
	return set(preference, attribute, value, bytes);
}

int cublasLtMatmulPreferenceDestroy(attributes preference)
{
	return destroy(preference);
}

/* cudaDataType_t's numbers to those of torch; 0 for what is not simulated. */
static int32_t dtype_of(const struct attributes *layout)
{
	static const struct {
		int64_t type;
		int32_t dtype;
	} types[] = {{0, MXT_SIM_FLOAT32}, {1, MXT_SIM_FLOAT64}, {2, MXT_SIM_FLOAT16}, {14, MXT_SIM_BFLOAT16}};
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].type == get(layout, LAYOUT_TYPE))
			return types[i].dtype;
	return 0;
}

/* The product that four layouts and a descriptor describe; m and n are D's. */
static int describe(const struct attributes *desc, const struct attributes *a, const struct attributes *b,
		    const struct attributes *d, struct mxt_sim_product *product)
{
	int a_inner = get(desc, DESC_TRANSA) ? LAYOUT_ROWS : LAYOUT_COLS;
	int b_inner = get(desc, DESC_TRANSB) ? LAYOUT_COLS : LAYOUT_ROWS;
	int a_outer = get(desc, DESC_TRANSA) ? LAYOUT_COLS : LAYOUT_ROWS;
	int b_outer = get(desc, DESC_TRANSB) ? LAYOUT_ROWS : LAYOUT_COLS;
	*product = (struct mxt_sim_product){get(d, LAYOUT_ROWS), get(d, LAYOUT_COLS), get(a, a_inner)};
	if (get(a, a_outer) != product->m || get(b, b_outer) != product->n || get(b, b_inner) != product->k)
		return INVALID_VALUE;
	return dtype_of(a) && dtype_of(a) == dtype_of(b) && dtype_of(d) ? SUCCESS : NOT_SUPPORTED;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is cuBLASLt's */
int cublasLtMatmulAlgoGetHeuristic(struct lt_handle *handle, attributes desc, attributes a, attributes b, attributes c,
				   attributes d, attributes preference, int wanted, struct heuristic_result *results,
				   int *ret_count)
{
	const struct mxt_sim_algorithms *algorithms = &mxt_sim_scenario()->algorithms;
	struct mxt_sim_product product;
	if (!handle || !desc || !a || !b || !c || !d || !preference || wanted <= 0)
		return INVALID_VALUE;
	struct mxt_sim_outcome outcome = mxt_sim_enter("cublaslt.heuristic");
	int status = failure(&outcome, NOT_SUPPORTED);
	if (status == SUCCESS)
		status = describe(desc, a, b, d, &product);
	if (status)
		return status;
	int count = 0;
	for (size_t i = 0; i < algorithms->count && count < wanted; i++) {
		int64_t bytes = i == 0 ? 0 : algorithms->workspace_bytes;
		if (bytes > get(preference, PREFERENCE_WORKSPACE))
			continue;
		results[count++] = (struct heuristic_result){
		    .algorithm = {{ALGORITHM_MARK, i}}, .workspace_bytes = (size_t)bytes, .waves = 1};
	}
	*ret_count = count;
	return count > 0 ? SUCCESS : NOT_SUPPORTED;
}

/* An operand as rows[outer][inner] in row-major order, read from column-major storage: new memory, or NULL. */
static double *operand(const void *memory, const struct attributes *layout, bool rows_are_columns)
{
	int64_t rows = get(layout, LAYOUT_ROWS), cols = get(layout, LAYOUT_COLS), ld = get(layout, LAYOUT_LD);
	double *out = calloc((size_t)(rows * cols) + 1, sizeof *out);
	for (int64_t j = 0; out && j < cols; j++)
		for (int64_t i = 0; i < rows; i++)
			out[rows_are_columns ? j * rows + i : i * cols + j] =
			    mxt_sim_load(memory, j * ld + i, dtype_of(layout));
	return out;
}

struct output {
	double alpha, beta;
	const void *c, *bias;
	void *d;
	const struct attributes *c_layout, *d_layout;
	unsigned effects;
};

/* D = alpha * product + beta * C + bias, rounded once. */
static void store(const struct mxt_sim_product *product, const double *numbers, const struct output *to)
{
	for (int64_t j = 0; j < product->n; j++)
		for (int64_t i = 0; i < product->m; i++) {
			double value = to->alpha * numbers[i * product->n + j];
			if (to->beta != 0)
				value += to->beta * mxt_sim_load(to->c, j * get(to->c_layout, LAYOUT_LD) + i,
								 dtype_of(to->c_layout));
			if (to->bias)
				value += mxt_sim_load(to->bias, i, dtype_of(to->d_layout));
			if ((to->effects & MXT_SIM_WRONG) && (i + j) % 7 == 0)
				value = 1.5 * value + 0.01;
			if ((to->effects & MXT_SIM_NAN) && i + j == 0)
				value = strtod("nan", NULL);
			mxt_sim_store(to->d, j * get(to->d_layout, LAYOUT_LD) + i, dtype_of(to->d_layout), value);
		}
}

static int launch(const struct mxt_sim_product *product, const struct algorithm *algorithm, size_t element_bytes,
		  unsigned *ret_effects)
{
	const struct mxt_sim_scenario *scenario = mxt_sim_scenario();
	uint64_t number = algorithm ? algorithm->data[1] : 0;
	if ((algorithm && algorithm->data[0] != ALGORITHM_MARK) || number >= scenario->algorithms.count)
		return INVALID_VALUE;
	char site[40]; /* "cublaslt.matmul.2": faults of one algorithm */
	(void)snprintf(site, sizeof site, "cublaslt.matmul.%u", (unsigned)number);
	struct mxt_sim_outcome outcome = mxt_sim_enter(site);
	int status = failure(&outcome, EXECUTION_FAILED);
	if (status)
		return status;
	struct mxt_sim_cost cost = scenario->mm[MXT_SIM_CUBLASLT];
	cost.fixed_ns *= scenario->algorithms.factors[number];
	cost.flops_per_s /= scenario->algorithms.factors[number];
	double m = (double)product->m, n = (double)product->n, k = (double)product->k;
	mxt_sim_launch(&cost, 2 * m * n * k, (m * k + k * n + m * n) * (double)element_bytes,
		       mxt_sim_hash(MXT_SIM_HASH_START, product, sizeof *product), outcome.effects);
	*ret_effects = outcome.effects;
	return SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is cuBLASLt's */
int cublasLtMatmul(struct lt_handle *handle, attributes desc, const void *alpha, const void *a, attributes a_layout,
		   const void *b, attributes b_layout, const void *beta, const void *c, attributes c_layout, void *d,
		   attributes d_layout, const struct algorithm *algorithm, void *workspace, size_t workspace_bytes,
		   void *stream)
{
	struct mxt_sim_product product;
	struct output to = {.c = c, .d = d, .c_layout = c_layout, .d_layout = d_layout};
	(void)stream;
	if (!handle || !desc || !a || !b || !d || !alpha || !beta || !a_layout || !b_layout || !d_layout)
		return INVALID_VALUE;
	int status = describe(desc, a_layout, b_layout, d_layout, &product);
	if (status == SUCCESS && algorithm && algorithm->data[1] > 0 &&
	    (!workspace || (int64_t)workspace_bytes < mxt_sim_scenario()->algorithms.workspace_bytes))
		status = INVALID_VALUE;
	if (status == SUCCESS)
		status = mxt_sim_device_status()
			     ? EXECUTION_FAILED
			     : launch(&product, algorithm, mxt_sim_dtype_bytes(dtype_of(a_layout)), &to.effects);
	if (status)
		return status;
	to.alpha = (double)*(const float *)alpha;
	to.beta = (double)*(const float *)beta;
	if (get(desc, DESC_EPILOGUE) == EPILOGUE_BIAS)
		memcpy(&to.bias, desc->values[DESC_BIAS_POINTER], sizeof to.bias);
	double *left = operand(a, a_layout, get(desc, DESC_TRANSA) != 0);
	double *right = operand(b, b_layout, get(desc, DESC_TRANSB) != 0);
	double *numbers = calloc((size_t)(product.m * product.n) + 1, sizeof *numbers);
	if (left && right && numbers) {
		mxt_sim_product_run(&product, left, right, numbers);
		store(&product, numbers, &to);
	} else {
		status = ALLOC_FAILED;
	}
	free(left);
	free(right);
	free(numbers);
	return status;
}
