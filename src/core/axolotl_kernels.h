/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of an Axolotl config that put kernels of its own in place of products or losses (axolotl 067b021c of
 * 2026-07-24: utils/schemas/config.py, check_auto_enable_lora_kernels; monkeypatch/lora_kernels.py).
 *
 * The fused LoRA kernels turn themselves on where nothing of the file speaks against it: an adapter lora or qlora; none
 * of lora_{mlp,qkv,o,embedding}_kernel set; no rl, nvfp4_merge_aware or trust_remote_code; not 8-bit LoRA; not FSDP1.
 * What a file does not say: several GPUs under FSDP1 (one would do), a torch before 2.9 with a mixture of experts, and
 * the few architectures that Axolotl lists as unsupported.
 */
#ifndef MXT_CORE_AXOLOTL_KERNELS_H
#define MXT_CORE_AXOLOTL_KERNELS_H

#include "compiler.h"

struct mxt_axolotl_map;
struct mxt_workload;

/* Fills training.fused_lora, lora_dropout, fused_cross_entropy, liger_cross_entropy; the adapter is known already. */
int mxt_axolotl_kernels(const struct mxt_axolotl_map *map, struct mxt_workload *workload) MXT_WUR;

#endif
