/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Supervises a command and nothing else, for tests of faults: what it says about the run goes to a file, as JSON.
 *
 *   supervise_driver RESULT LOG GRACE FLAGS COMMAND [ARGUMENTS]
 *
 * LOG "-": none. FLAGS: "i" hands standard input over, "w" ends the command when it writes "unwanted", "-" does
 * nothing.
 */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "exit_status.h"
#include "json.h"
#include "supervise.h"

#define FAILED 125

static bool take(void *context, int stream, const char *bytes, size_t len)
{
	(void)context, (void)stream;
	return !memmem(bytes, len, "unwanted", strlen("unwanted"));
}

static void tell_start(void *context, pid_t pid)
{
	*(pid_t *)context = pid;
}

/* The peak of this program's own memory: getrusage() knows that of who forked it, too. */
static long peak_kib(void)
{
	char line[128];
	long kib = 0;
	MXT_CLEANUP_FILE FILE *file = fopen("/proc/self/status", "re");
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtol(line + 6, NULL, 10);
	return kib;
}

static json_t *describe(const struct mxt_supervised *result, pid_t pid)
{
	return json_pack("{s:b, s:i, s:i, s:i, s:i, s:b, s:i, s:i, s:I, s:I, s:I, s:I}", "started", result->started,
			 "pid", (int)pid, "exec_errno", result->exec_errno, "wait_status", result->wait_status,
			 "signal", result->signal, "ended_by_watch", result->ended_by_watch, "log_errno",
			 result->log_errno, "shown_errno", result->shown_errno, "log_bytes",
			 (json_int_t)result->log_bytes, "swept", (json_int_t)result->n_swept, "stuck",
			 (json_int_t)result->n_stuck, "peak_kib", (json_int_t)peak_kib());
}

static int write_result(const char *path, const struct mxt_supervised *result, pid_t pid)
{
	MXT_CLEANUP_JSON json_t *json = describe(result, pid);
	return json && json_dump_file(json, path, 0) == 0 ? mxt_supervised_exit_status(result) : FAILED;
}

/* As the program does: nothing that is opened later may become a standard stream. */
static void fill_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	static const struct mxt_output_watch watch = {take, NULL};
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_supervised result;
	pid_t pid = 0;
	if (argc < 6)
		return FAILED;
	fill_streams();
	MXT_CLEANUP_CLOSE int log_fd =
	    strcmp(argv[2], "-") == 0 ? -1 : open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	const struct mxt_supervise_request request = {
	    .argv = argv + 5,
	    .environment = environ,
	    .hands_stdin_over = strchr(argv[4], 'i') != NULL,
	    .log_fd = log_fd,
	    .grace_s = strtol(argv[3], NULL, 10),
	    .watch = strchr(argv[4], 'w') ? &watch : NULL,
	    .on_start = tell_start,
	    .on_start_context = &pid,
	};
	if (mxt_supervise(&request, &result, &err) == 0)
		return write_result(argv[1], &result, pid);
	char id[12];
	(void)fprintf(stderr, "supervise_driver: %s [%s]\n", mxt_error_text(&err), mxt_error_id_text(err.id, id));
	return FAILED;
}
