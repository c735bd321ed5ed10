/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last 8 KiB of a stream. Plain memory, zero-initialised; never fails.
 */
#ifndef MXT_WORKER_TAIL_H
#define MXT_WORKER_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define MXT_TAIL_BYTES 8192

struct mxt_tail {
	char ring[MXT_TAIL_BYTES];
	uint64_t total; /* bytes ever added */
};

void mxt_tail_add(struct mxt_tail *tail, const char *bytes, size_t len);

/* Appends what is kept, made printable (clean_text.h). */
void mxt_tail_text(const struct mxt_tail *tail, struct mxt_buf *buf);

/* Appends the last line that is not blank, made printable, at most 240 bytes of it; nothing when there is none. */
void mxt_tail_last_line(const struct mxt_tail *tail, struct mxt_buf *buf);

#endif
