/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the devices that compute through an installed torch have in common: operands, tasks, checks. A platform adds
 * memory and time: the host's (cpu-torch) or those of a GPU's runtime (cuda, hip).
 */
#ifndef MXT_TORCH_DEVICE_H
#define MXT_TORCH_DEVICE_H

#include "device_ops.h"
#include "torch_library.h"
#include "torch_sdpa.h"

/* All functions get the platform's own state. */
struct mxt_torch_platform {
	const char *name; /* of the device, for messages */
	/*
	 * Memory on the device, aligned to 256 bytes at least. MXT_E_OPERANDS_TOO_LARGE (-ENOMEM) when there is none.
	 */
	int (*allocate)(void *state, size_t bytes, void **ret_data, struct mxt_error *err);
	void (*release)(void *state, void *data);
	/* Device time between the two: of all that was queued in between. */
	int (*start)(void *state, struct mxt_error *err);
	int (*stop)(void *state, uint64_t *ret_ns, struct mxt_error *err);
	/* Copies from the device to the host, after all that was queued before. */
	int (*fetch)(void *state, void *host, const void *data, size_t bytes, struct mxt_error *err);
	/* Memory that could still be taken; UINT64_MAX when it is not told. */
	uint64_t (*memory_left)(void *state);
};

/* Memory that operands are cut from, window after window, so that calls in a row do not find them in caches. */
struct mxt_torch_arena {
	void *base; /* NULL before the first growth */
	size_t bytes;
	size_t cursor;
	uint32_t moves; /* how often other memory took its place: what was made of the former is void */
	bool random;    /* filled with normal deviates of the device's own generator */
	enum mxt_dtype dtype;
};

struct mxt_device {
	struct mxt_torch torch;
	const struct mxt_torch_platform *platform;
	void *state;        /* the platform's; it ends it */
	uint64_t llc_bytes; /* last-level cache: operands rotate over twice as much */
	bool deterministic; /* torch was told to be, and checks see whether results repeat */
	/* One of each for each dtype that was met. */
	struct mxt_torch_arena inputs[MXT_DTYPE_COUNT], outputs[MXT_DTYPE_COUNT];
};

struct mxt_torch_task_ops {
	/* Before any of the others, untimed: makes what the task keeps anew where the arenas have moved. */
	int (*ready)(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err);
	int (*run)(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err);
	int (*check)(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
		     struct mxt_error *err);
	void (*finish)(struct mxt_device *device, struct mxt_task *task); /* releases task->own */
};

struct mxt_task {
	struct mxt_problem problem;
	const struct mxt_torch_task_ops *ops;
	size_t input_bytes, output_bytes; /* windows of one call */
	void *own;                        /* owned, of the kind of task */
};

/*
 * Grows both arenas of the task's dtype to hold its windows until they fill twice the cache. An arena that cannot grow
 * is empty afterwards: who uses a task reserves for it again.
 */
int mxt_torch_reserve(struct mxt_device *device, const struct mxt_task *task, struct mxt_error *err);

/* The next window of `bytes`; what was reserved for is always there. */
void *mxt_torch_arena_next(struct mxt_torch_arena *arena, size_t bytes);

/* Bytes that a part of `bytes` takes of a window: whole 256-byte lines. */
size_t mxt_torch_part(size_t bytes);

/* Where the operands of one product are: device memory on 256-byte lines, laid out as the problem says. */
struct mxt_gemm_operands {
	char *a, *b;
	char *bias; /* [n]; read only where the problem has one */
	char *c;
};

/* Those of the task's next call: they rotate over more than the cache. */
struct mxt_gemm_operands mxt_torch_gemm_next(struct mxt_device *device, const struct mxt_task *task);

/* NaN all over c: an element that a product does not write shows. Not where the product is added to c. */
int mxt_torch_gemm_spoil(const struct mxt_device *device, const struct mxt_gemm *shape,
			 const struct mxt_gemm_operands *operands, struct mxt_error *err);

/* How far c, which was overwritten, is from the truth, and how far it may be; of a batch, some products. */
int mxt_torch_gemm_judge(const struct mxt_device *device, const struct mxt_gemm *shape,
			 const struct mxt_gemm_operands *operands, struct mxt_check *ret_check, struct mxt_error *err);

/*
 * How many windows of the task's size it takes to reach twice the cache, at least 1. Attention keeps tensors for each
 * of its windows, and has no more than MXT_TORCH_MAX_SLOTS.
 */
#define MXT_TORCH_MAX_SLOTS 64
size_t mxt_torch_windows(const struct mxt_device *device, const struct mxt_task *task);

/* Resolve a problem of their kind into *task, whose other members but `problem` are zero. */
int mxt_torch_gemm_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err);
int mxt_torch_attention_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err);

/* Who computes attention of that kind: its name, or on ROCm the library that flash attention comes from. */
const char *mxt_torch_attention_name(const struct mxt_torch *torch, enum mxt_sdpa_kind kind);

/* Members of device_ops that are the same for every platform. */
int mxt_torch_device_prepare(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_task **ret_task,
			     struct mxt_error *err);
void mxt_torch_device_release(struct mxt_device *device, struct mxt_task *task);
int mxt_torch_device_time(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
			  uint64_t *ret_ns, struct mxt_error *err);
int mxt_torch_device_check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
			   struct mxt_error *err);

/* Opens torch and sets up the common part; `device` is zero but for platform, state and llc_bytes. */
int mxt_torch_device_init(struct mxt_device *device, const struct mxt_device_target *target,
			  enum mxt_torch_backend backend, struct mxt_error *err);
void mxt_torch_device_finish(struct mxt_device *device);

/* What torch would take for a common shape: that the environment's attention switch acts shows here first. */
int mxt_torch_common_attention(struct mxt_device *device, enum mxt_sdpa_kind *ret_kind, struct mxt_error *err);

/* The common facts: version, interface number, files that were loaded. New reference; NULL when memory ran out. */
json_t *mxt_torch_device_facts(const struct mxt_device *device);

/* The selectors, NULL-ended, that this process's environment sets, as an object of strings: new reference, or NULL. */
json_t *mxt_torch_switches(const char *const *selectors);

#endif
