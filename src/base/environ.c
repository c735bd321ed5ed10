/* SPDX-License-Identifier: Apache-2.0 */
#include "environ.h"

#include <string.h>

const char *mxt_environ_get(char *const *environment, const char *name)
{
	size_t len = strlen(name);
	for (char *const *entry = environment; entry && *entry; entry++)
		if (strncmp(*entry, name, len) == 0 && (*entry)[len] == '=')
			return *entry + len + 1;
	return NULL;
}
