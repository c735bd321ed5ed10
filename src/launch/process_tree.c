/* SPDX-License-Identifier: Apache-2.0 */
#include "process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "number.h"

struct entry {
	pid_t pid, parent;
	uint64_t started; /* in clock ticks since the boot: tells a process from a later one of the same number */
	bool below;       /* known to descend from the root */
};

struct table {
	struct entry *entries; /* owned, by pid */
	size_t count, capacity;
};

/* Numbers of the fields of /proc/PID/stat, from 1, as proc(5) counts them. */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_THREADS = 20, FIELD_STARTED = 22 };

/* A field of the text; `after`: the parenthesis behind the name. */
static bool read_field(const char *after, int field, uint64_t *ret_value)
{
	const char *at = after, *end;
	for (int i = FIELD_STATE - 1; at && i < field; i++)
		at = strchr(at + 1, ' ');
	return at && mxt_parse_u64(at + 1, &end, ret_value) == 0;
}

/* "pid (name) state ppid ..."; the name may hold anything. False for what is gone, or a zombie; a process whose first
 * thread has ended looks like one, too, and lives. */
static bool read_entry(const char *pid, struct entry *ret_entry)
{
	char path[64], text[1024];
	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	MXT_CLEANUP_FILE FILE *file = fopen(path, "re");
	size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
	text[len] = '\0';
	const char *after = strrchr(text, ')'), *rest;
	uint64_t number, parent, threads, started;
	if (!after || strlen(after) < 5 || mxt_parse_u64(pid, &rest, &number) < 0 ||
	    !read_field(after, FIELD_PARENT, &parent) || !read_field(after, FIELD_THREADS, &threads) ||
	    !read_field(after, FIELD_STARTED, &started))
		return false;
	if (after[2] == 'X' || (after[2] == 'Z' && threads <= 1))
		return false;
	*ret_entry = (struct entry){(pid_t)number, (pid_t)parent, started, false};
	return true;
}

static bool append(struct table *table, const struct entry *entry)
{
	struct entry *entries = mxt_array_reserve(table->entries, table->count, &table->capacity, sizeof *entries);
	if (!entries)
		return false;
	table->entries = entries;
	entries[table->count++] = *entry;
	return true;
}

static int by_pid(const void *a, const void *b)
{
	pid_t first = ((const struct entry *)a)->pid, second = ((const struct entry *)b)->pid;
	return (first > second) - (first < second);
}

/* Are the numbers in /proc those that kill() takes? Not where it was mounted for another namespace. */
static bool proc_is_ours(void)
{
	char text[32];
	int64_t number;
	ssize_t len = readlink("/proc/self", text, sizeof text - 1);
	if (len <= 0)
		return false;
	text[len] = '\0';
	return mxt_parse_i64_in(text, 1, INT32_MAX, &number) == 0 && number == getpid();
}

static void read_table(struct table *table)
{
	MXT_CLEANUP_DIR DIR *dir = proc_is_ours() ? opendir("/proc") : NULL;
	const struct dirent *row;
	bool room = true;
	while (dir && room && (row = readdir(dir))) {
		struct entry entry;
		if (isdigit((unsigned char)row->d_name[0]) && read_entry(row->d_name, &entry))
			room = append(table, &entry);
	}
	if (table->count > 0)
		qsort(table->entries, table->count, sizeof *table->entries, by_pid);
}

static bool is_below(const struct table *table, pid_t root, pid_t pid)
{
	if (pid == root)
		return true;
	const struct entry key = {.pid = pid};
	const struct entry *found = bsearch(&key, table->entries, table->count, sizeof key, by_pid);
	return found && found->below;
}

/* Children can have lower numbers than their parents: until nothing changes. */
static void mark_descendants(struct table *table, pid_t root)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 0; i < table->count; i++) {
			struct entry *entry = &table->entries[i];
			if (!entry->below && entry->pid != root && is_below(table, root, entry->parent))
				grew = entry->below = true;
		}
	}
}

/* Through a descriptor, so that the signal cannot reach a process that got the number since. */
static bool send_signal(const struct entry *entry, int signal)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
	MXT_CLEANUP_CLOSE int fd = (int)syscall(SYS_pidfd_open, entry->pid, 0);
	if (fd >= 0) {
		char pid[24];
		struct entry now;
		(void)snprintf(pid, sizeof pid, "%d", (int)entry->pid);
		return read_entry(pid, &now) && now.started == entry->started &&
		       syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) == 0;
	}
	if (errno == ESRCH)
		return false;
#endif
	return kill(entry->pid, signal) == 0;
}

size_t mxt_process_tree_signal(pid_t root, int signal)
{
	struct table table = {NULL, 0, 0};
	size_t count = 0;
	read_table(&table);
	mark_descendants(&table, root);
	for (size_t i = 0; i < table.count; i++)
		if (table.entries[i].below && send_signal(&table.entries[i], signal))
			count++;
	free(table.entries);
	return count;
}

size_t mxt_process_tree_list(pid_t root, pid_t *pids, size_t max)
{
	struct table table = {NULL, 0, 0};
	size_t count = 0;
	read_table(&table);
	mark_descendants(&table, root);
	for (size_t i = 0; i < table.count && count < max; i++)
		if (table.entries[i].below)
			pids[count++] = table.entries[i].pid;
	free(table.entries);
	return count;
}
