/* SPDX-License-Identifier: Apache-2.0 */
#include "key_policy.h"

#include <stdbool.h>
#include <string.h>

#include "axolotl_package.h"
#include "axolotl_rules.h"
#include "error.h"
#include "nearest.h"
#include "printable.h"
#include "remarks.h"
#include "yaml_tree.h"

struct speaker {
	const struct mxt_axolotl_source *source;
	struct mxt_remarks *remarks;
};

static int warn(void *context, size_t line, const char *sentence)
{
	const struct speaker *speaker = context;
	if (speaker->source->argument)
		mxt_remark_warn(speaker->remarks, "argument %s: %s", speaker->source->name, sentence);
	else
		mxt_remark_warn(speaker->remarks, "%s:%zu: %s", speaker->source->name, line, sentence);
	return 0;
}

/* Names below other keys are none at the top. */
static const char *package_key_at(const void *list, size_t i)
{
	const struct mxt_axolotl_key *key = &((const struct mxt_axolotl_package *)list)->keys[i];
	return key->top ? key->name : "";
}

static bool package_knows(const void *list, const char *name)
{
	const struct mxt_axolotl_key *key = mxt_axolotl_package_key(list, name);
	return key && key->top;
}

struct mxt_axolotl_keys mxt_key_policy_keys(const struct mxt_axolotl_package *package)
{
	struct mxt_axolotl_keys keys = {.list = NULL};
	if (package->keys)
		keys = (struct mxt_axolotl_keys){package, package->n_keys, package_key_at, package_knows,
						 package->version};
	return keys;
}

/* Does `plugins` name a class of the integration? */
static bool names_plugin(const struct mxt_yaml_node *root, const char *plugin)
{
	const struct mxt_yaml_node *list = mxt_yaml_get(root, "plugins");
	size_t len = strlen(plugin);
	for (size_t i = 0; list && i < list->count; i++) {
		const char *text = list->entries[i].value->text;
		const char *at = text ? strstr(text, "integrations.") : NULL;
		at = at ? at + strlen("integrations.") : NULL;
		if (at && strncmp(at, plugin, len) == 0 && (at[len] == '.' || at[len] == '\0'))
			return true;
	}
	return false;
}

static int check_key(const struct speaker *speaker, const struct mxt_yaml_entry *entry,
		     const struct mxt_yaml_node *root, const struct mxt_axolotl_package *package)
{
	const struct mxt_axolotl_key_sink sink = {warn, (void *)speaker};
	const struct mxt_axolotl_keys keys = mxt_key_policy_keys(package);
	const struct mxt_axolotl_key *key =
	    entry->key->text ? mxt_axolotl_package_key(package, entry->key->text) : NULL;
	char place[MXT_AXOLOTL_PLACE];
	if (!key || !key->top || !key->plugin || names_plugin(root, key->plugin))
		return mxt_axolotl_key_check(entry, &keys, &sink);
	mxt_remark_warn(
	    speaker->remarks,
	    "%s: Axolotl reads '%s' only where plugins names its integration axolotl.integrations.%s, which "
	    "this config does not: it drops the key without a word",
	    mxt_axolotl_place(speaker->source, entry->key, place), key->name, key->plugin);
	return 0;
}

static const char *member_at(const void *list, size_t i)
{
	return ((char *const *)list)[i];
}

static bool is_listed(const struct mxt_axolotl_key *key, const char *name)
{
	for (size_t i = 0; i < key->n_members; i++)
		if (strcmp(key->members[i], name) == 0)
			return true;
	return false;
}

/* Axolotl takes the prefix that the keys of fsdp_config once had. */
static bool is_member(const struct mxt_axolotl_key *key, const char *name)
{
	static const char prefix[] = "fsdp_";
	if (is_listed(key, name))
		return true;
	return strncmp(name, prefix, sizeof prefix - 1) == 0 && is_listed(key, name + sizeof prefix - 1);
}

/* Keys below one whose map has known members. */
static void check_members(const struct speaker *speaker, const struct mxt_yaml_entry *entry,
			  const struct mxt_axolotl_package *package)
{
	const struct mxt_axolotl_key *key =
	    entry->key->text ? mxt_axolotl_package_key(package, entry->key->text) : NULL;
	const struct mxt_yaml_node *map = entry->value;
	char place[MXT_AXOLOTL_PLACE], shown[MXT_PRINTABLE_SIZE];
	for (size_t i = 0; key && key->members && map->value.kind == MXT_YAML_MAPPING && i < map->count; i++) {
		const struct mxt_yaml_node *member = map->entries[i].key;
		if (!member->text || is_member(key, member->text))
			continue;
		const char *near = mxt_nearest(member->text, member_at, key->members, key->n_members);
		mxt_remark_warn(speaker->remarks,
				"%s: Axolotl %s has no key '%s' below %s and drops it without a word%s%s%s",
				mxt_axolotl_place(speaker->source, member, place), package->version,
				mxt_printable(member->text, shown), key->name, near ? "; did you mean '" : "",
				near ? near : "", near ? "'?" : "");
	}
}

int mxt_key_policy(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *root,
		   const struct mxt_axolotl_package *package, struct mxt_remarks *remarks, struct mxt_error *err)
{
	const struct speaker speaker = {source, remarks};
	for (size_t i = 0; i < root->count; i++) {
		if (check_key(&speaker, &root->entries[i], root, package) < 0)
			return mxt_error_oom(err);
		check_members(&speaker, &root->entries[i], package);
	}
	return 0;
}
