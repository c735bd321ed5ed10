/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's libraries beside a CUDA torch, by files only: which cuDNN, cuBLAS and NCCL it loads, and from which wheel
 * they came. libtorch_cuda.so of the wheels names all three as needed, and its DT_RPATH the folders below (torch 2.8 to
 * 2.15), so that these come before LD_LIBRARY_PATH and the system's own.
 */
#ifndef MXT_TORCH_CUDA_LIBRARIES_H
#define MXT_TORCH_CUDA_LIBRARIES_H

#include <stdbool.h>

#include "compiler.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_sysroot;

enum mxt_cuda_library_kind { MXT_CUDA_CUDNN, MXT_CUDA_CUBLAS, MXT_CUDA_NCCL, MXT_CUDA_LIBRARY_COUNT };

struct mxt_cuda_library {
	const char *name;            /* static: "cudnn", "cublas", "nccl" */
	const char *title;           /* static: "cuDNN" */
	char *path;                  /* owned: of the machine; NULL: not beside this torch, the loader has to find it */
	char soname[MXT_TORCH_TEXT]; /* "libcudnn.so.9": that of `path`, else what torch most likely needs */
	char part[MXT_TORCH_TEXT];   /* a library that it loads by name when it is used; "" when it has none */
	char version[MXT_TORCH_TEXT]; /* of its wheel; "" when there is none */
	char other[MXT_TORCH_TEXT];   /* of another wheel that writes the same files; "" */
};

struct mxt_cuda_libraries {
	struct mxt_cuda_library items[MXT_CUDA_LIBRARY_COUNT];
};

#define MXT_CLEANUP_CUDA_LIBRARIES MXT_CLEANUP(mxt_cuda_libraries_finish)

/* Of a torch that is built for CUDA. What is not there is no error. */
int mxt_cuda_libraries_find(const struct mxt_sysroot *root, const struct mxt_torch_install *install,
			    struct mxt_cuda_libraries *ret_libraries, struct mxt_error *err) MXT_WUR;
void mxt_cuda_libraries_finish(struct mxt_cuda_libraries *libraries);

/*
 * The version in the name of a wheel's folder: "9.26.0.51" of "nvidia_cudnn_cu13-9.26.0.51.dist-info" for the package
 * "nvidia_cudnn". *ret_cuda is the 13, or 0 when the name has none. False when it is another package's.
 */
bool mxt_cuda_wheel_parse(const char *name, const char *package, unsigned *ret_cuda, char ret_version[MXT_TORCH_TEXT]);

#endif
