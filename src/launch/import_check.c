/* SPDX-License-Identifier: Apache-2.0 */
#include "import_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "python_folder.h"
#include "remarks.h"
#include "script.h"

#define ANSWER_BYTES 65536
#define MAX_MODULES  8
#define OWN_PREFIX   "MXT_" /* variables that have our hook leave files: this is no process of the training */

/* ---- what it answers ---- */

static void refuse(const char *python, const struct mxt_buf *module, const char *why, struct mxt_remarks *remarks)
{
	mxt_remark_refuse(remarks, MXT_E_LAUNCH_PACKAGE, MXT_ALLOW_NOTHING, "%s cannot import %s: %s", python,
			  mxt_buf_text(module), why);
}

static bool begins(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);
	return len >= n && memcmp(line, word, n) == 0;
}

static void set_text(struct mxt_buf *buf, const char *bytes, size_t len)
{
	mxt_buf_truncate(buf, 0);
	mxt_clean_text(buf, bytes, len);
}

struct reading {
	const char *python;
	struct mxt_buf module, why; /* module: the one that is being imported */
	bool trying;
	struct mxt_remarks *remarks;
};

static void read_line(struct reading *reading, const char *line, size_t len)
{
	if (begins(line, len, "try ")) {
		set_text(&reading->module, line + 4, len - 4);
		reading->trying = true;
		return;
	}
	if (begins(line, len, "bad ") && reading->trying) {
		set_text(&reading->why, line + 4, len - 4);
		refuse(reading->python, &reading->module, mxt_buf_text(&reading->why), reading->remarks);
	}
	reading->trying = false;
}

void mxt_import_check_read(const char *python, const char *answer, size_t len, struct mxt_remarks *remarks)
{
	struct reading reading = {.python = python, .module = MXT_BUF_INIT, .why = MXT_BUF_INIT, .remarks = remarks};
	const char *end = answer + len;
	bool whole = len >= 4 && memcmp(end - 4, "end\n", 4) == 0;
	while (answer < end) {
		const char *stop = memchr(answer, '\n', (size_t)(end - answer));
		stop = stop ? stop : end;
		read_line(&reading, answer, (size_t)(stop - answer));
		answer = stop < end ? stop + 1 : end;
	}
	if (reading.trying)
		refuse(python, &reading.module, "it crashes while it tries", remarks);
	else if (!whole)
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_PACKAGE, MXT_ALLOW_NOTHING,
				  "%s ended before it could show what it can import", python);
	remarks->failed = remarks->failed || reading.module.failed || reading.why.failed;
	mxt_buf_finish(&reading.module);
	mxt_buf_finish(&reading.why);
}

/* ---- the child ---- */

/* Borrowed entries in a list of the caller's, for free(). */
static char **without_own(char *const *environment)
{
	size_t count = 0, kept = 0;
	while (environment[count])
		count++;
	char **list = calloc(count + 1, sizeof *list);
	for (size_t i = 0; list && i < count; i++)
		if (!begins(environment[i], strlen(environment[i]), OWN_PREFIX))
			list[kept++] = environment[i];
	return list;
}

static int ask(const char *python, char *const *environment, const char *script_path, const char *const *modules,
	       struct mxt_buf *answer, struct mxt_error *err)
{
	const char *argv[MAX_MODULES + 6] = {python, "-B", script_path, "--descriptor", MXT_SCRIPT_DESCRIPTOR};
	for (size_t i = 0; i < MAX_MODULES && modules[i]; i++)
		argv[5 + i] = modules[i];
	const struct mxt_script script = {.program = python,
					  .argv = (char *const *)argv,
					  .environment = environment,
					  .clock = &mxt_clock_monotonic,
					  .deadline_ns =
					      mxt_now_ns(&mxt_clock_monotonic) + MXT_IMPORT_LIMIT_S * MXT_NS_PER_S,
					  .cancel_fd = -1,
					  .max_bytes = ANSWER_BYTES};
	return mxt_script_run(&script, answer, err);
}

/* What is wrong with the Python is a remark; what is wrong with us ends the launch. */
static int judge(const char *python, int rc, struct mxt_error *why, struct mxt_remarks *remarks, struct mxt_error *err)
{
	if (rc == 0)
		return 0;
	if (why->id != MXT_E_SCRIPT) {
		mxt_error_move(err, why);
		return rc;
	}
	mxt_remark_refuse(remarks, MXT_E_LAUNCH_PACKAGE, MXT_ALLOW_NOTHING, "%s cannot show what it can import: %s",
			  python, mxt_error_text(why));
	return 0;
}

int mxt_import_check(const char *python, char *const *environment, const char *const *modules,
		     struct mxt_remarks *remarks, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf answer = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	MXT_CLEANUP_FREE char **kept = without_own(environment);
	int rc = kept ? mxt_python_script(environment, "import_check.py", &path, err) : mxt_error_oom(err);
	if (rc < 0)
		return rc;
	rc = ask(python, kept, mxt_buf_text(&path), modules, &answer, &why);
	if (rc == 0)
		mxt_import_check_read(python, mxt_buf_text(&answer), answer.len, remarks);
	return judge(python, rc, &why, remarks, err);
}
