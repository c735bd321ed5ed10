/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_files.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "hash_queue.h"
#include "tree.h"

/* How often the caller's progress function is called. */
#define WATCH_NS   (100 * MXT_NS_PER_MS)
#define PAGE_BYTES ((size_t)4096) /* the kernel copies fastest to where pages begin */

struct crew {
	struct mxt_hash_queue queue;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t ended;  /* for the caller: a thread has */
	unsigned running;      /* threads */
};

struct worker {
	struct crew *crew;
	char *buffer; /* MXT_SUBTREE_BYTES */
	pthread_t thread;
};

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct crew *crew = worker->crew;
	mxt_hash_queue_work(&crew->queue, worker->buffer);
	(void)pthread_mutex_lock(&crew->mutex);
	crew->running--;
	(void)pthread_cond_signal(&crew->ended);
	(void)pthread_mutex_unlock(&crew->mutex);
	return NULL;
}

/* Whether the work is to go on. */
static bool look(struct crew *crew)
{
	const struct mxt_hash_watch *watch = &crew->queue.request->watch;
	struct mxt_hash_progress progress;
	if (!watch->progress)
		return true;
	mxt_hash_queue_progress(&crew->queue, &progress);
	return watch->progress(watch->context, &progress);
}

/* True: some threads are still running. */
static bool wait_a_moment(struct crew *crew)
{
	uint64_t until_ns = mxt_now_ns(&mxt_clock_monotonic) + WATCH_NS;
	struct timespec until = {.tv_sec = (time_t)(until_ns / MXT_NS_PER_S),
				 .tv_nsec = (long)(until_ns % MXT_NS_PER_S)};
	(void)pthread_mutex_lock(&crew->mutex);
	while (crew->running > 0 && pthread_cond_timedwait(&crew->ended, &crew->mutex, &until) == 0)
		;
	bool running = crew->running > 0;
	(void)pthread_mutex_unlock(&crew->mutex);
	return running;
}

/* Looks at least once before the end and once after it. True: it was cancelled. */
static bool watch(struct crew *crew)
{
	bool go_on = true, running = true;
	while (running) {
		go_on = go_on && look(crew);
		if (!go_on)
			mxt_hash_queue_cancel(&crew->queue);
		running = wait_a_moment(crew);
	}
	return !(go_on && look(crew));
}

/* Threads that take no signals: those are for the caller. How many there are; fewer than asked for will do. */
static unsigned start_workers(struct crew *crew, struct worker *workers, unsigned n, int *ret_errnum)
{
	sigset_t all, before;
	unsigned started = 0;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_mutex_lock(&crew->mutex);
	for (; started < n; started++) {
		*ret_errnum = pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]);
		if (*ret_errnum != 0)
			break;
	}
	crew->running = started;
	(void)pthread_mutex_unlock(&crew->mutex);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static int run_workers(struct crew *crew, struct worker *workers, unsigned n, struct mxt_error *err)
{
	int errnum = 0;
	unsigned started = start_workers(crew, workers, n, &errnum);
	if (started == 0 && n > 0)
		return mxt_error_errno(err, errnum, "cannot start a thread that hashes files");
	bool cancelled = watch(crew);
	for (unsigned i = 0; i < started; i++)
		(void)pthread_join(workers[i].thread, NULL);
	if (cancelled)
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

static int run_crew(struct crew *crew, unsigned n, struct mxt_error *err)
{
	struct worker workers[MXT_HASH_MAX_THREADS];
	MXT_CLEANUP_FREE char *buffers = aligned_alloc(PAGE_BYTES, (n > 0 ? n : 1) * MXT_SUBTREE_BYTES);
	if (!buffers)
		return mxt_error_oom(err);
	for (unsigned i = 0; i < n; i++)
		workers[i] = (struct worker){.crew = crew, .buffer = buffers + i * MXT_SUBTREE_BYTES};
	pthread_condattr_t monotonic;
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&crew->mutex, NULL);
	(void)pthread_cond_init(&crew->ended, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	int rc = run_workers(crew, workers, n, err);
	(void)pthread_cond_destroy(&crew->ended);
	(void)pthread_mutex_destroy(&crew->mutex);
	return rc;
}

int mxt_hash_files(const struct mxt_hash_request *request, struct mxt_hash_outcome *ret_outcomes, struct mxt_error *err)
{
	MXT_CLEANUP_FREE struct crew *crew = calloc(1, sizeof *crew);
	if (!crew)
		return mxt_error_oom(err);
	warm_up();
	mxt_hash_queue_init(&crew->queue, request, ret_outcomes);
	int rc = run_crew(crew, crew->queue.progress.files_total > 0 ? count_threads(request) : 0, err);
	mxt_hash_queue_finish(&crew->queue);
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
    {-ENOTDIR, MXT_E_TREE_CHANGED, "is gone, or reached by a link: it was a file there when the folder was listed"},
    {-ELOOP, MXT_E_TREE_CHANGED, "was a file when the folder was listed, and is reached by a link now"},
    {-EINVAL, MXT_E_TREE_CHANGED, "was a file when the folder was listed, and is none now"},
};

static int outcome_error(const struct mxt_file_list *list, size_t entry, int status, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	mxt_entry_place_show(list->root, list->single ? "" : list->entries[entry].path, &name);
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
