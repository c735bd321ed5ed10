/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_queue.h"

#include <errno.h>
#include <unistd.h>

#include "hash_file.h"

/* Larger files are hashed by parts. */
#define SMALL_BYTES ((int64_t)4 << 20)

static bool is_wanted(const struct mxt_hash_request *request, size_t i)
{
	return request->entries[i].kind == MXT_ENTRY_FILE && !(request->skip && request->skip[i]);
}

/* What a file counts for in the progress, so that it ends at the total: as large as it was listed. */
static uint64_t counted_bytes(const struct mxt_hash_request *request, size_t entry)
{
	return request->entries[entry].size > 0 ? (uint64_t)request->entries[entry].size : 0;
}

static void file_done(struct mxt_hash_queue *queue, size_t entry)
{
	queue->progress.files_done++;
	queue->progress.bytes_done += counted_bytes(queue->request, entry);
}

static int read_and_hash(const struct mxt_hash_file *file, void *buffer, uint8_t ret_hash[MXT_HASH_SIZE])
{
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	size_t size = (size_t)file->identity.size, len = 0;
	for (size_t done = 0; done < size; done += len) {
		len = size - done < MXT_SUBTREE_BYTES ? size - done : MXT_SUBTREE_BYTES;
		int rc = mxt_hash_file_read(file, buffer, len, done);
		if (rc < 0)
			return rc;
		blake3_hasher_update(&hasher, buffer, len);
	}
	blake3_hasher_finalize(&hasher, ret_hash, MXT_HASH_SIZE);
	return 0;
}

static int close_file(struct mxt_hash_queue *queue, struct mxt_hash_file *file, size_t entry)
{
	return mxt_hash_file_close(file, queue->request->root_fd, &queue->request->entries[entry]);
}

/* Without the mutex. */
static void hash_small(struct mxt_hash_queue *queue, size_t entry, struct mxt_hash_file *file, void *buffer)
{
	struct mxt_hash_outcome *outcome = &queue->outcomes[entry];
	outcome->identity = file->identity;
	int rc = read_and_hash(file, buffer, outcome->hash);
	int closed = close_file(queue, file, entry);
	outcome->status = rc ? rc : closed;
}

/* The last one that was at work on the large file closes it. */
static void end_large(struct mxt_hash_queue *queue)
{
	if (!queue->has_large || !mxt_hash_parts_over(&queue->parts))
		return;
	struct mxt_hash_parts *parts = &queue->parts;
	struct mxt_hash_outcome *outcome = &queue->outcomes[queue->large];
	parts->at_work++; /* so that nobody else does the same */
	(void)pthread_mutex_unlock(&queue->mutex);
	int closed = close_file(queue, &parts->file, queue->large);
	outcome->identity = parts->file.identity;
	outcome->status = parts->status ? parts->status : closed;
	blake3_hasher_finalize(&parts->hasher, outcome->hash, MXT_HASH_SIZE);
	(void)pthread_mutex_lock(&queue->mutex);
	queue->has_large = false;
	file_done(queue, queue->large);
	(void)pthread_cond_broadcast(&queue->changed);
}

/* Helps with the large file that is at work; waits for a change where there is nothing to help with. */
static void help(struct mxt_hash_queue *queue, void *buffer)
{
	if (queue->has_large && mxt_hash_parts_work(&queue->parts, buffer))
		end_large(queue);
	else
		(void)pthread_cond_wait(&queue->changed, &queue->mutex);
}

static void begin_large(struct mxt_hash_queue *queue, size_t entry, struct mxt_hash_file *file, void *buffer)
{
	while (queue->has_large && !queue->cancelled)
		help(queue, buffer);
	if (queue->cancelled) {
		queue->outcomes[entry].status = -ECANCELED;
		(void)close(file->fd);
		return;
	}
	mxt_hash_parts_begin(&queue->parts, file, &queue->mutex, &queue->changed);
	queue->large = entry;
	queue->has_large = true;
}

