/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AMD's libraries that a torch for ROCm loads, by files only: HIP, hipBLASLt, rocBLAS and RCCL. Wheels of the PyTorch
 * project carry copies in torch/lib, under names without a version, and a DT_RPATH that comes before LD_LIBRARY_PATH;
 * those of AMD's own index take them from packages beside torch (_rocm_sdk_core, _rocm_sdk_libraries_*); a torch that
 * was built on a machine has them where that machine's loader finds them, as a rule in /opt/rocm. Source: the wheels'
 * build scripts; no such wheel was at hand.
 */
#ifndef MXT_TORCH_ROCM_LIBRARIES_H
#define MXT_TORCH_ROCM_LIBRARIES_H

#include <stdbool.h>

#include "compiler.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_sysroot;

enum mxt_rocm_library_kind {
	MXT_ROCM_HIP,
	MXT_ROCM_HIPBLASLT,
	MXT_ROCM_ROCBLAS,
	MXT_ROCM_RCCL,
	MXT_ROCM_LIBRARY_COUNT
};

#define MXT_ROCM_BUILD 13 /* the first digits of a build id */

struct mxt_rocm_library {
	const char *name;            /* static: "hip", "hipblaslt", "rocblas", "rccl" */
	const char *title;           /* static: "hipBLASLt" */
	char *path;                  /* owned: of the machine; NULL: not found */
	char soname[MXT_TORCH_TEXT]; /* "libhipblaslt.so.1"; "" when it says none */
	/* "1.2.70201", from the file's name behind all links; else the number of its SONAME, "1"; "" without either. */
	char version[MXT_TORCH_TEXT];
	char build[MXT_ROCM_BUILD]; /* of the ELF build id, which tells two builds of a version apart; "" without one */
};

struct mxt_rocm_libraries {
	struct mxt_rocm_library items[MXT_ROCM_LIBRARY_COUNT];
};

#define MXT_CLEANUP_ROCM_LIBRARIES MXT_CLEANUP(mxt_rocm_libraries_finish)

/*
 * Of a torch that is built for ROCm, in install->folder/torch. `search_path`: LD_LIBRARY_PATH, or NULL. What is not
 * there is no error.
 */
int mxt_rocm_libraries_find(const struct mxt_sysroot *root, const struct mxt_torch_install *install,
			    const char *search_path, struct mxt_rocm_libraries *ret_libraries,
			    struct mxt_error *err) MXT_WUR;
void mxt_rocm_libraries_finish(struct mxt_rocm_libraries *libraries);

/* "1.2.70201+3f2a90c1d2e4" as plans name it, "1.2.70201", "build-3f2a90c1d2e4", or "" when nothing is known. */
#define MXT_ROCM_TEXT (MXT_TORCH_TEXT + MXT_ROCM_BUILD + 8)
const char *mxt_rocm_library_text(const struct mxt_rocm_library *library, char text[MXT_ROCM_TEXT]);

/*
 * The version in the name of a library's file: "1.2.70201" of "libhipblaslt.so.1.2.70201" for "libhipblaslt", "1" of
 * "libhipblaslt.so.1", "" of "libhipblaslt.so". False when it is another library's.
 */
bool mxt_rocm_file_parse(const char *name, const char *library, char ret_version[MXT_TORCH_TEXT]);

enum mxt_rocm_answer { MXT_ROCM_UNKNOWN, MXT_ROCM_NO, MXT_ROCM_YES };

/*
 * Was this torch built with the attention of Composable Kernel? By the dynamic symbols of its libtorch_hip.so, the
 * file `path` of the machine: pytorch_flash::mha_fwd_ck() is exported (TORCH_API) where it was, and nothing names it
 * elsewhere (ATen/native/transformers/hip/flash_attn/flash_api.h, 2.7 and later). UNKNOWN: no such library, or a
 * damaged one. 0 or -ENOMEM.
 */
int mxt_rocm_ck_attention(const struct mxt_sysroot *root, const char *path, enum mxt_rocm_answer *ret_answer,
			  struct mxt_error *err) MXT_WUR;

#endif
