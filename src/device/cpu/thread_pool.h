/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixed set of threads that work through numbered items together with the caller. Threads that have nothing to do
 * sleep; they do not spin.
 */
#ifndef MXT_CPU_THREAD_POOL_H
#define MXT_CPU_THREAD_POOL_H

#include <stdint.h>

struct mxt_error;
struct mxt_thread_pool;

/* `threads` counts the caller: 1 starts none. They block all signals. */
int mxt_thread_pool_create(uint32_t threads, struct mxt_thread_pool **ret_pool, struct mxt_error *err);
void mxt_thread_pool_destroy(struct mxt_thread_pool *pool);

uint32_t mxt_thread_pool_size(const struct mxt_thread_pool *pool);

/*
 * Calls work(context, thread, item) for each item in [0, items), thread in [0, size): each item once, by whichever
 * thread is free, in no order. Returns when all are done. One caller at a time.
 */
void mxt_thread_pool_run(struct mxt_thread_pool *pool, void (*work)(void *context, uint32_t thread, uint32_t item),
			 void *context, uint32_t items);

#endif
