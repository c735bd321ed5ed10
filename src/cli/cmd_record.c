/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a training for a few steps with a recorder in its Pythons, and writes what it calls.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "environ.h"
#include "environment.h"
#include "error.h"
#include "exit_status.h"
#include "file.h"
#include "interrupt.h"
#include "json.h"
#include "process_tree.h"
#include "python_folder.h"
#include "record_child.h"
#include "record_folder.h"
#include "recording.h"

#define DEFAULT_OUT   "recorded.json"
#define DEFAULT_STEPS 2
#define DEFAULT_GRACE 30
#define MAX_SECONDS   604800             /* a week */
#define TERM_NS       (5 * MXT_NS_PER_S) /* between TERM and KILL */
#define SLICE_MS      200                /* how often to look where the kernel does not wake us */

static const struct mxt_option options[] = {
    {"out", "FILE", "where the recording goes (default: recorded.json)"},
    {"steps", "N", "optimizer steps to record, after one that is not, 1 to 64 (default: 2)"},
    {"timeout", "SECONDS", "end the command when it has not come so far (default: never)"},
    {"grace", "SECONDS", "how long the command may take to end once it is recorded (default: 30)"},
};

struct settings {
	const char *out;
	int64_t steps, timeout_s, grace_s;
};

/* The command at work. */
struct watch {
	const struct settings *settings;
	struct mxt_record_folder folder;
	struct mxt_record_child child;
	int signal_fd, notify_fd; /* notify_fd: something is new in the folder; -1: the kernel has no more of these */
	bool recorded, stopping, timed_out;
	bool given_up;        /* killed, and still there */
	int signal;           /* that stopped us; 0: none */
	uint64_t deadline_ns; /* of what comes next; 0: there is none */
};

static int take_settings(const struct mxt_args *args, struct settings *ret_settings, struct mxt_error *err)
{
	struct settings s = {.out = DEFAULT_OUT, .steps = DEFAULT_STEPS, .grace_s = DEFAULT_GRACE};
	int rc = mxt_args_int(args, "steps", 1, 64, &s.steps, err);
	if (rc == 0)
		rc = mxt_args_int(args, "timeout", 1, MAX_SECONDS, &s.timeout_s, err);
	if (rc == 0)
		rc = mxt_args_int(args, "grace", 0, MAX_SECONDS, &s.grace_s, err);
	if (mxt_args_has(args, "out"))
		s.out = mxt_args_get(args, "out");
	if (rc == 0 && strcmp(s.out, "-") == 0)
		rc =
		    mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				  "--out takes a file: standard output is the command's; for a file of that name, ./-");
	if (rc == 0 && args->n_operands == 0)
		rc = mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				   "say what to record: mindxtrain record -- axolotl train run.yaml");
	if (rc == 0)
		*ret_settings = s;
	return rc;
}

/* ---- starting ---- */

/* The caller's environment with the hook in front of PYTHONPATH. */
static int make_environment(char *const *caller, const struct watch *watch, char ***ret_environment,
			    struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *python = NULL;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = mxt_python_folder(caller, &python, err);
	if (rc < 0)
		return rc;
	const char *old = mxt_environ_get(caller, "PYTHONPATH");
	mxt_buf_printf(&path, "%s/hook:%s%s%s", python, python, old && *old ? ":" : "", old ? old : "");
	rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *added =
	    json_pack("{s:o, s:o, s:o}", "PYTHONPATH", json_stringn_nocheck(path.data, path.len), "MXT_RECORD_DIR",
		      json_string_nocheck(watch->folder.path), "MXT_RECORD_STEPS",
		      json_sprintf("%" PRId64, watch->settings->steps));
	return added ? mxt_environment_with(caller, added, ret_environment, err) : mxt_error_oom(err);
}

