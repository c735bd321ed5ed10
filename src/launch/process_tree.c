/* SPDX-License-Identifier: Apache-2.0 */
#include "process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "number.h"

struct entry {
	pid_t pid, parent;
	bool below; /* known to descend from the root */
};

struct table {
	struct entry *entries;
	size_t count, capacity;
};

/* "pid (name) state ppid ..."; the name may hold anything. False for what is gone, or a zombie. */
static bool read_entry(const char *pid, struct entry *ret_entry)
{
	char path[64], text[512];
	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	MXT_CLEANUP_FILE FILE *file = fopen(path, "re");
	size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
	text[len] = '\0';
	const char *end = strrchr(text, ')'), *rest;
	uint64_t number, parent;
	if (!end || strlen(end) < 5 || end[2] == 'Z' || end[2] == 'X')
		return false;
	if (mxt_parse_u64(pid, &rest, &number) < 0 || mxt_parse_u64(end + 4, &rest, &parent) < 0)
		return false;
	*ret_entry = (struct entry){(pid_t)number, (pid_t)parent, false};
	return true;
}

static bool append(struct table *table, const struct entry *entry)
{
	if (table->count == table->capacity) {
		size_t capacity = table->capacity ? 2 * table->capacity : 256;
		struct entry *grown = realloc(table->entries, capacity * sizeof *grown);
		if (!grown)
			return false;
		table->entries = grown;
		table->capacity = capacity;
	}
	table->entries[table->count++] = *entry;
	return true;
}

static void read_table(struct table *table)
{
	MXT_CLEANUP_DIR DIR *dir = opendir("/proc");
	const struct dirent *row;
	bool room = true;
	while (dir && room && (row = readdir(dir))) {
		struct entry entry;
		if (isdigit((unsigned char)row->d_name[0]) && read_entry(row->d_name, &entry))
			room = append(table, &entry);
	}
}

static bool is_below(const struct table *table, pid_t root, pid_t pid)
{
	if (pid == root)
		return true;
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].pid == pid)
			return table->entries[i].below;
	return false;
}

/* Children can have lower numbers than their parents: until nothing changes. */
static void mark_descendants(struct table *table, pid_t root)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 0; i < table->count; i++) {
			struct entry *entry = &table->entries[i];
			if (!entry->below && is_below(table, root, entry->parent))
				grew = entry->below = true;
		}
	}
}

size_t mxt_process_tree_signal(pid_t root, int signal)
{
	struct table table = {NULL, 0, 0};
	size_t count = 0;
	read_table(&table);
	mark_descendants(&table, root);
	for (size_t i = 0; i < table.count; i++)
		if (table.entries[i].below && kill(table.entries[i].pid, signal) == 0)
			count++;
	free(table.entries);
	return count;
}
