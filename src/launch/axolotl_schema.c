/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "axolotl_key.h"
#include "cleanup.h"
#include "error.h"
#include "python_fields.h"

#define MAX_CLASSES 2048
#define MAX_FIELDS  32768

/* What the whole config is, and what it is with the facts of the machine. */
static const char *const roots[] = {"AxolotlInputConfig", "AxolotlConfigWCapabilities"};

struct class_row {
	char *name, *bases; /* owned */
	const char *plugin; /* of the schema's list; NULL: none */
	bool top;
};

struct field_row {
	char *name, *type; /* owned */
	size_t class_index;
};

struct mxt_axolotl_schema {
	struct class_row *classes;
	size_t n_classes, class_room;
	struct field_row *fields;
	size_t n_fields, field_room;
	char **plugins; /* owned */
	size_t n_plugins;
};

static void free_field(const struct field_row *field)
{
	free(field->name);
	free(field->type);
}

int mxt_axolotl_schema_create(struct mxt_axolotl_schema **ret_schema, struct mxt_error *err)
{
	struct mxt_axolotl_schema *schema = calloc(1, sizeof *schema);
	if (!schema)
		return mxt_error_oom(err);
	*ret_schema = schema;
	return 0;
}

void mxt_axolotl_schema_destroy(struct mxt_axolotl_schema *schema)
{
	if (!schema)
		return;
	for (size_t i = 0; i < schema->n_classes; i++) {
		free(schema->classes[i].name);
		free(schema->classes[i].bases);
	}
	for (size_t i = 0; i < schema->n_fields; i++)
		free_field(&schema->fields[i]);
	for (size_t i = 0; i < schema->n_plugins; i++)
		free(schema->plugins[i]);
	free(schema->classes);
	free(schema->fields);
	free(schema->plugins);
	free(schema);
}

/* ---- what the scan finds ---- */

struct take {
	struct mxt_axolotl_schema *schema;
	const char *plugin;
};

static int add_class(void *context, struct mxt_python_text name, struct mxt_python_text bases)
{
	const struct take *take = context;
	struct mxt_axolotl_schema *schema = take->schema;
	if (schema->n_classes >= MAX_CLASSES)
		return 0;
	struct class_row *classes =
	    mxt_array_reserve(schema->classes, schema->n_classes, &schema->class_room, sizeof *schema->classes);
	if (!classes)
		return -ENOMEM;
	schema->classes = classes;
	struct class_row row = {strndup(name.at, name.len), strndup(bases.at, bases.len), take->plugin, false};
	schema->classes[schema->n_classes++] = row;
	return row.name && row.bases ? 0 : -ENOMEM;
}

/* The class that was added last under this name. */
static const struct class_row *find_class(const struct mxt_axolotl_schema *schema, struct mxt_python_text name)
{
	for (size_t i = schema->n_classes; i-- > 0;)
		if (strlen(schema->classes[i].name) == name.len &&
		    memcmp(schema->classes[i].name, name.at, name.len) == 0)
			return &schema->classes[i];
	return NULL;
}

static int add_field(void *context, struct mxt_python_text class_name, struct mxt_python_text name,
		     struct mxt_python_text type)
{
	struct mxt_axolotl_schema *schema = ((const struct take *)context)->schema;
	const struct class_row *row = find_class(schema, class_name);
	if (!row || schema->n_fields >= MAX_FIELDS)
		return 0;
	struct field_row *fields =
	    mxt_array_reserve(schema->fields, schema->n_fields, &schema->field_room, sizeof *schema->fields);
	if (!fields)
		return -ENOMEM;
	schema->fields = fields;
	struct field_row field = {strndup(name.at, name.len), strndup(type.at, type.len),
				  (size_t)(row - schema->classes)};
	if (!field.name || !field.type) {
		free_field(&field);
		return -ENOMEM;
	}
	schema->fields[schema->n_fields++] = field;
	return 0;
}

static int keep_plugin(struct mxt_axolotl_schema *schema, const char *plugin, const char **ret_kept)
{
	char **grown = realloc(schema->plugins, (schema->n_plugins + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	schema->plugins = grown;
	char *kept = strdup(plugin);
	if (!kept)
		return -ENOMEM;
	schema->plugins[schema->n_plugins++] = kept;
	*ret_kept = kept;
	return 0;
}

int mxt_axolotl_schema_take(struct mxt_axolotl_schema *schema, const char *plugin, const char *source, size_t len,
			    struct mxt_error *err)
{
	struct take take = {schema, NULL};
	const struct mxt_python_fields_sink sink = {add_class, add_field, &take};
	int rc = plugin ? keep_plugin(schema, plugin, &take.plugin) : 0;
	if (rc == 0)
		rc = mxt_python_fields(source, len, &sink);
	return rc < 0 ? mxt_error_oom(err) : 0;
}

/* ---- which classes make up the config ---- */

static bool is_word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool names_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[len]))
			return true;
	return false;
}

