/* SPDX-License-Identifier: Apache-2.0 */
/* blis.def against blis.h. */
#include <stdint.h>

#include <blis.h>

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "blis.def"

int main(void)
{
	return 0;
}
