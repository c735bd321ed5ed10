/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be hashed, and what came of it, for any number of threads. They take the entries in their order. A small
 * file is hashed by the thread that took it; a large one by all that have nothing better to do, one such file at a
 * time.
 */
#ifndef MXT_MANIFEST_HASH_QUEUE_H
#define MXT_MANIFEST_HASH_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "hash_files.h"
#include "hash_parts.h"

struct mxt_error;

struct mxt_hash_queue {
	const struct mxt_hash_request *request; /* borrowed, as the outcomes are */
	struct mxt_hash_outcome *outcomes;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t changed;
	size_t next;      /* entry that nobody has taken */
	size_t latest;    /* entry that was taken last */
	unsigned opening; /* threads that have an entry and may yet find it large */
	bool cancelled;
	struct mxt_hash_progress progress; /* apart from `parts` */
	bool has_large;
	size_t large;                /* entry of a large file */
	struct mxt_hash_parts parts; /* of it */
};

/* Fills `outcomes` as far as it is worked off. The queue must stay where it is; it is large. */
void mxt_hash_queue_init(struct mxt_hash_queue *queue, const struct mxt_hash_request *request,
			 struct mxt_hash_outcome *outcomes);

/* Nobody works any more. */
void mxt_hash_queue_finish(struct mxt_hash_queue *queue);

/* Works until nothing is left, or the queue is cancelled. `buffer` is the thread's own, of MXT_SUBTREE_BYTES. */
void mxt_hash_queue_work(struct mxt_hash_queue *queue, void *buffer);

/* All threads stop after what they are at. */
void mxt_hash_queue_cancel(struct mxt_hash_queue *queue);

void mxt_hash_queue_progress(struct mxt_hash_queue *queue, struct mxt_hash_progress *ret_progress);

#endif
