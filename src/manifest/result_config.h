/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trainer's config as one value of the restricted JSON, the same for texts that mean the same to the trainer.
 *
 * - Numbers are whole numbers, or text: digits, "e" and an exponent ("2e-4"); also where YAML takes a number for text,
 *   as 1e-4, which the trainer reads as one.
 * - Text that is long, has several lines or control characters is {"blake3": its hash}.
 * - Text that begins like a path ("/", "./", "../", "~/") is {"place": true}: places have no part in a result.
 * - Keys of null, and those of result_rules.def, are left out. Null in a list is {"none": true}.
 * - Other keys than of plain ASCII have %XX for each such byte, and for '%'.
 */
#ifndef MXT_MANIFEST_RESULT_CONFIG_H
#define MXT_MANIFEST_RESULT_CONFIG_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;

/*
 * New reference, an object. `overrides`: array of the arguments behind Axolotl's config, which change it, or NULL.
 * MXT_E_YAML_*; `name`: of the file, for messages.
 */
int mxt_result_config(const char *name, const char *text, size_t len, const json_t *overrides, json_t **ret_config,
		      struct mxt_error *err) MXT_WUR;

#endif
