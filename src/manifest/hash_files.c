/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take the entries in their order. A small file is hashed by the thread that took it; a large one by all that
 * have nothing better to do, one such file at a time.
 */
#include "hash_files.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "hash_file.h"
#include "hash_parts.h"
#include "tree.h"

/* Larger files are hashed by parts. */
#define SMALL_BYTES ((int64_t)4 << 20)
/* How often the caller's progress function is called. */
#define WATCH_NS (100 * MXT_NS_PER_MS)

struct pool {
	const struct mxt_hash_request *request;
	struct mxt_hash_outcome *outcomes;
	pthread_mutex_t mutex;  /* of all below */
	pthread_cond_t changed; /* for workers: there may be something to do */
	pthread_cond_t ended;   /* for the caller: a worker has ended */
	size_t next;            /* entry that nobody has taken */
	size_t latest;          /* entry that was taken last */
	unsigned opening;       /* workers that have an entry and may yet find it large */
	unsigned running;       /* workers */
	bool cancelled;
	struct mxt_hash_progress progress; /* apart from `parts` */
	struct mxt_hash_parts *parts;      /* of a large file */
	size_t large;                      /* its entry */
	bool has_large;
};

struct worker {
	struct pool *pool;
	char *buffer; /* MXT_SUBTREE_BYTES */
	pthread_t thread;
};

static bool is_wanted(const struct mxt_hash_request *request, size_t i)
{
	return request->entries[i].kind == MXT_ENTRY_FILE && !(request->skip && request->skip[i]);
}

/* What a file counts for in the progress, so that it ends at the total: as large as it was listed. */
static uint64_t counted_bytes(const struct mxt_hash_request *request, size_t entry)
{
	return request->entries[entry].size > 0 ? (uint64_t)request->entries[entry].size : 0;
}

