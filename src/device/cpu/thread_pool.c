/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

struct helper {
	struct mxt_thread_pool *pool;
	pthread_t thread;
	uint32_t number; /* 1 and up; 0 is the caller */
};

struct mxt_thread_pool {
	struct helper *helpers; /* owned */
	uint32_t n_helpers;     /* started ones */
	pthread_mutex_t lock;
	pthread_cond_t start, finish;
	/* Under the lock. */
	uint64_t round;   /* counts runs: a helper joins each once */
	uint32_t working; /* helpers that have not finished the round */
	bool quit;
	/* The run; written under the lock while no helper works. */
	void (*work)(void *context, uint32_t thread, uint32_t item);
	void *context;
	uint32_t items;
	atomic_uint_fast64_t next; /* wider than items, so that late threads cannot wrap it around */
};

static void take_items(struct mxt_thread_pool *pool, uint32_t thread)
{
	for (;;) {
		uint64_t item = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
		if (item >= pool->items)
			return;
		pool->work(pool->context, thread, (uint32_t)item);
	}
}

static void *helper_main(void *argument)
{
	const struct helper *helper = argument;
	struct mxt_thread_pool *pool = helper->pool;
	uint64_t seen = 0;
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->round == seen && !pool->quit)
			pthread_cond_wait(&pool->start, &pool->lock);
		if (pool->quit)
			break;
		seen = pool->round;
		pthread_mutex_unlock(&pool->lock);
		take_items(pool, helper->number);
		pthread_mutex_lock(&pool->lock);
		if (--pool->working == 0)
			pthread_cond_signal(&pool->finish);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Signals are for the thread that runs main(). */
static int start_helpers(struct mxt_thread_pool *pool, uint32_t count)
{
	sigset_t all, old;
	(void)sigfillset(&all);
	int rc = pthread_sigmask(SIG_SETMASK, &all, &old);
	if (rc != 0)
		return rc;
	for (uint32_t i = 0; i < count && rc == 0; i++) {
		struct helper *helper = &pool->helpers[i];
		*helper = (struct helper){.pool = pool, .number = i + 1};
		rc = pthread_create(&helper->thread, NULL, helper_main, helper);
		pool->n_helpers += rc == 0;
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

int mxt_thread_pool_create(uint32_t threads, struct mxt_thread_pool **ret_pool, struct mxt_error *err)
{
	struct mxt_thread_pool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return mxt_error_oom(err);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->start, NULL);
	pthread_cond_init(&pool->finish, NULL);
	pool->helpers = calloc(threads, sizeof *pool->helpers);
	int rc = pool->helpers ? start_helpers(pool, threads - 1) : ENOMEM;
	if (rc != 0) {
		mxt_thread_pool_destroy(pool);
		return mxt_error_set(err, -rc, MXT_E_THREADS, "cannot start %u threads: %s", threads, strerror(rc));
	}
	*ret_pool = pool;
	return 0;
}

void mxt_thread_pool_destroy(struct mxt_thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->quit = true;
	pthread_cond_broadcast(&pool->start);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->n_helpers; i++)
		pthread_join(pool->helpers[i].thread, NULL);
	pthread_cond_destroy(&pool->finish);
	pthread_cond_destroy(&pool->start);
	pthread_mutex_destroy(&pool->lock);
	free(pool->helpers);
	free(pool);
}

uint32_t mxt_thread_pool_size(const struct mxt_thread_pool *pool)
{
	return pool->n_helpers + 1;
}

void mxt_thread_pool_run(struct mxt_thread_pool *pool, void (*work)(void *context, uint32_t thread, uint32_t item),
			 void *context, uint32_t items)
{
	pthread_mutex_lock(&pool->lock);
	pool->work = work;
	pool->context = context;
	pool->items = items;
	atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
	pool->working = pool->n_helpers;
	pool->round++;
	pthread_cond_broadcast(&pool->start);
	pthread_mutex_unlock(&pool->lock);
	take_items(pool, 0);
	pthread_mutex_lock(&pool->lock);
	while (pool->working)
		pthread_cond_wait(&pool->finish, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}
