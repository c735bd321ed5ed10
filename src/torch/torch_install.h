/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The installations of torch that a Python can import, by their files only: torch/version.py and the metadata of
 * torch-*.dist-info.
 */
#ifndef MXT_TORCH_TORCH_INSTALL_H
#define MXT_TORCH_TORCH_INSTALL_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_python;
struct mxt_sysroot;

#define MXT_TORCH_TEXT 48

/* What torch/version.py says, in printable ASCII. "" where it says nothing, or None. Any text parses. */
struct mxt_torch_version {
	char version[MXT_TORCH_TEXT]; /* "2.15.0+cu130" */
	char cuda[MXT_TORCH_TEXT];    /* "13.0" */
	char hip[MXT_TORCH_TEXT];     /* "7.2.53211" */
};
void mxt_torch_version_parse(const char *text, struct mxt_torch_version *ret_version);

/* The Version field of a wheel's METADATA; "" when it has none. */
void mxt_wheel_version_parse(const char *text, char version[MXT_TORCH_TEXT]);

/* What a build of torch computes on beside the host. */
enum mxt_torch_backend { MXT_TORCH_CPU, MXT_TORCH_CUDA, MXT_TORCH_HIP };
enum mxt_torch_backend mxt_torch_backend_of(const struct mxt_torch_version *version);
const char *mxt_torch_backend_name(enum mxt_torch_backend backend); /* "CPU", "CUDA", "ROCm" */

struct mxt_torch_install {
	const char *folder; /* borrowed from the Python's folders */
	struct mxt_torch_version files;
	char metadata[MXT_TORCH_TEXT]; /* version of the last dist-info; "" without one */
	size_t n_metadata;             /* how many dist-infos: more than one is left over from a broken upgrade */
};

struct mxt_torch_list {
	struct mxt_torch_install *items; /* owned; the first one is imported */
	size_t count;
};

#define MXT_TORCH_LIST_INIT                                                                                            \
	{                                                                                                              \
		NULL, 0                                                                                                \
	}
#define MXT_CLEANUP_TORCH MXT_CLEANUP(mxt_torch_list_finish)

/* "CUDA 13.0", "ROCm 7.2.53211", "CPU only", or "unknown build" into `text`. */
const char *mxt_torch_build(const struct mxt_torch_install *install, char text[MXT_TORCH_TEXT + 8]);

int mxt_torch_find(const struct mxt_sysroot *root, const struct mxt_python *python, struct mxt_torch_list *ret_list,
		   struct mxt_error *err) MXT_WUR;
void mxt_torch_list_finish(struct mxt_torch_list *list);

#endif
