/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An installed torch, loaded into this process through its C interface, without Python. Only for worker processes:
 * the libraries' initialisers run here, start threads, and may print.
 *
 * torch's tensors, kernels, allocator and dispatcher are those that a training in the same environment uses: both read
 * the same environment variables when they are loaded.
 */
#ifndef MXT_TORCH_TORCH_LIBRARY_H
#define MXT_TORCH_TORCH_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "dltable.h"
#include "problem.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_tensor; /* torch's own: an AtenTensorHandle */

/* The oldest version whose dispatcher can be called from C, and whose interface tells its own version. */
#define MXT_TORCH_OLDEST_MAJOR 2
#define MXT_TORCH_OLDEST_MINOR 8

/* Stand-ins for torch's libraries have a file of this name beside them, and export a symbol `mxt_stand_in`. */
#define MXT_TORCH_STAND_IN "stand-in"

struct mxt_torch_abi {
#define MXT_TORCH_SYMBOL MXT_DL_MEMBER
#include "torch_abi.def"
#undef MXT_TORCH_SYMBOL
};

struct mxt_torch_gpu_abi {
#define MXT_TORCH_CUDA_SYMBOL MXT_DL_MEMBER
#include "torch_abi.def"
#undef MXT_TORCH_CUDA_SYMBOL
};

struct mxt_torch {
	struct mxt_torch_version version; /* as torch/version.py says */
	struct mxt_torch_abi call;
	struct mxt_torch_gpu_abi gpu; /* zero unless it was opened for a GPU */
	struct mxt_dl cpu_library, gpu_library;
	enum mxt_torch_backend backend;    /* what it was opened for */
	bool on_gpu;                       /* CUDA or HIP */
	int32_t device_type, device_index; /* where new tensors are */
	int32_t dtype[MXT_DTYPE_COUNT];    /* torch's numbers */
	int32_t float64;
	int32_t bits[MXT_DTYPE_COUNT]; /* integers as wide as these, to compare bits */
	uint64_t abi;                  /* aoti_torch_abi_version() */
	bool stand_in;                 /* the libraries only stand in for torch's */
};

/*
 * Reads torch/version.py below `folder` (the package's own folder, ".../site-packages/torch"). MXT_E_TORCH_UNSUPPORTED
 * (-ENODEV) when it is older than the oldest that can be measured or says nothing; the reason names both versions.
 * MXT_E_NO_DEVICE (-ENODEV) when there is no torch (NULL).
 */
int mxt_torch_read_version(const char *folder, struct mxt_torch_version *ret_version, struct mxt_error *err) MXT_WUR;

/* As above for a version that was read from `folder` (NULL: there is none): 0, or -ENODEV with the reason. */
int mxt_torch_check_version(const struct mxt_torch_version *version, const char *folder, struct mxt_error *err) MXT_WUR;

/*
 * Loads libtorch_cpu.so, for a GPU also libtorch_cuda.so or libtorch_hip.so, and turns gradients off. Both export the
 * same names: ROCm's build compiles the generated CUDA functions (caffe2/CMakeLists.txt), and to torch its devices are
 * "cuda". Statuses of
 * mxt_torch_read_version() and mxt_dl_open(); MXT_E_TORCH_FOREIGN (-ELIBBAD) when the library is of another version
 * than version.py.
 */
int mxt_torch_open(const char *folder, enum mxt_torch_backend backend, int32_t device_index,
		   struct mxt_torch *ret_torch, struct mxt_error *err) MXT_WUR;

/* Gives the handles back; the libraries stay in memory. Zeroed is fine. */
void mxt_torch_close(struct mxt_torch *torch);

#endif
