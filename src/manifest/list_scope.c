/* SPDX-License-Identifier: Apache-2.0 */
#include "list_scope.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

const char *mxt_list_below(const char *root, const char *path)
{
	size_t len = strlen(root);
	if (len > 0 && root[len - 1] == '/') /* the root of the file system */
		len--;
	return strncmp(path, root, len) == 0 && path[len] == '/' && path[len + 1] != '\0' ? path + len + 1 : NULL;
}

int mxt_list_scope(const char *const *roots, size_t n, size_t i, const char ***ret_left_out, struct mxt_error *err)
{
	const char **left_out = calloc(n + 1, sizeof *left_out);
	size_t count = 0;
	if (!left_out)
		return mxt_error_oom(err);
	for (size_t j = 0; j < n; j++) {
		const char *path = mxt_list_below(roots[i], roots[j]);
		if (path)
			left_out[count++] = path;
	}
	*ret_left_out = left_out;
	return 0;
}
