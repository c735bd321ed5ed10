/* SPDX-License-Identifier: Apache-2.0 */
/* cblas.def against a cblas.h: every row must have the type that the header declares. */
#include <stdint.h>

#include <cblas.h>

_Static_assert(CblasRowMajor == 101 && CblasNoTrans == 111 && CblasTrans == 112,
	       "values that blas.h gives its own names");

#define mxt_cblas_layout    MXT_ABI_LAYOUT
#define mxt_cblas_transpose CBLAS_TRANSPOSE
#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "cblas.def"

int main(void)
{
	return 0;
}
