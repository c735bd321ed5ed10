/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of the stand-in torch: strided views of counted storage. "cuda" storage is host memory that counts against
 * the simulated device's. A handle is what callers hold (AtenTensorHandle); several may name one tensor.
 */
#ifndef MXT_SIM_TENSOR_H
#define MXT_SIM_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MXT_SIM_MAX_DIM 8

enum mxt_sim_place { MXT_SIM_CPU = 0, MXT_SIM_CUDA = 1 }; /* c10::DeviceType's numbers */

struct mxt_sim_storage;

/* What tells the builds of the stand-in apart; defined by each of them. */
struct mxt_sim_build {
	uint64_t abi_version; /* as torch's: major, minor and patch in the upper bytes */
	bool prints;          /* exceptions go to stderr, as before torch 2.13 */
};
extern const struct mxt_sim_build mxt_sim_build;

struct mxt_sim_tensor {
	struct mxt_sim_storage *storage;
	void *data; /* of element 0, in the storage */
	int64_t ndim, sizes[MXT_SIM_MAX_DIM], strides[MXT_SIM_MAX_DIM];
	int32_t dtype, place;
	bool requires_grad;
	unsigned refs;
};

struct AtenTensorOpaque {
	struct mxt_sim_tensor *tensor; /* a reference; NULL: the undefined tensor */
};

/* Sets the thread's message, and returns what every function of the C ABI returns for a failure: 1. */
int mxt_sim_raise(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *mxt_sim_raised(void);
/* "CUDA error: ..." for a status of the runtime that is not 0. */
int mxt_sim_raise_status(int status);

/* Memory for the stand-in's own use: never NULL. */
void *mxt_sim_memory(size_t count, size_t bytes);

/* 0, or 1 and raised. New reference. A NULL `strides`: row-major. */
int mxt_sim_tensor_new(int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype, int32_t place,
		       struct mxt_sim_tensor **ret_tensor);
/* The memory stays the caller's. */
int mxt_sim_tensor_around(void *data, int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype,
			  int32_t place, struct mxt_sim_tensor **ret_tensor);
/* A view with two dimensions exchanged. New reference. */
struct mxt_sim_tensor *mxt_sim_tensor_swapped(struct mxt_sim_tensor *tensor, int64_t first, int64_t second);
struct mxt_sim_tensor *mxt_sim_tensor_ref(struct mxt_sim_tensor *tensor);
void mxt_sim_tensor_unref(struct mxt_sim_tensor *tensor);

/* A handle that takes over the reference. */
struct AtenTensorOpaque *mxt_sim_handle(struct mxt_sim_tensor *tensor);
void mxt_sim_handle_delete(struct AtenTensorOpaque *handle);

int64_t mxt_sim_count(const struct mxt_sim_tensor *tensor);
/* All elements in row-major order: into new memory (free it), and from memory. */
double *mxt_sim_read(const struct mxt_sim_tensor *tensor);
/* The same of a tensor that is broadcast to other sizes; NULL and raised where it cannot be. */
double *mxt_sim_read_as(const struct mxt_sim_tensor *tensor, int64_t ndim, const int64_t *sizes);
void mxt_sim_write(struct mxt_sim_tensor *tensor, const double *numbers);

#endif
