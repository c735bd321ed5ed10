/* SPDX-License-Identifier: Apache-2.0 */
#include "environment.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "environ.h"
#include "error.h"
#include "variables.h"

void mxt_environment_destroy(char **environment)
{
	for (char **item = environment; item && *item; item++)
		free(*item);
	free(environment);
}

static size_t count(char *const *environment)
{
	size_t n = 0;
	while (environment[n])
		n++;
	return n;
}

static size_t name_length(const char *item)
{
	const char *equals = strchr(item, '=');
	return equals ? (size_t)(equals - item) : strlen(item);
}

/* Copies what `keep` accepts; `room` more slots are left. *ret_n: how many were copied. NULL when memory ran out. */
static char **copy_some(char *const *environment, bool (*keep)(const char *item, const void *context),
			const void *context, size_t room, size_t *ret_n)
{
	char **copy = calloc(count(environment) + room + 1, sizeof *copy);
	size_t n = 0;
	for (char *const *item = environment; copy && *item; item++) {
		if (!keep(*item, context))
			continue;
		copy[n] = strdup(*item);
		if (!copy[n++]) {
			mxt_environment_destroy(copy);
			return NULL;
		}
	}
	*ret_n = n;
	return copy;
}

static bool is_not_selector(const char *item, const void *context)
{
	(void)context;
	const struct mxt_variable *variable = mxt_variable_find_n(item, name_length(item));
	return !variable || variable->class != MXT_VARIABLE_SELECTOR;
}

int mxt_environment_bare(char *const *caller, char ***ret_bare, struct mxt_error *err)
{
	size_t n = 0;
	char **bare = copy_some(caller, is_not_selector, NULL, 0, &n);
	if (!bare)
		return mxt_error_oom(err);
	*ret_bare = bare;
	return 0;
}

json_t *mxt_environment_pick(char *const *caller, const char *const *names)
{
	json_t *picked = json_object();
	for (const char *const *name = names; picked && *name; name++) {
		const char *value = mxt_environ_get(caller, *name);
		if (value && json_object_set_new(picked, *name, json_string(value)) < 0) {
			json_decref(picked);
			return NULL;
		}
	}
	return picked;
}

json_t *mxt_environment_rest(const json_t *env, const char *const *names)
{
	json_t *rest = json_array();
	for (const char *const *name = names; rest && *name; name++) {
		if (!json_object_get(env, *name) && json_array_append_new(rest, json_string(*name)) < 0) {
			json_decref(rest);
			return NULL;
		}
	}
	return rest;
}

bool mxt_environment_lists(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static bool is_not_in(const char *item, const void *context)
{
	size_t len = name_length(item);
	char name[128];
	if (len >= sizeof name)
		return true;
	memcpy(name, item, len);
	name[len] = '\0';
	return json_object_get(context, name) == NULL;
}

static char *assignment(const char *name, const char *value)
{
	struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, name);
	mxt_buf_putc(&buf, '=');
	mxt_buf_puts(&buf, value);
	char *text = mxt_buf_steal(&buf);
	mxt_buf_finish(&buf);
	return text;
}

int mxt_environment_with(char *const *base, const json_t *env, char ***ret_environment, struct mxt_error *err)
{
	size_t n = 0;
	char **environment = copy_some(base, is_not_in, env, json_object_size(env), &n);
	if (!environment)
		return mxt_error_oom(err);
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)env, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		environment[n] = assignment(name, json_string_value(value));
		if (!environment[n++]) {
			mxt_environment_destroy(environment);
			return mxt_error_oom(err);
		}
	}
	*ret_environment = environment;
	return 0;
}
