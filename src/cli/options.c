/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "nearest.h"
#include "number.h"

static size_t option_index(const struct mxt_option *options, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(options[i].name) == len && memcmp(options[i].name, name, len) == 0)
			return i;
	return n;
}

static const char *option_name(const void *list, size_t i)
{
	return ((const struct mxt_option *)list)[i].name;
}

static int unknown_option(const struct mxt_args *args, const char *given, size_t len, struct mxt_error *err)
{
	char name[64];
	size_t keep = len < sizeof name - 1 ? len : sizeof name - 1;
	memcpy(name, given, keep);
	name[keep] = '\0';
	const char *near = mxt_nearest(name, option_name, args->options, args->n_options);
	if (near)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "unknown option --%s; did you mean --%s?", name, near);
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "unknown option --%s; see --help", name);
}

static bool is_repeatable(const struct mxt_option *option)
{
	return option->argument && strstr(option->argument, "...");
}

/* Handles argv[*at], an option; advances *at over its value. */
static int take_option(struct mxt_args *args, int argc, char **argv, int *at, struct mxt_error *err)
{
	const char *name = argv[*at] + 2;
	const char *equals = strchr(name, '=');
	size_t len = strcspn(name, "=");
	size_t i = option_index(args->options, args->n_options, name, len);
	if (i == args->n_options)
		return unknown_option(args, name, len, err);
	const struct mxt_option *option = &args->options[i];
	if (args->values[i] && !is_repeatable(option))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--%s is given twice", option->name);
	if (!option->argument) {
		if (equals)
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--%s takes no value", option->name);
		args->values[i] = "";
		return 0;
	}
	if (!equals && *at + 1 == argc)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--%s needs a value: --%s %s", option->name,
				     option->name, option->argument);
	args->values[i] = equals ? equals + 1 : argv[++*at];
	return 0;
}

/* Moves argv[at] before the words of options. */
static void take_operand(struct mxt_args *args, char **argv, int at)
{
	char *word = argv[at];
	char **place = args->operands + args->n_operands++;
	memmove(place + 1, place, (size_t)(argv + at - place) * sizeof *place);
	*place = word;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
		if (strcmp(argv[at], "--help") == 0)
			return true;
	return false;
}

int mxt_args_parse(const struct mxt_option *options, size_t n_options, int argc, char **argv, struct mxt_args *ret_args,
		   struct mxt_error *err)
{
	struct mxt_args args = {.options = options, .n_options = n_options, .operands = argv + 1};
	args.help = asks_for_help(argc, argv);
	if (args.help)
		argc = 1; /* whatever else is wrong with the line, help is the answer */
	bool ended = false;
	for (int at = 1; at < argc; at++) {
		char *word = argv[at];
		if (!ended && strcmp(word, "--") == 0) {
			ended = true;
		} else if (!ended && strncmp(word, "--", 2) == 0) {
			int rc = take_option(&args, argc, argv, &at, err);
			if (rc < 0)
				return rc;
		} else if (!ended && word[0] == '-' && word[1] != '\0') {
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
					     "unknown option %s; options have two dashes, see --help", word);
		} else {
			take_operand(&args, argv, at);
		}
	}
	args.n_words = argc - 1 - args.n_operands;
	*ret_args = args;
	return 0;
}

const char *mxt_args_get(const struct mxt_args *args, const char *name)
{
	size_t i = option_index(args->options, args->n_options, name, strlen(name));
	return i < args->n_options ? args->values[i] : NULL;
}

bool mxt_args_has(const struct mxt_args *args, const char *name)
{
	return mxt_args_get(args, name) != NULL;
}

int mxt_args_list(const struct mxt_args *args, const char *name, char ***ret_values, struct mxt_error *err)
{
	size_t wanted = option_index(args->options, args->n_options, name, strlen(name));
	if (wanted == args->n_options || !args->values[wanted]) {
		*ret_values = NULL;
		return 0;
	}
	char **values = calloc((size_t)args->n_words + 1, sizeof *values);
	if (!values)
		return mxt_error_oom(err);
	size_t n = 0;
	char **words = args->operands + args->n_operands;
	for (int at = 0; at < args->n_words; at++) {
		char *given = words[at] + 2;
		size_t len = strcspn(given, "=");
		size_t i = option_index(args->options, args->n_options, given, len);
		if (i == args->n_options || !args->options[i].argument)
			continue;
		char *value = given[len] == '=' ? given + len + 1 : words[++at];
		if (i == wanted)
			values[n++] = value;
	}
	*ret_values = values;
	return 0;
}

int mxt_args_int(const struct mxt_args *args, const char *name, int64_t min, int64_t max, int64_t *ret_value,
		 struct mxt_error *err)
{
	const char *text = mxt_args_get(args, name);
	if (!text || mxt_parse_i64_in(text, min, max, ret_value) == 0)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
			     "--%s takes a whole number from %" PRId64 " to %" PRId64 ", not '%s'", name, min, max,
			     text);
}

void mxt_options_print(const struct mxt_option *options, size_t n_options, FILE *out)
{
	for (size_t i = 0; i < n_options; i++) {
		char left[48];
		(void)snprintf(left, sizeof left, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
			       options[i].argument ? options[i].argument : "");
		(void)fprintf(out, "  %-26s %s\n", left, options[i].help);
	}
	(void)fprintf(out, "  %-26s %s\n", "--help", "show this help and exit");
}
