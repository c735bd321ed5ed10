/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lt_dialect.h"

static const struct mxt_dl_row rows[] = {
#define MXT_LT_SYMBOL MXT_LT_ROW
#include "cublaslt.def"
#undef MXT_LT_SYMBOL
};

/* 130100 is 13.1.0. */
static int describe(const struct mxt_lt_calls *call, struct mxt_lt_handle *handle, char *text, size_t bytes)
{
	size_t version = call->cublas_version();
	(void)handle;
	(void)snprintf(text, bytes, "cuBLASLt %zu.%zu.%zu", version / 10000 % 1000, version / 100 % 100, version % 100);
	return 0;
}

const struct mxt_lt_dialect mxt_cublaslt = {
    .title = "cuBLASLt",
    .file = "cublaslt",
    .rows = rows,
    .n_rows = MXT_ARRAY_LEN(rows),
    .refused = MXT_E_CUBLASLT_CALL,
#define MXT_LT_NUMBER(member, value, name) .member = (value),
#include "cublaslt_numbers.def"
#undef MXT_LT_NUMBER
    .result.has_index = false,
    .result.may_grow = false,
    .most = 200,
    .most_soon = 0,
    .describe = describe,
};
