/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt.def and cublaslt_numbers.def against cublasLt.h, whose handles are pointers of other names. */
#include <cublasLt.h>
#include <stddef.h>

#define MXT_LT_SYMBOL(member, symbol, required, since) _Static_assert(sizeof(&symbol) == sizeof(void *), #symbol);
#include "cublaslt.def"

#define MXT_LT_NUMBER(member, value, name) _Static_assert((long long)(name) == (value), #name);
#include "cublaslt_numbers.def"

_Static_assert(_Generic(&cublasLtGetVersion, size_t (*)(void) : 1, default : 0), "version");

int main(void)
{
	return 0;
}