static void file_done(struct pool *pool, size_t entry)
{
	pool->progress.files_done++;
	pool->progress.bytes_done += counted_bytes(pool->request, entry);
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

static int close_file(struct pool *pool, struct mxt_hash_file *file, size_t entry)
{
	return mxt_hash_file_close(file, pool->request->root_fd, &pool->request->entries[entry]);
}

/* Without the mutex. */
static void hash_small(struct pool *pool, size_t entry, struct mxt_hash_file *file, void *buffer)
{
	struct mxt_hash_outcome *outcome = &pool->outcomes[entry];
	outcome->identity = file->identity;
	int rc = read_and_hash(file, buffer, outcome->hash);
	int closed = close_file(pool, file, entry);
	outcome->status = rc ? rc : closed;
}

/* The last one that was at work on the large file closes it. */
static void end_large(struct pool *pool)
{
	if (!pool->has_large || !mxt_hash_parts_over(pool->parts))
		return;
	struct mxt_hash_parts *parts = pool->parts;
	struct mxt_hash_outcome *outcome = &pool->outcomes[pool->large];
	parts->at_work++; /* so that nobody else does the same */
	(void)pthread_mutex_unlock(&pool->mutex);
	int closed = close_file(pool, &parts->file, pool->large);
	outcome->identity = parts->file.identity;
	outcome->status = parts->status ? parts->status : closed;
	blake3_hasher_finalize(&parts->hasher, outcome->hash, MXT_HASH_SIZE);
	(void)pthread_mutex_lock(&pool->mutex);
	pool->has_large = false;
	file_done(pool, pool->large);
	(void)pthread_cond_broadcast(&pool->changed);
}

/* Helps with the large file that is at work; waits for a change where there is nothing to help with. */
static void help(struct pool *pool, void *buffer)
{
	if (pool->has_large && mxt_hash_parts_work(pool->parts, buffer))
		end_large(pool);
	else
		(void)pthread_cond_wait(&pool->changed, &pool->mutex);
}

static void begin_large(struct pool *pool, size_t entry, struct mxt_hash_file *file, void *buffer)
{
	while (pool->has_large && !pool->cancelled)
		help(pool, buffer);
	if (pool->cancelled) {
		pool->outcomes[entry].status = -ECANCELED;
		(void)close(file->fd);
		return;
	}
	mxt_hash_parts_begin(pool->parts, file, &pool->mutex, &pool->changed);
	pool->large = entry;
	pool->has_large = true;
}

static void hash_entry(struct pool *pool, size_t entry, void *buffer)
{
	struct mxt_hash_file file;
	pool->latest = entry;
	pool->opening++;
	(void)pthread_mutex_unlock(&pool->mutex);
	int rc = mxt_hash_file_open(pool->request->root_fd, &pool->request->entries[entry], &file);
	bool large = rc == 0 && file.identity.size > SMALL_BYTES;
	if (rc < 0)
		pool->outcomes[entry].status = rc;
	else if (!large)
		hash_small(pool, entry, &file, buffer);
	(void)pthread_mutex_lock(&pool->mutex);
	if (large)
		begin_large(pool, entry, &file, buffer);
	else
		file_done(pool, entry);
	pool->opening--;
	(void)pthread_cond_broadcast(&pool->changed);
}

static size_t take_entry(struct pool *pool)
{
	const struct mxt_hash_request *request = pool->request;
	while (pool->next < request->count && !is_wanted(request, pool->next))
		pool->next++;
	return pool->next < request->count ? pool->next++ : request->count;
}

/* One thing to do, or to wait for; false: there will be none. */
static bool work(struct pool *pool, void *buffer)
{
	if (pool->cancelled)
		return false;
	if (pool->has_large && mxt_hash_parts_work(pool->parts, buffer)) {
		end_large(pool);
		return true;
	}
	size_t entry = take_entry(pool);
	if (entry < pool->request->count)
		hash_entry(pool, entry, buffer);
	else if (pool->opening > 0 || (pool->has_large && mxt_hash_parts_left(pool->parts)))
		(void)pthread_cond_wait(&pool->changed, &pool->mutex);
	else
		return false;
	return true;
}

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct pool *pool = worker->pool;
	(void)pthread_mutex_lock(&pool->mutex);
	while (work(pool, worker->buffer))
		;
	pool->running--;
	(void)pthread_cond_signal(&pool->ended);
	(void)pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

/* Calls the watcher, without the mutex; its answer may end the work. */
static void look(struct pool *pool)
{
	const struct mxt_hash_request *request = pool->request;
	if (!request->watch.progress || pool->cancelled)
		return;
	struct mxt_hash_progress progress = pool->progress;
	progress.path = request->count > 0 ? request->entries[pool->latest].path : "";
	if (pool->has_large) {
		uint64_t hashed = mxt_hash_parts_bytes(pool->parts), counted = counted_bytes(request, pool->large);
		progress.bytes_done += hashed < counted ? hashed : counted;
		progress.path = request->entries[pool->large].path;
	}
	(void)pthread_mutex_unlock(&pool->mutex);
	bool go_on = request->watch.progress(request->watch.context, &progress);
	(void)pthread_mutex_lock(&pool->mutex);
	pool->cancelled = !go_on;
	if (!go_on)
		(void)pthread_cond_broadcast(&pool->changed);
}

static void watch(struct pool *pool)
{
	(void)pthread_mutex_lock(&pool->mutex);
	for (look(pool); pool->running > 0; look(pool)) {
		uint64_t until_ns = mxt_now_ns(&mxt_clock_monotonic) + WATCH_NS;
		struct timespec until = {.tv_sec = (time_t)(until_ns / MXT_NS_PER_S),
					 .tv_nsec = (long)(until_ns % MXT_NS_PER_S)};
		(void)pthread_cond_timedwait(&pool->ended, &pool->mutex, &until);
	}
	(void)pthread_mutex_unlock(&pool->mutex);
}

/* Threads that take no signals: those are for the caller's. How many there are; fewer than asked for will do. */
static unsigned start_workers(struct pool *pool, struct worker *workers, unsigned n, int *ret_errnum)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_mutex_lock(&pool->mutex);
	while (pool->running < n) {
		struct worker *worker = &workers[pool->running];
		worker->pool = pool;
		*ret_errnum = pthread_create(&worker->thread, NULL, worker_main, worker);
		if (*ret_errnum != 0)
			break;
		pool->running++;
	}
	unsigned started = pool->running;
	(void)pthread_mutex_unlock(&pool->mutex);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static int run_workers(struct pool *pool, struct worker *workers, unsigned n, struct mxt_error *err)
{
	int errnum = 0;
	unsigned started = start_workers(pool, workers, n, &errnum);
	if (started == 0 && n > 0)
		return mxt_error_errno(err, errnum, "cannot start a thread that hashes files");
	watch(pool);
	for (unsigned i = 0; i < started; i++)
		(void)pthread_join(workers[i].thread, NULL);
	if (pool->has_large)
		(void)close(pool->parts->file.fd);
	if (pool->cancelled)
		return mxt_error_set(err, -ECANCELED, MXT_E_INTERRUPTED, "stopped while files were hashed");
	return 0;
}

static unsigned processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : MXT_HASH_MAX_THREADS;
	return n > 0 ? (unsigned)n : 1;
}

static unsigned count_threads(const struct mxt_hash_request *request)
{
	unsigned n = request->threads > 0 ? request->threads : processors();
	return n < MXT_HASH_MAX_THREADS ? n : MXT_HASH_MAX_THREADS;
}

