/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wheels of torch from AMD's own index (TheRock) bring none of ROCm's libraries, and nothing in them says where these
 * are: torch/_rocm_init.py has Python load them first, from the packages _rocm_sdk_core and _rocm_sdk_libraries*
 * beside torch, so that libtorch_hip.so finds them by their names in the process. Here the same is done without Python.
 * Source: external-builds/pytorch/build_prod_wheels.py and rocm_sdk/_dist_info.py of ROCm/TheRock; no such wheel was
 * at hand.
 */
#ifndef MXT_TORCH_ROCM_PRELOAD_H
#define MXT_TORCH_ROCM_PRELOAD_H

#include "compiler.h"

struct mxt_error;

/*
 * `folder` is ".../site-packages/torch". Does nothing for a torch without _rocm_init.py. What is not there, or cannot
 * be loaded, is left to torch's own libraries, whose message names what they miss. 0 or -ENOMEM. Only for workers.
 */
int mxt_rocm_preload(const char *folder, struct mxt_error *err) MXT_WUR;

#endif
