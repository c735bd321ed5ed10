/* SPDX-License-Identifier: Apache-2.0 */
#include "env_record.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "env_policy.h"
#include "error.h"
#include "hash.h"
#include "json.h"

/* A key of canonical JSON: printable ASCII. NULL when memory ran out. */
static char *key_of(const char *item, size_t len)
{
	char *key = strndup(item, len);
	for (char *c = key; key && *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			*c = '?';
	return key;
}

static int add_kept(json_t *kept, const json_t *changes, const char *item, struct mxt_error *err)
{
	size_t len = strcspn(item, "=");
	const char *value = item[len] ? item + len + 1 : item + len;
	char hex[MXT_HASH_HEX_SIZE];
	MXT_CLEANUP_FREE char *key = key_of(item, len);
	if (!key)
		return mxt_error_oom(err);
	if (json_object_get(changes, key))
		return 0;
	mxt_hash_hex(value, strlen(value), hex);
	return json_object_set_new(kept, key, json_string(hex)) < 0 ? mxt_error_oom(err) : 0;
}

int mxt_env_record(const struct mxt_env_outcome *outcome, json_t **ret_record, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *kept = json_object();
	int rc = kept ? 0 : mxt_error_oom(err);
	for (char *const *item = outcome->environment; rc == 0 && *item; item++)
		rc = add_kept(kept, outcome->changes, *item, err);
	if (rc < 0)
		return rc;
	json_t *record = json_pack("{s:O, s:O}", "changes", outcome->changes, "kept", kept);
	if (!record)
		return mxt_error_oom(err);
	*ret_record = record;
	return 0;
}

static void append_change(const char *name, const json_t *change, struct mxt_buf *buf)
{
	const char *from = json_string_value(json_object_get(change, "from"));
	const char *to = json_string_value(json_object_get(change, "to"));
	bool same = from && to && strcmp(from, to) == 0;
	mxt_buf_printf(buf, "%c %s", same ? '=' : to ? '+' : '-', name);
	if (to) {
		mxt_buf_putc(buf, '=');
		mxt_clean_text(buf, to, strlen(to));
	}
	mxt_buf_printf(buf, "  (%s", mxt_json_text(change, "by"));
	if (from && !same) {
		mxt_buf_puts(buf, ", was ");
		mxt_clean_text(buf, from, strlen(from));
	}
	mxt_buf_puts(buf, ")\n");
}

void mxt_env_changes_text(const json_t *changes, struct mxt_buf *buf)
{
	static const char *const order[] = {MXT_ENV_BY_PLAN, MXT_ENV_BY_LAUNCH, MXT_ENV_BY_POLICY};
	for (size_t i = 0; i < MXT_ARRAY_LEN(order); i++) {
		const char *name;
		json_t *change;
		json_object_foreach((json_t *)changes, name, change) /* jansson's iterators take no const */
		{
			if (strcmp(mxt_json_text(change, "by"), order[i]) == 0)
				append_change(name, change, buf);
		}
	}
}
