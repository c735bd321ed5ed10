/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One large file that several threads hash, a part each at a time (hash_subtree.h). Where BLAKE3 gives no values of
 * parts, one thread at a time hashes what it has read, in the file's order, while the others read ahead.
 */
#ifndef MXT_MANIFEST_HASH_PARTS_H
#define MXT_MANIFEST_HASH_PARTS_H

#include <blake3.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "hash_file.h"
#include "hash_subtree.h"

/* How far one may be ahead of the first that is not done: a thread that loses its processor holds nobody up. */
#define MXT_HASH_PARTS_AHEAD 512

struct mxt_hash_parts {
	struct mxt_hash_file file; /* the caller's */
	uint64_t count;            /* parts of the file */
	uint64_t taken, joined;    /* of these, from the first on */
	unsigned at_work;          /* threads */
	int status;                /* of the first part that failed */
	blake3_hasher hasher;      /* has taken what is joined */
	bool ready[MXT_HASH_PARTS_AHEAD];
	uint8_t values[MXT_HASH_PARTS_AHEAD][MXT_SUBTREE_VALUE_SIZE];
	pthread_mutex_t *mutex;  /* of all above */
	pthread_cond_t *changed; /* broadcast when more can be done, or the file is done */
};

void mxt_hash_parts_begin(struct mxt_hash_parts *parts, const struct mxt_hash_file *file, pthread_mutex_t *mutex,
			  pthread_cond_t *changed);

/* The mutex is held in all of these. `buffer` is of MXT_SUBTREE_BYTES, and the thread's own. */

/* Takes a part and does it, without the mutex. False: none can be taken now. */
bool mxt_hash_parts_work(struct mxt_hash_parts *parts, void *buffer);

/* Parts are left that nobody has taken, and nothing has failed. */
bool mxt_hash_parts_left(const struct mxt_hash_parts *parts);

/* Nobody is at work and nothing is left: status, and with 0 the hash, are final. */
bool mxt_hash_parts_over(const struct mxt_hash_parts *parts);

/* Bytes that are joined. */
uint64_t mxt_hash_parts_bytes(const struct mxt_hash_parts *parts);

#endif
