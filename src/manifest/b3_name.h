/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lists of a manifest are called, and those for b3sum that lie beside it.
 */
#ifndef MXT_MANIFEST_B3_NAME_H
#define MXT_MANIFEST_B3_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct mxt_buf;
struct mxt_manifest;

/* Appends ROLE; ROLE-N (N from 1) for one of many. */
void mxt_list_label(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf);

/* Appends manifest.b3 for the run's list, manifest.ROLE.b3 for another, manifest.ROLE-N.b3 from the second of its role.
 */
void mxt_b3_name(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf);

/* Whether it is a name of these, of whichever manifest: manifest.b3 or manifest.*.b3. */
bool mxt_b3_is_name(const char *name);

#endif