/* The first use of BLAKE3 finds out what the processor can do; it must not be two threads at once. */
static void warm_up(void)
{
	uint8_t hash[MXT_HASH_SIZE];
	mxt_hash_bytes("", 0, hash);
}

static void init_locks(struct pool *pool)
{
	pthread_condattr_t monotonic;
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&pool->mutex, NULL);
	(void)pthread_cond_init(&pool->changed, NULL);
	(void)pthread_cond_init(&pool->ended, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
}

static void finish_locks(struct pool *pool)
{
	(void)pthread_cond_destroy(&pool->ended);
	(void)pthread_cond_destroy(&pool->changed);
	(void)pthread_mutex_destroy(&pool->mutex);
}

static void count_work(struct pool *pool)
{
	const struct mxt_hash_request *request = pool->request;
	pool->progress.bytes_done = request->bytes_before;
	for (size_t i = 0; i < request->count; i++) {
		if (!is_wanted(request, i))
			continue;
		pool->progress.files_total++;
		pool->progress.bytes_total += counted_bytes(request, i);
	}
	if (request->bytes_total > 0)
		pool->progress.bytes_total = request->bytes_total;
}

int mxt_hash_files(const struct mxt_hash_request *request, struct mxt_hash_outcome *ret_outcomes, struct mxt_error *err)
{
	struct pool pool = {.request = request, .outcomes = ret_outcomes};
	struct worker workers[MXT_HASH_MAX_THREADS];
	for (size_t i = 0; i < request->count; i++)
		ret_outcomes[i] = (struct mxt_hash_outcome){.status = 0};
	count_work(&pool);
	unsigned n = pool.progress.files_total > 0 ? count_threads(request) : 0;
	MXT_CLEANUP_FREE char *buffers = malloc((n + 1) * MXT_SUBTREE_BYTES);
	MXT_CLEANUP_FREE struct mxt_hash_parts *parts = malloc(sizeof *parts);
	if (!buffers || !parts)
		return mxt_error_oom(err);
	for (unsigned i = 0; i < n; i++)
		workers[i].buffer = buffers + i * MXT_SUBTREE_BYTES;
	pool.parts = parts;
	warm_up();
	init_locks(&pool);
	int rc = run_workers(&pool, workers, n, err);
	finish_locks(&pool);
	return rc;
}

struct fault {
	int status;
	enum mxt_error_id id;
	const char *what;
};

/* Others are what open(2) or read(2) said. */
static const struct fault faults[] = {
    {-ESTALE, MXT_E_TREE_CHANGED, "changed, or gave way to another file, while it was being read"},
    {-ENOENT, MXT_E_TREE_CHANGED, "is gone: it was there when the folder was listed"},
    {-ENOTDIR, MXT_E_TREE_CHANGED, "is gone: it was there when the folder was listed"},
    {-ELOOP, MXT_E_TREE_CHANGED, "was a file when the folder was listed, and is reached by a link now"},
    {-EINVAL, MXT_E_TREE_CHANGED, "was a file when the folder was listed, and is none now"},
};

static int outcome_error(const struct mxt_file_list *list, size_t entry, int status, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	mxt_clean_text(&name, list->root, strlen(list->root));
	mxt_buf_putc(&name, '/');
	mxt_clean_text(&name, list->entries[entry].path, strlen(list->entries[entry].path));
	for (size_t i = 0; i < MXT_ARRAY_LEN(faults); i++)
		if (status == faults[i].status)
			return mxt_error_set(err, status, faults[i].id, "%s %s; try again when nothing writes there",
					     mxt_buf_text(&name), faults[i].what);
	return mxt_error_set(err, status, MXT_E_TREE_READ, "%s cannot be read: %s", mxt_buf_text(&name),
			     strerror(-status));
}

int mxt_hash_list(struct mxt_file_list *list, unsigned threads, const struct mxt_hash_watch *watch,
		  struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int root_fd = -1;
	int rc = mxt_tree_open_root(list->root, &root_fd, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_FREE struct mxt_hash_outcome *outcomes = calloc(list->count + 1, sizeof *outcomes);
	if (!outcomes)
		return mxt_error_oom(err);
	struct mxt_hash_request request = {
	    .root_fd = root_fd,
	    .entries = list->entries,
	    .count = list->count,
	    .threads = threads,
	};
	if (watch)
		request.watch = *watch;
	rc = mxt_hash_files(&request, outcomes, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list->count; i++) {
		if (outcomes[i].status != 0)
			return outcome_error(list, i, outcomes[i].status, err);
		if (list->entries[i].kind == MXT_ENTRY_FILE) {
			memcpy(list->entries[i].hash, outcomes[i].hash, MXT_HASH_SIZE);
			list->entries[i].size = outcomes[i].identity.size;
			list->entries[i].seen = outcomes[i].identity;
		}
	}
	return 0;
}