static bool is_root(const struct class_row *row)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(roots); i++)
		if (strcmp(row->name, roots[i]) == 0)
			return true;
	return false;
}

/* Is it a root, or does a class at the top derive from it? */
static bool belongs_to_top(const struct class_row *classes, size_t count, const struct class_row *row)
{
	if (is_root(row) || row->plugin)
		return true;
	for (size_t i = 0; i < count; i++)
		if (classes[i].top && names_word(classes[i].bases, row->name))
			return true;
	return false;
}

/* Marks until nothing changes: a class may stand in a file that is read before the one that derives from it. */
static void mark_top(struct class_row *classes, size_t count)
{
	bool changed = true;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++) {
			bool marks = !classes[i].top && belongs_to_top(classes, count, &classes[i]);
			classes[i].top = classes[i].top || marks;
			changed = changed || marks;
		}
	}
}

static bool has_root(const struct mxt_axolotl_schema *schema)
{
	for (size_t i = 0; i < schema->n_classes; i++)
		if (is_root(&schema->classes[i]))
			return true;
	return false;
}

/* ---- what may stand below a key ---- */

static bool has_fields(const struct mxt_axolotl_schema *schema, const struct class_row *row)
{
	for (size_t i = 0; i < schema->n_fields; i++)
		if (&schema->classes[schema->fields[i].class_index] == row)
			return true;
	return false;
}

/* The class whose fields the value has: "TRLConfig | None". NULL where there is none, or more than one. */
static const struct class_row *class_of_type(const struct mxt_axolotl_schema *schema, const char *type)
{
	const struct class_row *found = NULL;
	if (strpbrk(type, "[(")) /* a list, or what goes on in the next line */
		return NULL;
	for (size_t i = 0; i < schema->n_classes; i++) {
		if (!names_word(type, schema->classes[i].name) || !has_fields(schema, &schema->classes[i]))
			continue;
		if (found)
			return NULL;
		found = &schema->classes[i];
	}
	return found;
}

/* Does the class have the field, itself or from one that it derives from? */
static bool inherits(const struct class_row *row, const struct class_row *owner)
{
	return owner == row || names_word(row->bases, owner->name);
}

static int copy_members(const struct mxt_axolotl_schema *schema, const struct class_row *row,
			struct mxt_axolotl_key *key)
{
	key->members = row ? calloc(schema->n_fields, sizeof *key->members) : NULL;
	if (row && !key->members)
		return -ENOMEM;
	for (size_t i = 0; row && i < schema->n_fields; i++) {
		if (!inherits(row, &schema->classes[schema->fields[i].class_index]))
			continue;
		key->members[key->n_members] = strdup(schema->fields[i].name);
		if (!key->members[key->n_members])
			return -ENOMEM;
		key->n_members++;
	}
	return 0;
}

static int copy_keys(const struct mxt_axolotl_schema *schema, bool all_top, struct mxt_axolotl_key *keys)
{
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct class_row *row = &schema->classes[schema->fields[i].class_index];
		keys[i] = (struct mxt_axolotl_key){.name = strdup(schema->fields[i].name),
						   .plugin = row->plugin ? strdup(row->plugin) : NULL,
						   .top = row->top || all_top};
		const struct class_row *below = keys[i].top ? class_of_type(schema, schema->fields[i].type) : NULL;
		if (!keys[i].name || (row->plugin && !keys[i].plugin) || copy_members(schema, below, &keys[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

int mxt_axolotl_schema_keys(struct mxt_axolotl_schema *schema, struct mxt_axolotl_key **ret_keys, size_t *ret_count,
			    struct mxt_error *err)
{
	size_t count = schema->n_fields;
	if (count == 0) {
		*ret_keys = NULL;
		*ret_count = 0;
		return 0;
	}
	mark_top(schema->classes, schema->n_classes);
	struct mxt_axolotl_key *keys = calloc(count, sizeof *keys);
	if (!keys || copy_keys(schema, !has_root(schema), keys) < 0) {
		mxt_axolotl_keys_destroy(keys, keys ? count : 0);
		return mxt_error_oom(err);
	}
	*ret_count = mxt_axolotl_keys_unite(keys, count);
	*ret_keys = keys;
	return 0;
}
