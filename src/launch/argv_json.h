/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argv.json: the command of a run, for its record.
 */
#ifndef MXT_LAUNCH_ARGV_JSON_H
#define MXT_LAUNCH_ARGV_JSON_H

#include <jansson.h>

/*
 * argv as an array, with secrets masked (secret_text.h), also those that are the word behind an option of such a name.
 * Bytes that are no text become blanks or U+FFFD. New reference; NULL: memory ran out.
 */
json_t *mxt_argv_json(char *const *argv);

#endif
