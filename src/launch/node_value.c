/* SPDX-License-Identifier: Apache-2.0 */
#include "node_value.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "environ.h"
#include "error.h"
#include "number.h"
#include "printable.h"

#define ADDRESS_MAX     253
#define ADDRESS_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:[]%"

int mxt_node_number(char *const *environment, const char *name, int64_t min, int64_t max, int64_t *value,
		    struct mxt_error *err)
{
	const char *text = mxt_environ_get(environment, name);
	char shown[MXT_PRINTABLE_SIZE];
	if (!text || mxt_parse_i64_in(text, min, max, value) == 0)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES,
			     "%s=%s is no whole number from %" PRId64 " to %" PRId64
			     ": say with --nodes, --node-rank and --main-address which node this is",
			     name, mxt_printable(text, shown), min, max);
}

int mxt_node_address_check(const char *what, const char *address, struct mxt_error *err)
{
	size_t len = strlen(address);
	char shown[MXT_PRINTABLE_SIZE];
	if (len > 0 && len <= ADDRESS_MAX && address[0] != '-' && strspn(address, ADDRESS_LETTERS) == len)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_NODES, "%s=%s is no name or address of a host", what,
			     mxt_printable(address, shown));
}

const char *mxt_node_first(char *const *environment, const char *const *names, const char **ret_name)
{
	for (; *names; names++) {
		const char *value = mxt_environ_get(environment, *names);
		if (!value)
			continue;
		*ret_name = *names;
		return value;
	}
	return NULL;
}
