/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One `properties` file of the topology that amdgpu's compute driver (KFD) shows: lines "key value" with unsigned
 * numbers. Files come from the kernel or from a recorded machine, and are trusted in nothing.
 */
#ifndef MXT_HIP_KFD_PROPERTIES_H
#define MXT_HIP_KFD_PROPERTIES_H

#include <stdint.h>

#include "compiler.h"

/* A node: a CPU socket, a card, or a partition of a card. */
struct mxt_kfd_node {
#define MXT_KFD_NODE(key) uint64_t key;
#include "kfd_keys.def"
#undef MXT_KFD_NODE
};

struct mxt_kfd_bank {
#define MXT_KFD_BANK(key) uint64_t key;
#include "kfd_keys.def"
#undef MXT_KFD_BANK
};

struct mxt_kfd_link {
#define MXT_KFD_LINK(key) uint64_t key;
#include "kfd_keys.def"
#undef MXT_KFD_LINK
};

#define MXT_KFD_XGMI 11

/* Unknown keys are skipped. -EINVAL when a line is no key with a number, or a text has no line at all. */
int mxt_kfd_node_parse(const char *text, struct mxt_kfd_node *ret_node) MXT_WUR;
int mxt_kfd_bank_parse(const char *text, struct mxt_kfd_bank *ret_bank) MXT_WUR;
int mxt_kfd_link_parse(const char *text, struct mxt_kfd_link *ret_link) MXT_WUR;

/* "gfx942" of 90402, "gfx90a" of 90010, into `name`; "" of 0 and of what is no version. */
#define MXT_AMD_ARCH 16
const char *mxt_kfd_arch(uint64_t gfx_target_version, char name[MXT_AMD_ARCH]);

#endif
