/* SPDX-License-Identifier: Apache-2.0 */
/* The command line parser, the tables of all commands, and exit statuses. */
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "command.h"
#include "error.h"
#include "exit_status.h"

static const struct mxt_option options[] = {
    {"budget", "SECONDS", "wall clock from start to plan"},
    {"json", NULL, "one object per line"},
    {"out", "FILE", "where the plan goes"},
    {"data", "PATH...", "what it reads"},
};

#define MAX_WORDS 24

/* Parses a command line of words separated by blanks; the words live as long as the test. */
static int parse(const char *line, struct mxt_args *ret_args, struct mxt_error *err)
{
	static char text[256];
	static char *argv[MAX_WORDS];
	int argc = 0;
	(void)snprintf(text, sizeof text, "command %s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return mxt_args_parse(options, MXT_ARRAY_LEN(options), argc, argv, ret_args, err);
}

static void test_values_flags_operands(void **state)
{
	(void)state;
	struct mxt_args args;
	assert_int_equal(parse("first --budget 20 --json second --out=plan.json - ", &args, NULL), 0);
	assert_string_equal(mxt_args_get(&args, "budget"), "20");
	assert_string_equal(mxt_args_get(&args, "out"), "plan.json");
	assert_true(mxt_args_has(&args, "json"));
	assert_false(args.help);
	assert_int_equal(args.n_operands, 3);
	assert_string_equal(args.operands[0], "first");
	assert_string_equal(args.operands[1], "second");
	assert_string_equal(args.operands[2], "-");
}

static void test_nothing_given(void **state)
{
	(void)state;
	struct mxt_args args;
	assert_int_equal(parse("", &args, NULL), 0);
	assert_null(mxt_args_get(&args, "budget"));
	assert_false(mxt_args_has(&args, "json"));
	assert_int_equal(args.n_operands, 0);
}

static void test_end_of_options(void **state)
{
	(void)state;
	struct mxt_args args;
	assert_int_equal(parse("--json -- --budget -x -- y", &args, NULL), 0);
	assert_null(mxt_args_get(&args, "budget"));
	assert_int_equal(args.n_operands, 4);
	assert_string_equal(args.operands[0], "--budget");
	assert_string_equal(args.operands[2], "--");
}

/* All of its values in their order, whatever stands between them. */
static void test_repeated(void **state)
{
	(void)state;
	struct mxt_args args;
	char **values = NULL;
	assert_int_equal(parse("a --data=1 --out --data --data -- b --json --data 3=x -- --data", &args, NULL), 0);
	assert_int_equal(mxt_args_list(&args, "data", &values, NULL), 0);
	assert_string_equal(values[0], "1");
	assert_string_equal(values[1], "--");
	assert_string_equal(values[2], "3=x");
	assert_null(values[3]);
	free(values);
	assert_string_equal(mxt_args_get(&args, "data"), "3=x");
	assert_string_equal(mxt_args_get(&args, "out"), "--data");
	assert_int_equal(args.n_operands, 3);
	assert_string_equal(args.operands[1], "b");
	assert_string_equal(args.operands[2], "--data");

	assert_int_equal(parse("a --json", &args, NULL), 0);
	assert_int_equal(mxt_args_list(&args, "data", &values, NULL), 0);
	assert_null(values);
}

/* A value may look like an option, and may be empty. */
static void test_odd_values(void **state)
{
	(void)state;
	struct mxt_args args;
	assert_int_equal(parse("--out --json --budget=", &args, NULL), 0);
	assert_string_equal(mxt_args_get(&args, "out"), "--json");
	assert_string_equal(mxt_args_get(&args, "budget"), "");
	assert_false(mxt_args_has(&args, "json"));
	assert_int_equal(parse("--out=a=b", &args, NULL), 0);
	assert_string_equal(mxt_args_get(&args, "out"), "a=b");
}

static void test_help_wins(void **state)
{
	(void)state;
	struct mxt_args args;
	assert_int_equal(parse("--help", &args, NULL), 0);
	assert_true(args.help);
	assert_int_equal(parse("--nonsense -x --help --out", &args, NULL), 0);
	assert_true(args.help);
	assert_int_equal(parse("-- --help", &args, NULL), 0);
	assert_false(args.help);
	assert_int_equal(parse("--out --help", &args, NULL), 0);
	assert_true(args.help);
}

struct bad_line {
	const char *line, *text;
};

static void test_refusals_name_the_remedy(void **state)
{
	(void)state;
	static const struct bad_line cases[] = {
	    {"--bugdet 5", "did you mean --budget?"},       {"--nonsense", "unknown option --nonsense; see --help"},
	    {"--nonsense=5", "unknown option --nonsense;"}, {"-v", "unknown option -v"},
	    {"--out", "--out needs a value: --out FILE"},   {"--json=yes", "--json takes no value"},
	    {"--json --json", "--json is given twice"},     {"--budget 5 --budget=6", "--budget is given twice"},
	    {"--budge 5", "did you mean --budget?"},        {"--=5", "unknown option --;"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_args args = {.n_operands = 77};
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_int_equal(parse(cases[i].line, &args, &err), -EINVAL);
		assert_int_equal(err.id, MXT_E_USAGE);
		assert_non_null(strstr(mxt_error_text(&err), cases[i].text));
		assert_int_equal(args.n_operands, 77); /* outputs are written on success only */
	}
}

static void test_long_names_are_cut_in_messages(void **state)
{
	(void)state;
	char line[200] = "--";
	memset(line + 2, 'x', 150);
	line[152] = '\0';
	struct mxt_args args;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(parse(line, &args, &err), -EINVAL);
	assert_true(strlen(mxt_error_text(&err)) < 120);
}

static void test_integers(void **state)
{
	(void)state;
	struct mxt_args args;
	int64_t value = 60;
	assert_int_equal(parse("--json", &args, NULL), 0);
	assert_int_equal(mxt_args_int(&args, "budget", 1, 3600, &value, NULL), 0);
	assert_int_equal(value, 60);
	assert_int_equal(parse("--budget 20", &args, NULL), 0);
	assert_int_equal(mxt_args_int(&args, "budget", 1, 3600, &value, NULL), 0);
	assert_int_equal(value, 20);
	static const char *const bad[] = {"--budget 0", "--budget 3601", "--budget 1.5", "--budget=", "--budget ten"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_int_equal(parse(bad[i], &args, NULL), 0);
		assert_int_equal(mxt_args_int(&args, "budget", 1, 3600, &value, &err), -EINVAL);
		assert_non_null(strstr(mxt_error_text(&err), "--budget takes a whole number from 1 to 3600"));
		assert_int_equal(value, 20);
	}
}

static void test_help_text(void **state)
{
	(void)state;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	mxt_options_print(options, MXT_ARRAY_LEN(options), out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "  --budget SECONDS           wall clock from start to plan\n"));
	assert_non_null(strstr(text, "  --json                     one object per line\n"));
	assert_non_null(strstr(text, "--help"));
	free(text);
}

static const struct mxt_command *const commands[] = {
#define MXT_COMMAND(symbol, name) &(symbol),
#include "commands.def"
#undef MXT_COMMAND
};

static void check_table(const struct mxt_command *command)
{
	assert_in_range(command->n_options, 0, MXT_OPTIONS_MAX);
	assert_non_null(command->run);
	assert_non_null(command->synopsis);
	for (size_t i = 0; i < command->n_options; i++) {
		const struct mxt_option *option = &command->options[i];
		assert_true(strlen(option->name) > 0 && strncmp(option->name, "--", 2) != 0);
		assert_true(strlen(option->help) > 0);
		assert_string_not_equal(option->name, "help");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(option->name, command->options[j].name);
	}
}

static void test_command_tables(void **state)
{
	(void)state;
	static const char *const names[] = {
#define MXT_COMMAND(symbol, name) name,
#include "commands.def"
#undef MXT_COMMAND
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(commands); i++) {
		assert_string_equal(commands[i]->name, names[i]);
		check_table(commands[i]);
	}
}

static void test_exit_statuses(void **state)
{
	(void)state;
	const struct mxt_error io = {-EIO, MXT_E_IO, NULL};
	const struct mxt_error usage = {-EINVAL, MXT_E_USAGE, NULL};
	const struct mxt_error large = {-EFBIG, MXT_E_TOO_LARGE, NULL};
	const struct mxt_error interrupted = {-(1000 + SIGTERM), MXT_E_INTERRUPTED, NULL};
	assert_int_equal(mxt_exit_status(&io), 1);
	assert_int_equal(mxt_exit_status(&usage), 2);
	assert_int_equal(mxt_exit_status(&large), 3);
	assert_int_equal(mxt_exit_status(&interrupted), 128 + SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values_flags_operands),
	    cmocka_unit_test(test_nothing_given),
	    cmocka_unit_test(test_end_of_options),
	    cmocka_unit_test(test_repeated),
	    cmocka_unit_test(test_odd_values),
	    cmocka_unit_test(test_help_wins),
	    cmocka_unit_test(test_refusals_name_the_remedy),
	    cmocka_unit_test(test_long_names_are_cut_in_messages),
	    cmocka_unit_test(test_integers),
	    cmocka_unit_test(test_help_text),
	    cmocka_unit_test(test_command_tables),
	    cmocka_unit_test(test_exit_statuses),
	};
	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
