/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver's own library, as far as it describes devices: which cards CUDA shows this process, in which order,
 * and what NVML does not tell of them. Only in worker processes. No context is created, so that a card in
 * exclusive-process mode is not taken. Values and layouts are those of cuda.h (CUDA 13.0).
 */
#ifndef MXT_CUDA_CUDA_DRIVER_H
#define MXT_CUDA_CUDA_DRIVER_H

#include "cuda_attribute.h"
#include "dltable.h"
#include "reading.h"

struct mxt_error;

enum mxt_cuda_status { /* CUresult: those that are told apart */
		       MXT_CUDA_SUCCESS = 0,
		       MXT_CUDA_STUB_LIBRARY = 34,
		       MXT_CUDA_NO_DEVICE = 100,
		       MXT_CUDA_SYSTEM_NOT_READY = 802,
		       MXT_CUDA_DRIVER_MISMATCH = 803, /* CUDA_ERROR_SYSTEM_DRIVER_MISMATCH */
};

struct mxt_cuda_uuid { /* CUuuid */
	char bytes[16];
};

struct mxt_cuda_calls {
#define MXT_DL_SYMBOL MXT_DL_MEMBER
#include "cuda_driver.def"
#undef MXT_DL_SYMBOL
};

struct mxt_cuda_driver {
	struct mxt_dl dl;
	struct mxt_cuda_calls call; /* optional ones may be NULL */
	int count;                  /* devices that this process may use */
};

#define MXT_CUDA_DRIVER_INIT                                                                                           \
	{                                                                                                              \
		.dl = MXT_DL_INIT                                                                                      \
	}

/*
 * Loads and initialises it. -ENOSYS: not installed; -ENODEV: it shows this process no device; -ELIBBAD, -EIO: broken
 * (MXT_E_LIBRARY_BROKEN, MXT_E_NVIDIA_DRIVER).
 */
int mxt_cuda_driver_open(struct mxt_cuda_driver *ret_driver, struct mxt_error *err) MXT_WUR;
void mxt_cuda_driver_close(struct mxt_cuda_driver *driver);

/* The newest CUDA that the driver can run: 13000 is 13.0. */
struct mxt_reading mxt_cuda_driver_version(const struct mxt_cuda_driver *driver);

/* "01234567-89ab-cdef-0123-456789abcdef" of a card, or of the MIG slice that CUDA shows as a device. */
#define MXT_CUDA_UUID_TEXT 37
bool mxt_cuda_driver_uuid(const struct mxt_cuda_driver *driver, int ordinal, char ret_text[MXT_CUDA_UUID_TEXT]);

struct mxt_reading mxt_cuda_driver_attribute(const struct mxt_cuda_driver *driver, int ordinal,
					     enum mxt_cuda_attribute attribute);

#endif
