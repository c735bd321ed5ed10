/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: prints more than a pipe holds as soon as it is loaded, and a packet's head among it. */
#include <stdio.h>

#define ROUNDS 60000

static void __attribute__((constructor)) chat(void)
{
	static const char line[] = "chatty library 1.0: MXTW\001 all is well\n";
	for (int i = 0; i < ROUNDS; i++)
		(void)fwrite(line, 1, sizeof line - 1, i % 2 ? stderr : stdout);
	(void)fflush(stdout);
}
