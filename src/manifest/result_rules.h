/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of result_rules.def.
 */
#ifndef MXT_MANIFEST_RESULT_RULES_H
#define MXT_MANIFEST_RESULT_RULES_H

#include <stdbool.h>

enum mxt_result_part {
	MXT_RESULT_NO_PART,
	MXT_RESULT_TENSORS,
	MXT_RESULT_TOKENIZER,
};

/* Of a file by its name, or its path in a checkpoint's folder. */
enum mxt_result_part mxt_result_part_of(const char *path);

/* Whether a key of the config takes no part: "output_dir", "datasets.path". */
bool mxt_result_omits_key(const char *key);

#endif
