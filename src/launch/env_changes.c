/* SPDX-License-Identifier: Apache-2.0 */
#include "env_changes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "environment.h"
#include "error.h"
#include "hash.h"
#include "json.h"
#include "variables.h"

#define MAX_VALUE 4096 /* bytes of a value that a record shows */

void mxt_env_changes_finish(struct mxt_env_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->items[i].name);
		free(changes->items[i].to);
	}
	free(changes->items);
	*changes = (struct mxt_env_changes)MXT_ENV_CHANGES_INIT;
}

const struct mxt_env_change *mxt_env_changes_find(const struct mxt_env_changes *changes, const char *name, size_t len)
{
	for (size_t i = 0; i < changes->count; i++)
		if (strncmp(changes->items[i].name, name, len) == 0 && changes->items[i].name[len] == '\0')
			return &changes->items[i];
	return NULL;
}

int mxt_env_changes_add(struct mxt_env_changes *changes, const char *name, const char *to, const char *by,
			struct mxt_error *err)
{
	if (mxt_env_changes_find(changes, name, strlen(name)))
		return 0;
	struct mxt_env_change *items =
	    mxt_array_reserve(changes->items, changes->count, &changes->capacity, sizeof *items);
	if (!items)
		return mxt_error_oom(err);
	changes->items = items;
	struct mxt_env_change change = {strdup(name), to ? strdup(to) : NULL, by};
	if (!change.name || (to && !change.to)) {
		free(change.name);
		free(change.to);
		return mxt_error_oom(err);
	}
	changes->items[changes->count++] = change;
	return 0;
}

static size_t name_length(const char *item)
{
	return strcspn(item, "=");
}

/* Is `item` the first of its name in the list that begins at `environment`? */
static bool is_first(char *const *environment, const char *item)
{
	size_t len = name_length(item);
	for (char *const *other = environment; *other != item; other++)
		if (strncmp(*other, item, len) == 0 && (*other)[len] == '=')
			return false;
	return true;
}

static char *assignment(const struct mxt_env_change *change)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, change->name);
	mxt_buf_putc(&buf, '=');
	mxt_buf_puts(&buf, change->to);
	return mxt_buf_steal(&buf);
}

static int append(char **environment, size_t *n, char *item, struct mxt_error *err)
{
	if (!item)
		return mxt_error_oom(err);
	environment[(*n)++] = item;
	return 0;
}

static int fill(const struct mxt_env_changes *changes, char *const *caller, char **environment, struct mxt_error *err)
{
	size_t n = 0;
	int rc = 0;
	for (char *const *item = caller; rc == 0 && *item; item++)
		if (!mxt_env_changes_find(changes, *item, name_length(*item)) && is_first(caller, *item))
			rc = append(environment, &n, strdup(*item), err);
	for (size_t i = 0; rc == 0 && i < changes->count; i++)
		if (changes->items[i].to)
			rc = append(environment, &n, assignment(&changes->items[i]), err);
	return rc;
}

int mxt_env_changes_apply(const struct mxt_env_changes *changes, char *const *caller, char ***ret_environment,
			  struct mxt_error *err)
{
	size_t count = 0;
	while (caller[count])
		count++;
	char **environment = calloc(count + changes->count + 1, sizeof *environment);
	int rc = environment ? fill(changes, caller, environment, err) : mxt_error_oom(err);
	if (rc < 0)
		mxt_environment_destroy(environment);
	else
		*ret_environment = environment;
	return rc;
}

/* Sets "from" or "from_hash"; 0 or -1. */
static int set_from(json_t *object, const char *name, const char *from)
{
	char hex[MXT_HASH_HEX_SIZE];
	if (!from)
		return 0;
	if (mxt_variable_shows(name, from))
		return json_object_set_new(object, "from", mxt_json_clean_text(from, MAX_VALUE));
	mxt_hash_hex(from, strlen(from), hex);
	return json_object_set_new(object, "from_hash", json_string(hex));
}

static int add_change(json_t *object, const struct mxt_env_change *change, const char *from)
{
	json_t *item = json_pack("{s:s}", "by", change->by);
	int rc = item ? set_from(item, change->name, from) : -1;
	if (rc == 0 && change->to)
		rc = json_object_set_new(item, "to", mxt_json_clean_text(change->to, MAX_VALUE));
	if (rc == 0)
		rc = json_object_set(object, change->name, item);
	json_decref(item);
	return rc;
}

int mxt_env_changes_json(const struct mxt_env_changes *changes, char *const *caller, json_t **ret_json,
			 struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *object = json_object();
	int rc = object ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < changes->count; i++) {
		const struct mxt_env_change *change = &changes->items[i];
		const char *from = mxt_environ_get(caller, change->name);
		if (from || change->to)
			rc = add_change(object, change, from);
	}
	if (rc < 0)
		return mxt_error_oom(err);
	*ret_json = json_incref(object);
	return 0;
}
