/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "lt_dialect.h"

#define REVISION_BYTES 256 /* what the header's sample code makes room for is 128 */
#define REVISION_SHOWN 10  /* as rocBLAS and torch print it */

static const struct mxt_dl_row rows[] = {
#define MXT_LT_SYMBOL MXT_LT_ROW
#include "hipblaslt.def"
#undef MXT_LT_SYMBOL
};

/* 100202 is 1.2.2. The revision is shown as far as it is one. */
static int describe(const struct mxt_lt_calls *call, struct mxt_lt_handle *handle, char *text, size_t bytes)
{
	int version = 0;
	char revision[REVISION_BYTES] = "";
	int status = call->hipblas_version(handle, &version);
	if (status == 0 && call->hipblas_revision && call->hipblas_revision(handle, revision) != 0)
		revision[0] = '\0';
	revision[REVISION_SHOWN] = '\0';
	revision[strspn(revision, "0123456789abcdef")] = '\0';
	(void)snprintf(text, bytes, "hipBLASLt %d.%d.%d%s%s%s", version / 100000, version / 100 % 1000, version % 100,
		       revision[0] ? " (" : "", revision, revision[0] ? ")" : "");
	return status;
}

const struct mxt_lt_dialect mxt_hipblaslt = {
    .title = "hipBLASLt",
    .file = "hipblaslt",
    .rows = rows,
    .n_rows = MXT_ARRAY_LEN(rows),
    .refused = MXT_E_HIPBLASLT_CALL,
#define MXT_LT_NUMBER(member, value, name) .member = (value),
#include "hipblaslt_numbers.def"
#undef MXT_LT_NUMBER
    .result.has_index = true,
    .result.may_grow = true,
    .most = 8192,
    .most_soon = 256,
    .describe = describe,
};
