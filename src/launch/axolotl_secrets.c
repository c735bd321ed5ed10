/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_secrets.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "cleanup.h"
#include "printable.h"
#include "remarks.h"
#include "secret_text.h"
#include "yaml_tree.h"

#define MIN_TOKEN 12 /* no service has shorter ones */

/* How names of keys end that hold a secret, and the variable that is read in their place; "": the key's own name. */
static const struct {
	const char *ending, *variable;
} secret_keys[] = {
    {"wandb_api_key", "WANDB_API_KEY"},
    {"comet_api_key", "COMET_API_KEY"},
    {"swanlab_api_key", "SWANLAB_API_KEY"},
    {"hub_token", "HF_TOKEN"},
    {"hf_token", "HF_TOKEN"},
    {"hf_use_auth_token", "HF_TOKEN"},
    {"api_key", ""},
    {"apikey", ""},
    {"access_key", ""},
    {"secret_key", ""},
    {"private_key", ""},
    {"secret", ""},
    {"password", ""},
    {"passwd", ""},
    {"passphrase", ""},
    {"credentials", ""},
    {"auth_token", ""},
    {"access_token", ""},
    {"api_token", ""},
};

static const char *why(const struct mxt_axolotl_source *source)
{
	return source->argument ? "anyone on the machine can read arguments of a running process"
				: "Axolotl puts this file as it is into the model's card and sends it to its trackers";
}

static bool ends_in(const char *name, const char *ending)
{
	size_t len = strlen(name), end = strlen(ending);
	return len >= end && strcasecmp(name + len - end, ending) == 0;
}

/* What stands where no secret is: a reference to a variable, a place to fill in, a word for nothing. */
static bool is_placeholder(const struct mxt_yaml_node *value)
{
	static const char *const nothing[] = {"empty", "none", "dummy", "changeme", "auto"};
	if (value->len == 0 || strchr("$<{[", value->text[0]))
		return true;
	for (size_t i = 0; i < MXT_ARRAY_LEN(nothing); i++)
		if (strcasecmp(value->text, nothing[i]) == 0)
			return true;
	return false;
}

/* Weights & Biases' older keys: 40 hexadecimal digits. */
static bool is_hex_key(const char *name, const struct mxt_yaml_node *value)
{
	return strcasestr(name, "key") && value->len == 40 && strspn(value->text, "0123456789abcdef") == 40;
}

/* ---- tokens by their looks ---- */

/* A word without '=' is masked for its looks alone, never for a name that it is given to. */
static bool is_token(const char *word, size_t len, struct mxt_remarks *remarks)
{
	MXT_CLEANUP_FREE char *copy = strndup(word, len);
	MXT_CLEANUP_BUF struct mxt_buf masked = MXT_BUF_INIT;
	if (copy)
		mxt_secret_mask(copy, &masked);
	if (!copy || masked.failed) {
		remarks->failed = true;
		return false;
	}
	return strcmp(copy, mxt_buf_text(&masked)) != 0;
}

/* ---- names ---- */

/* The variable to use in its place, "" where it has no known name; NULL: the name says of no secret. */
static const char *variable_for(const char *name, const struct mxt_yaml_node *value)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(secret_keys); i++)
		if (ends_in(name, secret_keys[i].ending))
			return secret_keys[i].variable;
	return is_hex_key(name, value) ? "" : NULL;
}

static void look_at(const struct mxt_axolotl_source *source, const struct mxt_yaml_entry *entry,
		    struct mxt_remarks *remarks)
{
	char place[MXT_AXOLOTL_PLACE], shown[MXT_PRINTABLE_SIZE];
	const char *name = entry->key && entry->key->text ? entry->key->text : "";
	const struct mxt_yaml_node *value = entry->value;
	if (value->value.kind != MXT_YAML_STRING || is_placeholder(value))
		return;
	bool token = is_token(value->text, value->len, remarks);
	const char *variable = variable_for(name, value);
	if (token ? !source->argument : !variable) /* tokens in a file are found by its text */
		return;
	bool named = variable && *variable;
	mxt_remark_refuse(remarks, MXT_E_LAUNCH_SECRET, MXT_ALLOW_NOTHING,
			  "%s: %s holds a secret, and %s; take it out and export %s%s",
			  mxt_axolotl_place(source, value, place), mxt_printable(name, shown), why(source),
			  named ? variable : "the variable that its reader knows", named ? "" : " instead");
}

/* Depth is bounded by the tree's, the number of visits by its weight. */
void mxt_axolotl_secrets_check(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *root,
			       struct mxt_remarks *remarks)
{
	for (size_t i = 0; i < root->count; i++) {
		look_at(source, &root->entries[i], remarks);
		mxt_axolotl_secrets_check(source, root->entries[i].value, remarks);
	}
}

/* ---- all words ---- */

void mxt_axolotl_secrets_scan(const char *name, const char *bytes, size_t len, struct mxt_remarks *remarks)
{
	static const char between[] = " \t\r\n\"'=,[]{}()";
	const struct mxt_axolotl_source source = {name, false};
	size_t line = 1;
	for (size_t at = 0; at < len;) {
		size_t word = strcspn(bytes + at, between);
		if (word >= MIN_TOKEN && is_token(bytes + at, word, remarks))
			mxt_remark_refuse(
			    remarks, MXT_E_LAUNCH_SECRET, MXT_ALLOW_NOTHING,
			    "%s:%zu: a word there looks like a service's token or an address with a "
			    "password, and %s, with its comments; take it out and export it as a variable",
			    name, line, why(&source));
		at += word;
		line += at < len && bytes[at] == '\n' ? 1 : 0;
		at++;
	}
}
