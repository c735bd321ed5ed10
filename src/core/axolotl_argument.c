/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_argument.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "printable.h"
#include "yaml_tree.h"

void mxt_axolotl_argument_finish(struct mxt_axolotl_argument *argument)
{
	free(argument->shown);
	free(argument->key);
	mxt_yaml_tree_destroy(argument->tree);
	*argument = (struct mxt_axolotl_argument)MXT_AXOLOTL_ARGUMENT_INIT;
}

static void append_quoted(struct mxt_buf *buf, const char *text)
{
	mxt_buf_putc(buf, '\'');
	for (; *text; text++)
		mxt_buf_puts(buf, *text == '\'' ? "''" : (char[]){*text, '\0'});
	mxt_buf_putc(buf, '\'');
}

/* A config of one key: python-fire, too, takes a value for what it looks like, and else for text. */
static int parse_value(const char *key, const char *inner, const char *value, bool plain,
		       struct mxt_yaml_tree **ret_tree, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	append_quoted(&text, key);
	mxt_buf_puts(&text, ": ");
	if (inner) {
		mxt_buf_puts(&text, "\n  ");
		append_quoted(&text, inner);
		mxt_buf_puts(&text, ": ");
	}
	if (plain)
		mxt_buf_puts(&text, value);
	else
		append_quoted(&text, value);
	mxt_buf_putc(&text, '\n');
	int rc = mxt_buf_status(&text, err);
	return rc < 0 ? rc : mxt_yaml_tree_parse("argument", mxt_buf_text(&text), text.len, ret_tree, err);
}

/* A value that cannot be read is left out: whoever reads the argument says so. */
static int make_tree(const char *key, const char *inner, const char *value, struct mxt_yaml_tree **ret_tree,
		     struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	bool one_line = !strpbrk(value, "\r\n");
	int rc = one_line ? parse_value(key, inner, value, true, ret_tree, &cause) : -EINVAL;
	if (rc < 0 && rc != -ENOMEM && one_line)
		rc = parse_value(key, inner, value, false, ret_tree, &cause);
	if (rc < 0 && rc != -ENOMEM)
		rc = parse_value(key, inner, "", false, ret_tree, &cause);
	return rc == -ENOMEM ? mxt_error_oom(err) : 0;
}

static void underline(char *name)
{
	for (; *name; name++)
		*name = *name == '-' ? '_' : *name;
}

/* Splits "outer__inner" in place; the inner name, or NULL. */
static char *split_inner(char *name)
{
	char *mark = strstr(name, "__");
	if (!mark || mark == name)
		return NULL;
	*mark = '\0';
	return mark + 2;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* How many dashes an option begins with: one is enough before a letter. 0: it is none. */
static size_t count_dashes(const char *argument)
{
	size_t dashes = argument ? strspn(argument, "-") : 0;
	if (dashes == 0 || argument[dashes] == '\0' || (dashes == 1 && !is_letter(argument[1])))
		return 0;
	return dashes;
}

int mxt_axolotl_argument_parse(char *const *arguments, struct mxt_axolotl_argument *ret_argument, struct mxt_error *err)
{
	*ret_argument = (struct mxt_axolotl_argument)MXT_AXOLOTL_ARGUMENT_INIT;
	size_t dashes = count_dashes(arguments[0]);
	if (dashes == 0)
		return 1;
	const char *body = arguments[0] + dashes, *equals = strchr(body, '=');
	bool takes_next = !equals && arguments[1] && count_dashes(arguments[1]) == 0;
	bool negated = !equals && !takes_next && strncmp(body, "no", 2) == 0 && body[2] != '\0';
	const char *value = equals ? equals + 1 : takes_next ? arguments[1] : negated ? "false" : "true";
	body += negated ? 2 : 0;
	MXT_CLEANUP_FREE char *name = strndup(body, equals ? (size_t)(equals - body) : strlen(body));
	MXT_CLEANUP_AXOLOTL_ARGUMENT struct mxt_axolotl_argument argument = MXT_AXOLOTL_ARGUMENT_INIT;
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	char printable[MXT_PRINTABLE_SIZE];
	mxt_buf_printf(&shown, "%s%s%s", dashes == 1 ? "-" : "--", negated ? "no" : "",
		       mxt_printable(name ? name : "", printable));
	argument.shown = mxt_buf_steal(&shown);
	if (!name || !argument.shown)
		return mxt_error_oom(err);
	underline(name);
	char *inner = split_inner(name);
	int rc = make_tree(name, inner, value, &argument.tree, err);
	if (rc < 0)
		return rc;
	argument.key = mxt_steal_ptr(&name);
	*ret_argument = argument;
	argument = (struct mxt_axolotl_argument)MXT_AXOLOTL_ARGUMENT_INIT;
	return takes_next ? 2 : 1;
}