static int watch_folder(const struct watch *watch)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd >= 0 && inotify_add_watch(fd, watch->folder.path, IN_MOVED_TO) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static int start(struct mxt_cli *cli, const struct mxt_args *args, struct watch *watch, struct mxt_error *err)
{
	sigset_t mask;
	size_t n = (size_t)args->n_operands;
	MXT_CLEANUP_FREE char **argv = calloc(n + 1, sizeof *argv);
	MXT_CLEANUP(mxt_environment_cleanup) char **environment = NULL;
	if (!argv)
		return mxt_error_oom(err);
	memcpy(argv, args->operands, n * sizeof *argv);
	(void)sigprocmask(SIG_BLOCK, NULL, &mask);
	int rc = mxt_record_folder_make(&watch->folder, cli->environment, err);
	if (rc == 0)
		rc = make_environment(cli->environment, watch, &environment, err);
	if (rc == 0)
		rc = mxt_interrupt_open(&watch->signal_fd, err);
	if (rc == 0)
		rc = mxt_record_child_start(&watch->child, argv, environment, &mask, err);
	if (rc < 0)
		return rc;
	watch->notify_fd = watch_folder(watch);
	if (watch->settings->timeout_s > 0)
		watch->deadline_ns = cli->start_ns + (uint64_t)watch->settings->timeout_s * MXT_NS_PER_S;
	return 0;
}

/* ---- watching ---- */

static uint64_t now_ns(void)
{
	return mxt_now_ns(&mxt_clock_monotonic);
}

static void stop_later(struct watch *watch, int64_t seconds)
{
	watch->deadline_ns = now_ns() + (uint64_t)seconds * MXT_NS_PER_S;
}

/* A terminal sends its signals to the whole job, the command included; others send them to us alone. */
static void forward_signal(struct watch *watch)
{
	struct signalfd_siginfo info;
	if (read(watch->signal_fd, &info, sizeof info) != sizeof info)
		return;
	if (info.ssi_code <= 0)
		(void)kill(watch->child.pid, (int)info.ssi_signo);
	if (!watch->signal)
		stop_later(watch, watch->settings->grace_s);
	watch->signal = (int)info.ssi_signo;
}

static void look_into_folder(struct watch *watch)
{
	char events[4096];
	while (watch->notify_fd >= 0 && read(watch->notify_fd, events, sizeof events) > 0)
		;
	if (watch->recorded || !mxt_record_folder_has_parts(&watch->folder))
		return;
	watch->recorded = true;
	stop_later(watch, watch->settings->grace_s);
}

/* TERM to all of it, then KILL. */
static void enforce_deadline(struct watch *watch)
{
	if (watch->deadline_ns == 0 || now_ns() < watch->deadline_ns)
		return;
	watch->timed_out = watch->timed_out || (!watch->recorded && !watch->signal);
	if (watch->stopping) {
		mxt_record_child_kill(&watch->child);
		watch->given_up = !mxt_record_child_ended(&watch->child);
		return;
	}
	(void)mxt_process_tree_signal(getpid(), SIGTERM);
	watch->stopping = true;
	watch->deadline_ns = now_ns() + TERM_NS;
}

static int wait_ms(const struct watch *watch)
{
	int slice = watch->child.pidfd < 0 || watch->notify_fd < 0 ? SLICE_MS : -1;
	int left = mxt_poll_ms(watch->deadline_ns, now_ns());
	return slice < 0 || (left >= 0 && left < slice) ? left : slice;
}

/* Until the command is gone. */
static void watch_command(struct watch *watch)
{
	while (!watch->given_up && !mxt_record_child_ended(&watch->child)) {
		struct pollfd fds[] = {
		    {watch->signal_fd, POLLIN, 0}, {watch->child.pidfd, POLLIN, 0}, {watch->notify_fd, POLLIN, 0}};
		(void)poll(fds, MXT_ARRAY_LEN(fds), wait_ms(watch));
		if (fds[0].revents)
			forward_signal(watch);
		look_into_folder(watch);
		enforce_deadline(watch);
	}
	if (watch->stopping && !watch->given_up)
		mxt_record_child_kill(&watch->child); /* what it left behind */
	look_into_folder(watch);
}

/* ---- the end ---- */

/* Why there is no recording, apart from how the command ended. */
static void append_reason(const struct watch *watch, struct mxt_buf *text)
{
	int64_t steps = mxt_record_folder_steps(&watch->folder), wanted = watch->settings->steps + 1;
	if (mxt_record_folder_has(&watch->folder, "unwritten"))
		mxt_buf_puts(text, "its recording could not be written");
	else if (mxt_record_folder_has(&watch->folder, "torch-too-old"))
		mxt_buf_puts(text, "its torch is too old to be recorded (before 2.1)");
	else if (!mxt_record_folder_has(&watch->folder, "torch"))
		mxt_buf_puts(text, "no Python in it that can be recorded imported torch (one that is started with -E, "
				   "-I or -S, or with another PYTHONPATH, cannot)");
	else if (steps == 0)
		mxt_buf_puts(text, "no optimizer of torch stepped outside of a backward pass");
	else
		mxt_buf_printf(text, "it made %" PRId64 " of the %" PRId64 " optimizer steps that a recording needs",
			       steps, wanted);
}

