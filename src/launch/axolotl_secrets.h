/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in an Axolotl config. Axolotl puts the file as it is, with its comments, into the model's card and sends it
 * to its trackers, so that a secret in it is published.
 */
#ifndef MXT_LAUNCH_AXOLOTL_SECRETS_H
#define MXT_LAUNCH_AXOLOTL_SECRETS_H

#include <stddef.h>

#include "axolotl_rules.h"

/* Remarks MXT_E_LAUNCH_SECRET for keys whose names say that they hold one. Never shows a value. */
void mxt_axolotl_secrets_check(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *root,
			       struct mxt_remarks *remarks);

/* The same for words of the text, comments among them, that look like tokens of known services. `bytes` end in NUL. */
void mxt_axolotl_secrets_scan(const char *name, const char *bytes, size_t len, struct mxt_remarks *remarks);

#endif
