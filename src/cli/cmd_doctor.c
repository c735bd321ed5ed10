/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "buf.h"
#include "command.h"
#include "doctor.h"
#include "doctor_bundle.h"
#include "doctor_json.h"
#include "doctor_text.h"
#include "environ.h"
#include "environ_list.h"
#include "error.h"
#include "file.h"
#include "json.h"
#include "nvidia_ask.h"
#include "sysroot.h"

#define PLAIN_COLUMNS 80
#define MOST_COLUMNS  100 /* wider lines are hard to read */

static const struct mxt_option options[] = {
    {"json", NULL, "one JSON object instead of text"},
    {"sysroot", "DIR", "a recorded machine instead of this one (scripts/record-host.sh)"},
    {"survey", NULL, "only ask NVIDIA's driver libraries; print what they tell as JSON"},
    {"bundle", "FILE", "also pack all that it saw into a file for a report, names replaced"},
    {"python", "PATH", "the interpreter or environment that trains (default: the active one)"},
};

static size_t columns_of(int fd)
{
	struct winsize size;
	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return PLAIN_COLUMNS;
	return size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
}

static struct mxt_doctor_style style_for(const struct mxt_cli *cli)
{
	int fd = fileno(cli->out);
	const char *no_colour = mxt_environ_get(cli->environment, "NO_COLOR");
	if (!isatty(fd))
		return (struct mxt_doctor_style){PLAIN_COLUMNS, false};
	return (struct mxt_doctor_style){columns_of(fd), !no_colour || !*no_colour};
}

static int render(struct mxt_cli *cli, const struct mxt_doctor_report *report, bool json, bool recorded,
		  struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = 0;
	if (json) {
		rc = mxt_doctor_json(report, recorded, &buf, err);
		mxt_buf_putc(&buf, '\n');
	} else {
		const struct mxt_doctor_style style = style_for(cli);
		mxt_doctor_text(report, &style, &buf);
	}
	if (rc == 0)
		rc = mxt_buf_status(&buf, err);
	if (rc == 0)
		(void)fwrite(mxt_buf_text(&buf), 1, buf.len, cli->out); /* main() looks at the stream's state */
	return rc;
}

/* An empty --sysroot would silently be this machine. */
static int check_usage(const struct mxt_args *args, const char *sysroot, struct mxt_error *err)
{
	if (args->n_operands)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "doctor takes no operands, but got '%s'; see --help",
				     args->operands[0]);
	if (sysroot && !*sysroot)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--sysroot needs the name of a folder");
	if (mxt_args_has(args, "bundle") && mxt_args_has(args, "survey"))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "--survey prints and packs nothing; leave out --bundle");
	if (sysroot && mxt_args_has(args, "survey"))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--survey asks this machine; leave out --sysroot");
	return 0;
}

/* The answer of the driver here, or the recorded one. */
static int read_nvidia(const struct mxt_cli *cli, const struct mxt_sysroot *root, json_t **ret_answer,
		       struct mxt_error *err)
{
	return mxt_sysroot_is_live(root) ? mxt_nvidia_ask(cli->environment, ret_answer, err)
					 : mxt_nvidia_recall(root, ret_answer, err);
}

static int print_answer(struct mxt_cli *cli, const json_t *answer, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_json_canonical(answer, &buf, err);
	mxt_buf_putc(&buf, '\n');
	if (rc == 0)
		rc = mxt_buf_status(&buf, err);
	if (rc == 0)
		(void)fwrite(mxt_buf_text(&buf), 1, buf.len, cli->out); /* main() looks at the stream's state */
	return rc;
}

/* What doctor found on a machine, told, and packed where that was asked for. */
static int examine(struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_doctor_request *request,
		   struct mxt_bundle *bundle, struct mxt_error *err)
{
	MXT_CLEANUP_DOCTOR_REPORT struct mxt_doctor_report report = MXT_DOCTOR_REPORT_INIT;
	const char *path = mxt_args_get(args, "bundle");
	bool recorded = !mxt_sysroot_is_live(request->root);
	int rc = mxt_doctor_run(request, &report, err);
	if (rc == 0)
		rc = render(cli, &report, mxt_args_has(args, "json"), recorded, err);
	if (rc == 0 && path) {
		const struct mxt_doctor_bundle_request what = {.environment = request->environment,
							       .report = &report,
							       .nvidia = request->nvidia,
							       .python = mxt_args_get(args, "python"),
							       .recorded = recorded,
							       .path = path};
		rc = mxt_doctor_bundle_write(bundle, &what, err);
	}
	if (rc < 0)
		return rc;
	return mxt_doctor_report_count(&report, MXT_CHECK_FAIL) ? MXT_EXIT_DEVICE : MXT_EXIT_DONE;
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	const char *sysroot = mxt_args_get(args, "sysroot");
	MXT_CLEANUP_BUNDLE struct mxt_bundle bundle = {.failed = false};
	const struct mxt_sysroot_tap tap = mxt_bundle_tap(&bundle);
	const char *path = mxt_args_get(args, "bundle");
	const struct mxt_sysroot root = {.prefix = sysroot ? sysroot : "", .tap = path ? &tap : NULL};
	MXT_CLEANUP_ENVIRON struct mxt_environ_list recorded = MXT_ENVIRON_LIST_INIT;
	MXT_CLEANUP_JSON json_t *nvidia = NULL;
	int rc = check_usage(args, sysroot, err);
	if (rc == 0 && path)
		rc = mxt_file_check_writable(path, err);
	if (rc == 0 && sysroot)
		rc = mxt_environ_list_read(&(struct mxt_sysroot){.prefix = sysroot}, &recorded, err);
	char *const *environment = sysroot ? recorded.entries : cli->environment;
	if (rc == 0 && path)
		mxt_doctor_bundle_init(&bundle, environment);
	if (rc == 0)
		rc = read_nvidia(cli, &root, &nvidia, err);
	if (rc < 0)
		return rc;
	if (mxt_args_has(args, "survey"))
		return print_answer(cli, nvidia, err);
	const struct mxt_doctor_request request = {&root, environment, mxt_args_get(args, "python"), nvidia};
	return examine(cli, args, &request, &bundle, err);
}

const struct mxt_command mxt_cmd_doctor = {
    .name = "doctor",
    .summary = "say what is on this machine, what is wrong, and what to do",
    .synopsis = "[OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