static int no_recording(const struct watch *watch, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (watch->signal)
		return mxt_error_set(err, mxt_interrupt_status(watch->signal), MXT_E_INTERRUPTED,
				     "stopped by signal %d (%s); nothing was recorded", watch->signal,
				     strsignal(watch->signal));
	if (watch->timed_out)
		mxt_buf_printf(&text, "the command %s after %" PRId64 " seconds (--timeout)",
			       watch->given_up ? "could not be ended" : "was ended", watch->settings->timeout_s);
	else
		mxt_buf_puts(&text, "the command ");
	if (!watch->timed_out)
		mxt_record_child_end_text(&watch->child, &text);
	mxt_buf_puts(&text, " before it was recorded: ");
	append_reason(watch, &text);
	return mxt_error_set(err, -ECHILD, MXT_E_RECORD_FAILED, "%s", mxt_buf_text(&text));
}

/* One line for the recording, one for each thing that is not in it. Standard output is the command's. */
static void tell(const struct watch *watch, const struct mxt_recording *recording)
{
	size_t products = 0, attentions = 0;
	for (size_t i = 0; i < recording->n_calls; i++) {
		bool timed = !recording->calls[i].why_not;
		products += timed && recording->calls[i].problem.kind == MXT_PROBLEM_GEMM;
		attentions += timed && recording->calls[i].problem.kind == MXT_PROBLEM_ATTENTION;
	}
	(void)fprintf(stderr,
		      "mindxtrain: recorded %" PRIu32 " steps of %" PRIu32 " process%s in %s: %zu different products, "
		      "%zu attention calls\n",
		      recording->steps, recording->ranks, recording->ranks == 1 ? "" : "es", watch->settings->out,
		      products, attentions);
	for (size_t i = 0; i < recording->n_notes; i++)
		(void)fprintf(stderr, "mindxtrain: %s\n", recording->notes[i]);
	if (watch->stopping)
		(void)fprintf(stderr,
			      "mindxtrain: the command did not end by itself within %" PRId64
			      " seconds (--grace) and %s\n",
			      watch->settings->grace_s, watch->given_up ? "could not be ended" : "was ended");
}

static int merge_parts(const struct watch *watch, struct mxt_buf *text, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	int rc = mxt_record_folder_merge(&watch->folder, &document, err);
	if (rc == 0)
		rc = mxt_json_canonical(document, text, err);
	mxt_buf_putc(text, '\n');
	return rc == 0 ? mxt_buf_status(text, err) : rc;
}

/* What is written is what autotune can read. */
static int write_recording(const struct watch *watch, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	int rc = merge_parts(watch, &text, err);
	if (rc < 0)
		return rc;
	rc = mxt_recording_parse(watch->settings->out, text.data, text.len, &recording, err);
	if (rc < 0)
		return rc;
	rc = mxt_file_replace(watch->settings->out, text.data, text.len, err);
	if (rc == 0)
		tell(watch, recording);
	return rc;
}

static void watch_finish(struct watch *watch)
{
	mxt_record_child_finish(&watch->child);
	mxt_record_folder_remove(&watch->folder);
	if (watch->signal_fd >= 0)
		(void)close(watch->signal_fd);
	if (watch->notify_fd >= 0)
		(void)close(watch->notify_fd);
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	struct settings settings = {.out = DEFAULT_OUT};
	int rc = take_settings(args, &settings, err);
	if (rc == 0)
		rc = mxt_file_check_writable(settings.out, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP(watch_finish)
	struct watch watch = {.settings = &settings, .child = {.pidfd = -1}, .signal_fd = -1, .notify_fd = -1};
	rc = start(cli, args, &watch, err);
	if (rc < 0)
		return rc;
	watch_command(&watch);
	return watch.recorded ? write_recording(&watch, err) : no_recording(&watch, err);
}

const struct mxt_command mxt_cmd_record = {
    .name = "record",
    .summary = "run a training for a few steps and record what it computes",
    .synopsis = "[OPTIONS] -- COMMAND [ARGUMENTS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
