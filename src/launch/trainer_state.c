/* SPDX-License-Identifier: Apache-2.0 */
#include "trainer_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "file.h"
#include "number.h"

#define KEY        "\"global_step\":"
#define TAIL_BYTES 16
#define MAX_DIGITS 15

int64_t mxt_trainer_state_step(const char *head, size_t len)
{
	const char *key = memmem(head, len, KEY, strlen(KEY));
	char digits[MAX_DIGITS + 1];
	size_t n = 0;
	if (!key)
		return -1;
	const char *at = key + strlen(KEY), *end = head + len;
	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && n < MAX_DIGITS; at++)
		digits[n++] = *at;
	digits[n] = '\0';
	/* A number that goes on behind what was read, or that is none, is not known. */
	if (n == 0 || at == end || (*at != ',' && *at != '\n' && *at != '\r' && *at != ' ' && *at != '}'))
		return -1;
	int64_t step = 0;
	return mxt_parse_i64_in(digits, 0, INT64_MAX, &step) == 0 ? step : -1;
}

static bool ends_well(int fd, uint64_t size)
{
	char tail[TAIL_BYTES];
	uint64_t offset = size > sizeof tail ? size - sizeof tail : 0;
	size_t len = mxt_file_read_at(fd, tail, sizeof tail, offset);
	while (len > 0 && (tail[len - 1] == '\n' || tail[len - 1] == '\r' || tail[len - 1] == ' '))
		len--;
	return len > 0 && tail[len - 1] == '}';
}

int64_t mxt_trainer_state_read(const char *path)
{
	MXT_CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[MXT_TRAINER_STATE_HEAD];
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !ends_well(fd, (uint64_t)st.st_size))
		return -1;
	return mxt_trainer_state_step(head, mxt_file_read_at(fd, head, sizeof head, 0));
}
