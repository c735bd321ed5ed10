/* SPDX-License-Identifier: Apache-2.0 */
#include "outside_tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "environ.h"
#include "error.h"

#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* True once *path is a program of this name; memory that runs out shows in the buffer. */
static bool find(char *const *environment, const char *name, struct mxt_buf *path)
{
	const char *folder = mxt_environ_get(environment, "PATH");
	if (!folder || *folder == '\0')
		folder = USUAL_PATH;
	while (*folder) {
		size_t len = strcspn(folder, ":");
		mxt_buf_truncate(path, 0);
		mxt_buf_append(path, folder, len);
		mxt_buf_printf(path, "/%s", name);
		if (*folder == '/' && !path->failed && is_program(mxt_buf_text(path)))
			return true;
		folder += len + (folder[len] == ':');
	}
	return false;
}

int mxt_outside_tool_run(const struct mxt_outside_tool *tool, struct mxt_buf *output, struct mxt_error *err)
{
	const char *name = tool->argv[0];
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	bool found = find(tool->environment, name, &path);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	if (!found)
		return mxt_error_set(err, -ENOENT, MXT_E_SCRIPT, "there is no %s on the PATH", name);
	const struct mxt_script script = {.program = mxt_buf_text(&path),
					  .argv = (char *const *)tool->argv, /* execve() changes nothing */
					  .environment = tool->environment,
					  .clock = tool->clock,
					  .deadline_ns = mxt_now_ns(tool->clock) + tool->limit_ns,
					  .cancel_fd = tool->cancel_fd,
					  .max_bytes = tool->max_bytes,
					  .tool = &tool->streams};
	rc = mxt_script_run(&script, output, err);
	return rc < 0 ? mxt_error_wrap(err, rc, "%s", name) : 0;
}
