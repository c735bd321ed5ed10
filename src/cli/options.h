/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command-line options as tables: parsing, --help, the man-page check and shell completions come from the same rows.
 */
#ifndef MXT_CLI_OPTIONS_H
#define MXT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mxt_error;

struct mxt_option {
	const char *name;     /* long name without the dashes */
	const char *argument; /* NULL for a flag, else the placeholder in --help: "FILE"; "FILE...": may be repeated */
	const char *help;
};

#define MXT_OPTIONS_MAX 48

/*
 * The result of a parse: values[i] belongs to options[i]: NULL when absent, "" for a flag that was given, the last one
 * of a repeated option. Borrowed from argv, which the parse sorts: operands before the rest.
 */
struct mxt_args {
	const struct mxt_option *options;
	size_t n_options;
	const char *values[MXT_OPTIONS_MAX];
	bool help;       /* --help was given; nothing else is checked then */
	char **operands; /* what is left of argv, "--" removed */
	int n_operands;
	int n_words; /* options, their values and "--", in their order behind the operands */
};

/*
 * Parses argv[1..]; options and operands may be mixed, "--" ends options; --name VALUE and --name=VALUE. An unknown or
 * repeated option, a missing or superfluous value is MXT_E_USAGE with the nearest known name.
 */
int mxt_args_parse(const struct mxt_option *options, size_t n_options, int argc, char **argv, struct mxt_args *ret_args,
		   struct mxt_error *err);

/* Value of an option that is in the table; NULL when it was not given. */
const char *mxt_args_get(const struct mxt_args *args, const char *name);
bool mxt_args_has(const struct mxt_args *args, const char *name);

/*
 * All values of an option that may be repeated, in their order: NULL-ended, owned by the caller (the strings are not);
 * NULL when it was not given.
 */
int mxt_args_list(const struct mxt_args *args, const char *name, char ***ret_values, struct mxt_error *err);

/* A decimal value in [min, max]; *ret_value is left alone when the option is absent. */
int mxt_args_int(const struct mxt_args *args, const char *name, int64_t min, int64_t max, int64_t *ret_value,
		 struct mxt_error *err);

/* "Options:" block for --help. */
void mxt_options_print(const struct mxt_option *options, size_t n_options, FILE *out);

#endif
