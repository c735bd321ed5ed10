/* SPDX-License-Identifier: Apache-2.0 */
#include "environ_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "sysroot.h"

#define MAX_ENVIRON ((size_t)1 << 20)

static bool is_entry(const char *text)
{
	const char *equals = strchr(text, '=');
	return equals && equals != text;
}

int mxt_environ_list_parse(const char *bytes, size_t len, struct mxt_environ_list *ret_list)
{
	/* A newline is part of a value where NUL ends the entries. */
	char separator = len && memchr(bytes, '\0', len) ? '\0' : '\n';
	size_t most = 1;
	for (size_t i = 0; i < len; i++)
		most += bytes[i] == separator;
	struct mxt_environ_list list = {calloc(most + 1, sizeof *list.entries), malloc(len + 1)};
	if (!list.entries || !list.text) {
		mxt_environ_list_finish(&list);
		return -ENOMEM;
	}
	if (len)
		memcpy(list.text, bytes, len);
	list.text[len] = '\0';
	size_t count = 0;
	for (char *at = list.text, *end = at + len; at < end;) {
		char *stop = memchr(at, separator, (size_t)(end - at));
		char *next = stop ? stop + 1 : end;
		if (stop)
			*stop = '\0';
		if (is_entry(at))
			list.entries[count++] = at;
		at = next;
	}
	*ret_list = list;
	return 0;
}

int mxt_environ_list_read(const struct mxt_sysroot *root, struct mxt_environ_list *ret_list, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_environ_list list = MXT_ENVIRON_LIST_INIT;
	int rc = mxt_sysroot_read(root, "/environ", MAX_ENVIRON, &text, NULL);
	if (rc == 0)
		rc = mxt_environ_list_parse(mxt_buf_text(&text), text.len, &list);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	*ret_list = list;
	return 0;
}

void mxt_environ_list_finish(struct mxt_environ_list *list)
{
	free(list->entries);
	free(list->text);
	*list = (struct mxt_environ_list)MXT_ENVIRON_LIST_INIT;
}
