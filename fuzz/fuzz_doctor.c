/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor on a machine of the fuzzer's making. An input is a list of files, each begun by a line "=== PATH"; it is
 * written into a scratch folder in memory, looked at, and shown in both forms.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "doctor.h"
#include "doctor_json.h"
#include "doctor_text.h"
#include "environ_list.h"
#include "error.h"
#include "json.h"
#include "sysroot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MARK      "=== /"
#define MAX_FILES 64

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

/* Makes the folders above `path`. */
static void make_parents(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
}

/* A name that leaves the folder, or that the file system refuses, makes no file. */
static void write_file(const char *root, const char *name, size_t name_len, const char *bytes, size_t len)
{
	char path[PATH_MAX];
	int used = snprintf(path, sizeof path, "%s/%.*s", root, (int)name_len, name);
	if (name_len > NAME_MAX || used < 0 || (size_t)used >= sizeof path || strstr(path, ".."))
		return;
	make_parents(path);
	MXT_CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0700);
	if (fd >= 0 && write(fd, bytes, len) < 0)
		return;
}

static const char *find_mark(const char *text, const char *end)
{
	return end > text ? memmem(text, (size_t)(end - text), MARK, sizeof MARK - 1) : NULL;
}

static void write_machine(const char *root, const char *text, size_t size)
{
	const char *end = text + size, *at = find_mark(text, end);
	for (int files = 0; at && files < MAX_FILES; files++) {
		const char *name = at + sizeof MARK - 1;
		const char *line = memchr(name, '\n', (size_t)(end - name));
		if (!line)
			return;
		const char *next = find_mark(line, end);
		write_file(root, name, (size_t)(line - name), line + 1, (size_t)((next ? next : end) - line) - 1);
		at = next;
	}
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void show(const struct mxt_doctor_report *report)
{
	MXT_CLEANUP_BUF struct mxt_buf json = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const struct mxt_doctor_style style = {80, false};
	require(mxt_doctor_json(report, true, &json, NULL) == 0);
	mxt_doctor_text(report, &style, &text);
	for (size_t i = 0; i < text.len; i++)
		require(text.data[i] == '\n' || (unsigned char)text.data[i] >= ' ');
}

static void examine(const char *prefix)
{
	const struct mxt_sysroot root = {prefix};
	MXT_CLEANUP_ENVIRON struct mxt_environ_list environment = MXT_ENVIRON_LIST_INIT;
	MXT_CLEANUP_DOCTOR_REPORT struct mxt_doctor_report report = MXT_DOCTOR_REPORT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	require(mxt_environ_list_read(&root, &environment, &err) == 0);
	MXT_CLEANUP_JSON json_t *nvidia = NULL;
	char path[PATH_MAX];
	(void)snprintf(path, sizeof path, "%s/nvidia.json", prefix);
	if (mxt_json_read_file(path, MXT_JSON_CANONICAL, &nvidia, NULL) < 0)
		nvidia = NULL;
	const struct mxt_doctor_request request = {&root, environment.entries, NULL, nvidia};
	if (mxt_doctor_run(&request, &report, &err) == 0)
		show(&report);
	else
		require(err.id == MXT_E_NOT_A_MACHINE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char root[] = "/dev/shm/mxt-fuzz-XXXXXX";
	if (!mkdtemp(root))
		return 0;
	write_machine(root, (const char *)data, size);
	examine(root);
	(void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
