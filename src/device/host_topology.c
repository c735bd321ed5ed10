/* SPDX-License-Identifier: Apache-2.0 */
#include "host_topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cpu_list.h"
#include "error.h"
#include "number.h"
#include "sysroot.h"

#define MAX_CPUINFO ((size_t)32 << 20) /* 8192 processors with long flag lines */

/* Where a processor sits. */
struct seat {
	uint64_t socket, core;
};

/* One seat for each processor that tells its own. */
struct census {
	struct seat *seats; /* owned */
	size_t count, capacity;
	uint64_t processors; /* with or without a seat */
};

static void census_finish(struct census *census)
{
	free(census->seats);
}

static int census_add(struct census *census, struct seat seat)
{
	struct seat *seats = mxt_array_reserve(census->seats, census->count, &census->capacity, sizeof *seats);
	if (!seats)
		return -ENOMEM;
	census->seats = seats;
	seats[census->count++] = seat;
	return 0;
}

static int by_seat(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;
	if (x->socket != y->socket)
		return x->socket < y->socket ? -1 : 1;
	return x->core == y->core ? 0 : x->core < y->core ? -1 : 1;
}

/* Cores and sockets are known only when every processor told its seat. */
static void census_result(struct census *census, struct mxt_host_topology *topology)
{
	if (census->processors)
		topology->threads = mxt_reading_of(census->processors);
	if (census->count == 0 || census->count != census->processors)
		return;
	qsort(census->seats, census->count, sizeof *census->seats, by_seat);
	uint64_t sockets = 1, cores = 1;
	for (size_t i = 1; i < census->count; i++) {
		const struct seat *seat = &census->seats[i], *before = seat - 1;
		sockets += seat->socket != before->socket;
		cores += seat->socket != before->socket || seat->core != before->core;
	}
	topology->sockets = mxt_reading_of(sockets);
	topology->cores = mxt_reading_of(cores);
}

/* One processor's lines in cpuinfo. */
struct block {
	struct mxt_reading processor, socket, core;
};

/* The value behind "key<blanks>:"; NULL when the line has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);
	if (strncmp(line, key, len) != 0)
		return NULL;
	const char *at = line + len + strspn(line + len, " \t");
	return *at == ':' ? at + 1 + strspn(at + 1, " \t") : NULL;
}

static void take_number(const char *line, const char *key, struct mxt_reading *reading)
{
	const char *at = value_of(line, key);
	if (at && mxt_parse_u64(at, &at, &reading->value) == 0)
		reading->reported = true;
}

static bool line_has_word(const char *line, const char *word)
{
	size_t len = strlen(word), end = strcspn(line, "\n");
	for (size_t i = 0; i + len <= end; i++)
		if ((i == 0 || line[i - 1] == ' ') && strncmp(line + i, word, len) == 0 &&
		    (i + len == end || line[i + len] == ' '))
			return true;
	return false;
}

static void parse_line(const char *line, struct block *block, struct mxt_reading *guest)
{
	take_number(line, "processor", &block->processor);
	take_number(line, "physical id", &block->socket);
	take_number(line, "core id", &block->core);
	const char *flags = guest->reported ? NULL : value_of(line, "flags");
	if (flags)
		*guest = mxt_reading_of(line_has_word(flags, "hypervisor"));
}

static int end_block(struct census *census, struct block *block)
{
	struct block done = *block;
	*block = (struct block){.processor = {0, false}};
	if (!done.processor.reported)
		return 0;
	census->processors++;
	if (!done.socket.reported || !done.core.reported)
		return 0;
	return census_add(census, (struct seat){done.socket.value, done.core.value});
}

int mxt_host_topology_parse(const char *text, struct mxt_host_topology *ret_topology)
{
	MXT_CLEANUP(census_finish) struct census census = {NULL, 0, 0, 0};
	struct mxt_host_topology topology = {.threads = {0, false}};
	struct block block = {.processor = {0, false}};
	int rc = 0;
	for (const char *line = text; line && rc == 0;) {
		if (*line == '\n')
			rc = end_block(&census, &block);
		else
			parse_line(line, &block, &topology.guest);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (rc == 0)
		rc = end_block(&census, &block);
	if (rc < 0)
		return rc;
	census_result(&census, &topology);
	*ret_topology = topology;
	return 0;
}

static int read_cpu_number(const struct mxt_sysroot *root, uint32_t cpu, const char *name, uint64_t *ret_value)
{
	char path[96];
	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%" PRIu32 "/topology/%s", cpu, name);
	return mxt_sysroot_read_u64(root, path, ret_value, NULL);
}

/* Counts one processor; one that does not tell its seat is counted without. */
static int read_folder(const struct mxt_sysroot *root, uint32_t cpu, struct census *census)
{
	struct seat seat = {0, 0};
	census->processors++;
	int rc = read_cpu_number(root, cpu, "physical_package_id", &seat.socket);
	if (rc == 0)
		rc = read_cpu_number(root, cpu, "core_id", &seat.core);
	if (rc == 0)
		rc = census_add(census, seat);
	return rc == -ENOMEM ? rc : 0;
}

static int read_folders(const struct mxt_sysroot *root, struct census *census)
{
	MXT_CLEANUP_BUF struct mxt_buf online = MXT_BUF_INIT;
	struct mxt_cpu_list list;
	int rc = mxt_sysroot_read(root, "/sys/devices/system/cpu/online", 65536, &online, NULL);
	if (rc < 0 || mxt_cpu_list_parse(mxt_buf_text(&online), &list) < 0)
		return rc == -ENOMEM ? rc : 0;
	for (uint32_t cpu = 0; rc == 0 && (cpu = mxt_cpu_list_next(&list, cpu)) < MXT_CPU_LIST_MAX; cpu++)
		rc = read_folder(root, cpu, census);
	return rc;
}

int mxt_host_topology_read(const struct mxt_sysroot *root, struct mxt_host_topology *ret_topology,
			   struct mxt_error *err)
{
	MXT_CLEANUP(census_finish) struct census census = {NULL, 0, 0, 0};
	MXT_CLEANUP_BUF struct mxt_buf cpuinfo = MXT_BUF_INIT;
	struct mxt_host_topology topology = {.threads = {0, false}};
	int rc = mxt_sysroot_read(root, "/proc/cpuinfo", MAX_CPUINFO, &cpuinfo, NULL);
	if (rc == 0)
		rc = mxt_host_topology_parse(mxt_buf_text(&cpuinfo), &topology);
	if (rc != -ENOMEM && !topology.sockets.reported) {
		rc = read_folders(root, &census);
		if (rc == 0)
			census_result(&census, &topology);
	}
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	*ret_topology = topology;
	return 0;
}
