/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU runtime that torch loaded, CUDA's or HIP's: memory, copies, and device time by events on the stream that
 * torch computes on (the default one). The two have the same functions with the same meaning under other names; what
 * differs is a dialect: names, numbers and words.
 */
#ifndef MXT_GPU_RUNTIME_H
#define MXT_GPU_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dltable.h"
#include "error.h"
#include "torch_device.h"

enum mxt_gpu_status { /* cudaError, hipError_t: those that are told apart, with the same numbers in both */
		      MXT_GPU_SUCCESS = 0,
		      MXT_GPU_OUT_OF_MEMORY = 2,
		      MXT_GPU_NOT_INITIALIZED = 3,
		      MXT_GPU_NO_DEVICE = 100,
		      MXT_GPU_INVALID_IMAGE = 200,
		      MXT_GPU_NO_BINARY = 209,
		      MXT_GPU_FILE_NOT_FOUND = 301,
		      MXT_GPU_NOT_FOUND = 500,
};

enum mxt_gpu_copy { /* cudaMemcpyKind, hipMemcpyKind */
		    MXT_GPU_TO_DEVICE = 1,
		    MXT_GPU_TO_HOST = 2,
		    MXT_GPU_ON_DEVICE = 3,
};

/* cudaDeviceAttr, hipDeviceAttribute_t: numbers that differ between the two, see struct mxt_gpu_dialect. */
enum mxt_gpu_attribute { MXT_GPU_ATTRIBUTE_FIRST = 0, MXT_GPU_ATTRIBUTE_LAST = INT32_MAX };

/* hipDeviceAttribute_t of hip_runtime_api.h, the same in ROCm 5 to 7. */
#define MXT_HIP_L2_BYTES      19
#define MXT_HIP_COMPUTE_MAJOR 23
#define MXT_HIP_UNITS         63

struct mxt_gpu_event;          /* CUevent_st, ihipEvent_t: opaque there, too */
struct mxt_gpu_stream;         /* CUstream_st, ihipStream_t; NULL is the default one */
struct mxt_hip_properties_new; /* hipDeviceProp_tR0600: hip_identity.h reads it */
struct mxt_hip_properties_old; /* hipDeviceProp_tR0000 */

struct mxt_gpu_calls {
#define MXT_GPU_CALL(type, member, arguments) type(*member) arguments;
#include "gpu_calls.def"
#undef MXT_GPU_CALL
};

struct mxt_gpu_dialect {
	const char *title;                      /* "the CUDA runtime" */
	const char *device;                     /* "CUDA device" */
	enum mxt_error_id refused;              /* what a call that fails is reported as */
	const char *runtime_fact, *driver_fact; /* what facts call the runtime's own version, and its driver's */
	const struct mxt_dl_row *rows;
	size_t n_rows;
	enum mxt_gpu_attribute units, l2_bytes, compute_major;
	/* Errors that libraries leave behind where they looked for something in vain, and went on: no kernel's. */
	const enum mxt_gpu_status *left_behind;
	size_t n_left_behind;
};

extern const struct mxt_gpu_dialect mxt_cudart;
extern const struct mxt_gpu_dialect mxt_hip_runtime;

struct mxt_gpu_runtime {
	const struct mxt_gpu_dialect *dialect;
	struct mxt_gpu_calls call;
	struct mxt_dl library;
	int device;
	struct mxt_gpu_event *start, *stop;
	void *lead; /* memory that is written before a measurement begins; NULL: none */
};

/*
 * Loads the first of `names` (NULL-ended) that is there and takes the device. -ENODEV with the driver's reason when
 * there is no device of this number or it cannot be used; statuses of mxt_dl_open().
 */
int mxt_gpu_runtime_open(const struct mxt_gpu_dialect *dialect, const char *const *names, int device,
			 struct mxt_gpu_runtime *ret_runtime, struct mxt_error *err) MXT_WUR;
void mxt_gpu_runtime_close(struct mxt_gpu_runtime *runtime);

/* 0 when it is not told. */
int mxt_gpu_attribute(const struct mxt_gpu_runtime *runtime, enum mxt_gpu_attribute attribute);

/*
 * From the start event to the stop event. HIP's times of two events that follow each other at once can be a little in
 * the wrong order (ROCm/rocm-systems#9375): that is none.
 */
enum mxt_gpu_status mxt_gpu_elapsed(const struct mxt_gpu_runtime *runtime, float *ret_ms) MXT_WUR;

/* 0, or what `status` means as the dialect's error: -ENOMEM or -EIO. `what` completes "... cannot". */
int mxt_gpu_result(const struct mxt_gpu_runtime *runtime, enum mxt_gpu_status status, const char *what,
		   struct mxt_error *err) MXT_WUR;

/*
 * Ends a device on a GPU, open or half open (NULL is fine): its torch, then its runtime, with which its state begins;
 * the rest of the state has been ended.
 */
void mxt_gpu_device_destroy(struct mxt_device *device);

/* Memory, time and copies for the devices in device/torch; their state begins with a struct mxt_gpu_runtime. */
extern const struct mxt_torch_platform mxt_cuda_platform;
extern const struct mxt_torch_platform mxt_hip_platform;

#endif
