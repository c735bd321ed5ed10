/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "compiler.h"

#define LOG        "/dev/kmsg"
#define RECORD_MAX 8192 /* a record is read whole, or not at all */
#define MOST_BYTES ((size_t)192 << 10)

static const char *const words[] = {"amdgpu", "kfd", "xgmi", "drm", "NVRM", "Xid", "nvidia"};

/* "6,1042,3300531,-;message\n KEY=value\n": the message alone, with its time in microseconds before it. */
static void take_record(char *record, size_t len, struct mxt_buf *out)
{
	record[len] = '\0';
	char *message = strchr(record, ';');
	if (!message)
		return;
	*message++ = '\0';
	message[strcspn(message, "\n")] = '\0';
	for (size_t i = 0; i < MXT_ARRAY_LEN(words); i++) {
		if (!strstr(message, words[i]))
			continue;
		mxt_buf_printf(out, "%s;%s\n", record, message);
		return;
	}
}

/* A record that was overwritten while it was read (EPIPE) is passed over. */
void mxt_kernel_log_gpus(struct mxt_buf *out)
{
	char record[RECORD_MAX + 1];
	size_t start = out->len;
	MXT_CLEANUP_CLOSE int fd = open(LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got = -1;
	while (fd >= 0 && out->len - start < MOST_BYTES) {
		got = read(fd, record, RECORD_MAX);
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			break;
		take_record(record, (size_t)got, out);
	}
	if (out->len == start && (fd < 0 || (got < 0 && errno != EAGAIN)))
		mxt_buf_printf(out, "%s cannot be read: %s; add what `dmesg` says, as root\n", LOG, strerror(errno));
}
