/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh_keygen.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "file.h"
#include "outside_tool.h"

#define LIMIT_NS   (60 * MXT_NS_PER_S)  /* an agent may ask its owner */
#define ASKING_NS  (300 * MXT_NS_PER_S) /* for typing a passphrase */
#define MAX_OUTPUT ((size_t)1 << 20)

#define NEEDED "OpenSSH 8.2 or newer is needed (package openssh-client)"

/* One without -Y prints its usage, which ends in a line of some other use. */
static bool is_usage(const char *text)
{
	return strstr(text, "  ssh-keygen -") || strstr(text, ": ssh-keygen -") || strstr(text, "nknown option") ||
	       strstr(text, "nvalid option");
}

static int judge(struct mxt_error *why, struct mxt_error *err)
{
	int status = why->status;
	const char *text = mxt_error_text(why);
	if (status == -ENOMEM)
		return mxt_error_oom(err);
	if (status == -ENOENT)
		return mxt_error_set(err, status, MXT_E_SIGN_TOOL, "%s; " NEEDED, text);
	if (status == -EREMOTEIO && is_usage(text))
		return mxt_error_set(err, -ENOSYS, MXT_E_SIGN_TOOL, "ssh-keygen knows no signatures; " NEEDED);
	if (status == -EREMOTEIO || status == -ECANCELED) {
		mxt_error_move(err, why);
		return status;
	}
	return mxt_error_set(err, status, MXT_E_SIGN_TOOL, "%s", text);
}

int mxt_ssh_keygen_run(const struct mxt_ssh_keygen *run, struct mxt_buf *output, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	const struct mxt_outside_tool tool = {
	    .argv = run->argv,
	    .environment = run->environment,
	    .clock = &mxt_clock_monotonic,
	    .limit_ns = run->takes_terminal ? ASKING_NS : LIMIT_NS,
	    .max_bytes = MAX_OUTPUT,
	    .cancel_fd = run->cancel_fd,
	    .streams = {.input_fd = run->input_fd, .extra_fd = run->extra_fd, .takes_terminal = run->takes_terminal}};
	int rc = mxt_outside_tool_run(&tool, output, &why);
	return rc < 0 ? judge(&why, err) : 0;
}

int mxt_ssh_keygen_memory(const void *bytes, size_t len, int *ret_fd, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int fd = memfd_create("mindxtrain", MFD_CLOEXEC);
	if (fd < 0)
		return mxt_error_errno(err, errno, "cannot create a file in memory");
	int rc = mxt_file_write_all(fd, bytes, len);
	if (rc < 0)
		return mxt_error_errno(err, -rc, "cannot write to a file in memory");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return mxt_error_errno(err, errno, "cannot go back in a file in memory");
	*ret_fd = mxt_steal_fd(&fd);
	return 0;
}
