/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA runtime that torch loaded: memory, copies, and device time by events on the stream that torch computes on
 * (the default one).
 */
#ifndef MXT_CUDA_RUNTIME_H
#define MXT_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "cuda_attribute.h"
#include "dltable.h"
#include "torch_device.h"

struct mxt_error;

enum mxt_cudart_status { /* cudaError: those that are told apart */
			 MXT_CUDART_SUCCESS = 0,
			 MXT_CUDART_OUT_OF_MEMORY = 2, /* cudaErrorMemoryAllocation */
};

enum mxt_cudart_copy { MXT_CUDART_TO_HOST = 2 }; /* cudaMemcpyKind: cudaMemcpyDeviceToHost */

struct mxt_cudart_event;  /* CUevent_st, opaque there too */
struct mxt_cudart_stream; /* CUstream_st; NULL is the default one */

struct mxt_cudart {
#define MXT_CUDART_SYMBOL MXT_DL_MEMBER
#include "cudart.def"
#undef MXT_CUDART_SYMBOL
};

struct mxt_cuda_runtime {
	struct mxt_cudart call;
	struct mxt_dl library;
	int device;
	struct mxt_cudart_event *start, *stop;
	void *lead; /* memory that is written before a measurement begins; NULL: none */
};

/*
 * Finds the runtime that torch loaded, for `cuda` as torch/version.py says ("13.0"), and takes the device. -ENODEV with
 * the driver's reason when there is no device of this number or it cannot be used.
 */
int mxt_cuda_runtime_open(const char *cuda, int device, struct mxt_cuda_runtime *ret_runtime,
			  struct mxt_error *err) MXT_WUR;
void mxt_cuda_runtime_close(struct mxt_cuda_runtime *runtime);

/* 0 when it is not told. */
int mxt_cuda_attribute(const struct mxt_cuda_runtime *runtime, enum mxt_cuda_attribute attribute);

/* Memory, time and copies for the devices in device/torch; its state is a struct mxt_cuda_runtime. */
extern const struct mxt_torch_platform mxt_cuda_platform;

#endif
