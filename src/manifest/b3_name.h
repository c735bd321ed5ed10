/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lists for b3sum are called that lie beside a manifest.
 */
#ifndef MXT_MANIFEST_B3_NAME_H
#define MXT_MANIFEST_B3_NAME_H

#include <stddef.h>

struct mxt_buf;
struct mxt_manifest;

/* Appends manifest.b3 for the run's list, manifest.ROLE.b3 for another, manifest.ROLE-N.b3 (N from 1) for one of many.
 */
void mxt_b3_name(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf);

#endif
