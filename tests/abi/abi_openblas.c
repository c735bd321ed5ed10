/* SPDX-License-Identifier: Apache-2.0 */
/* openblas.def against OpenBLAS's cblas.h. */
#include <cblas.h>

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "openblas.def"

int main(void)
{
	return 0;
}
