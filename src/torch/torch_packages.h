/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The versions of the libraries that came with a torch as wheels of their own, by the names of their .dist-info folders
 * beside it. Nothing is loaded.
 */
#ifndef MXT_TORCH_TORCH_PACKAGES_H
#define MXT_TORCH_TORCH_PACKAGES_H

#include "compiler.h"
#include "torch_install.h"

struct mxt_error;

struct mxt_torch_packages {
	char cudnn[MXT_TORCH_TEXT]; /* "9.26.0.51"; "" when there is no such wheel */
	char cublas[MXT_TORCH_TEXT];
	char nccl[MXT_TORCH_TEXT];
};

/*
 * `folder` is torch's own, ".../site-packages/torch". A folder that cannot be listed has no packages. Of two versions
 * of one library the greater name counts, so that the answer does not depend on the order of the folder.
 */
int mxt_torch_packages_read(const char *folder, struct mxt_torch_packages *ret_packages, struct mxt_error *err) MXT_WUR;

#endif
