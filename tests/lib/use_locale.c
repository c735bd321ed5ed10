/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded by the locale gate: switches on the locale of the environment before main(), as a library that the program
 * loads might do, so that a number printed or parsed through it shows up in every test.
 */
#include <locale.h>
#include <stdlib.h>

static __attribute__((constructor)) void use_locale(void)
{
	if (!setlocale(LC_ALL, ""))
		abort(); /* else the gate would pass without testing anything */
}
