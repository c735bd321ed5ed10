/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clean_text.h"
#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "config.h"
#include "error.h"
#include "exit_status.h"
#include "nearest.h"

static const struct mxt_command *const commands[] = {
#define MXT_COMMAND(symbol, name) &(symbol),
#include "commands.def"
#undef MXT_COMMAND
};

static const char *command_name(const void *list, size_t i)
{
	(void)list;
	return commands[i]->name;
}

/* Commands without a summary are for the program itself. */
static void print_usage(FILE *out)
{
	(void)fprintf(out,
		      "usage: mindxtrain COMMAND [OPTIONS]\n\n"
		      "Measures the kernel choices of a fine-tuning job ahead of time and writes them into one static, "
		      "hashed plan.\n\ncommands:\n");
	for (size_t i = 0; i < MXT_ARRAY_LEN(commands); i++)
		if (commands[i]->summary)
			(void)fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	(void)fprintf(out, "\n`mindxtrain COMMAND --help` shows the options of one; `man mindxtrain` has the rest.\n");
}

static const struct mxt_command *find_command(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name, struct mxt_error *err)
{
	const char *near = mxt_nearest(name, command_name, NULL, MXT_ARRAY_LEN(commands));
	if (near)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "unknown command '%s'; did you mean '%s'?", name, near);
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "unknown command '%s'; see mindxtrain --help", name);
}

static int run_command(const struct mxt_command *command, struct mxt_cli *cli, int argc, char **argv,
		       struct mxt_error *err)
{
	struct mxt_args args;
	int rc = mxt_args_parse(command->options, command->n_options, argc, argv, &args, err);
	if (rc < 0)
		return rc;
	if (!args.help)
		return command->run(cli, &args, err);
	(void)fprintf(cli->out, "usage: mindxtrain %s %s\n\n%s\n\noptions:\n", command->name, command->synopsis,
		      command->summary ? command->summary : "for the program itself");
	mxt_options_print(command->options, command->n_options, cli->out);
	return MXT_EXIT_DONE;
}

static int dispatch(struct mxt_cli *cli, int argc, char **argv, struct mxt_error *err)
{
	const char *word = argc > 1 ? argv[1] : "";
	if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
		print_usage(cli->out);
		return MXT_EXIT_DONE;
	}
	if (strcmp(word, "--version") == 0) {
		(void)fprintf(cli->out, "mindxtrain %s\n", MXT_VERSION);
		return MXT_EXIT_DONE;
	}
	if (argc < 2)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "no command is given; see mindxtrain --help");
	const struct mxt_command *command = find_command(word);
	if (!command)
		return unknown_command(word, err);
	cli->failure_status = command->failure_status;
	return run_command(command, cli, argc - 1, argv + 1, err);
}

/* Results that did not reach their reader (disk full, closed pipe) are a failure. */
static int flush_results(FILE *out, struct mxt_error *err)
{
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return mxt_error_errno(err, errno ? errno : EIO, "cannot write to standard output");
}

/*
 * Descriptors 0 to 2 exist, so that no file of ours is ever opened as one of them. What stands in for a closed one is
 * open the wrong way round, so that its use is still a failure.
 */
static void open_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* lowest free number: fd itself */
}

/* One line, whatever file names and arguments hold. */
static void print_error(const struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const char *plain = mxt_error_text(err);
	char id[12];
	mxt_clean_text(&text, plain, strlen(plain));
	for (char *newline = text.data; newline && (newline = strchr(newline, '\n'));)
		*newline = '?';
	(void)fprintf(stderr, "mindxtrain: %s [%s]\n", text.failed ? plain : mxt_buf_text(&text),
		      mxt_error_id_text(err->id, id));
}

/* A launch passes its command's status on, so that its own failures have one of their own. */
static int exit_status(const struct mxt_cli *cli, const struct mxt_error *err)
{
	bool interrupted = mxt_error_class_of(err->id) == MXT_CLASS_INTERRUPT;
	return cli->failure_status && !interrupted ? cli->failure_status : mxt_exit_status(err);
}

int main(int argc, char **argv)
{
	struct mxt_cli cli = {stdout, mxt_now_ns(&mxt_clock_monotonic), environ, 0};
	struct mxt_error err = MXT_ERROR_INIT;
	open_standard_streams();
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is then an error of the write, as a full disk is */
	(void)signal(SIGCHLD, SIG_DFL); /* ignored by whoever started us, it would lose the ends of workers */
	int status = dispatch(&cli, argc, argv, &err);
	if (status >= 0 && flush_results(cli.out, &err) < 0)
		status = err.status;
	if (status < 0) {
		print_error(&err);
		status = exit_status(&cli, &err);
	}
	mxt_error_clear(&err);
	return status;
}