static void hash_entry(struct mxt_hash_queue *queue, size_t entry, void *buffer)
{
	struct mxt_hash_file file = {.fd = -1};
	queue->latest = entry;
	queue->opening++;
	(void)pthread_mutex_unlock(&queue->mutex);
	int rc = mxt_hash_file_open(queue->request->root_fd, &queue->request->entries[entry], &file);
	bool large = rc == 0 && file.identity.size > SMALL_BYTES;
	if (rc < 0)
		queue->outcomes[entry].status = rc;
	else if (!large)
		hash_small(queue, entry, &file, buffer);
	(void)pthread_mutex_lock(&queue->mutex);
	if (large)
		begin_large(queue, entry, &file, buffer);
	else
		file_done(queue, entry);
	queue->opening--;
	(void)pthread_cond_broadcast(&queue->changed);
}

static size_t take_entry(struct mxt_hash_queue *queue)
{
	const struct mxt_hash_request *request = queue->request;
	while (queue->next < request->count && !is_wanted(request, queue->next))
		queue->next++;
	return queue->next < request->count ? queue->next++ : request->count;
}

/* One thing to do, or to wait for; false: there will be none. */
static bool work(struct mxt_hash_queue *queue, void *buffer)
{
	if (queue->cancelled)
		return false;
	if (queue->has_large && mxt_hash_parts_work(&queue->parts, buffer)) {
		end_large(queue);
		return true;
	}
	size_t entry = take_entry(queue);
	if (entry < queue->request->count)
		hash_entry(queue, entry, buffer);
	else if (queue->opening > 0 || (queue->has_large && mxt_hash_parts_left(&queue->parts)))
		(void)pthread_cond_wait(&queue->changed, &queue->mutex);
	else
		return false;
	return true;
}

void mxt_hash_queue_work(struct mxt_hash_queue *queue, void *buffer)
{
	(void)pthread_mutex_lock(&queue->mutex);
	while (work(queue, buffer))
		;
	(void)pthread_mutex_unlock(&queue->mutex);
}

void mxt_hash_queue_cancel(struct mxt_hash_queue *queue)
{
	(void)pthread_mutex_lock(&queue->mutex);
	queue->cancelled = true;
	(void)pthread_cond_broadcast(&queue->changed);
	(void)pthread_mutex_unlock(&queue->mutex);
}

void mxt_hash_queue_progress(struct mxt_hash_queue *queue, struct mxt_hash_progress *ret_progress)
{
	const struct mxt_hash_request *request = queue->request;
	(void)pthread_mutex_lock(&queue->mutex);
	size_t at = queue->has_large ? queue->large : queue->latest;
	*ret_progress = queue->progress;
	ret_progress->path = request->count > 0 ? request->entries[at].path : "";
	if (queue->has_large) {
		uint64_t hashed = mxt_hash_parts_bytes(&queue->parts), counted = counted_bytes(request, at);
		ret_progress->bytes_done += hashed < counted ? hashed : counted;
	}
	(void)pthread_mutex_unlock(&queue->mutex);
}

static void count_work(struct mxt_hash_queue *queue)
{
	const struct mxt_hash_request *request = queue->request;
	queue->progress.bytes_done = request->bytes_before;
	for (size_t i = 0; i < request->count; i++) {
		if (!is_wanted(request, i))
			continue;
		queue->progress.files_total++;
		queue->progress.bytes_total += counted_bytes(request, i);
	}
	if (request->bytes_total > 0)
		queue->progress.bytes_total = request->bytes_total;
}

void mxt_hash_queue_init(struct mxt_hash_queue *queue, const struct mxt_hash_request *request,
			 struct mxt_hash_outcome *outcomes)
{
	*queue = (struct mxt_hash_queue){.request = request, .outcomes = outcomes};
	(void)pthread_mutex_init(&queue->mutex, NULL);
	(void)pthread_cond_init(&queue->changed, NULL);
	for (size_t i = 0; i < request->count; i++)
		outcomes[i] = (struct mxt_hash_outcome){.status = 0};
	count_work(queue);
}

void mxt_hash_queue_finish(struct mxt_hash_queue *queue)
{
	if (queue->has_large) /* it was cancelled */
		(void)close(queue->parts.file.fd);
	(void)pthread_cond_destroy(&queue->changed);
	(void)pthread_mutex_destroy(&queue->mutex);
}
