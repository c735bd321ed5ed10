/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of words in one string, separated by blanks, as tables write them: "lora qlora".
 */
#ifndef MXT_CORE_WORDS_H
#define MXT_CORE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* Index of the word that equals text[0..len), or -1. `any_case`: ASCII letters of either case are equal. */
int mxt_words_index(const char *words, const char *text, size_t len, bool any_case);

/* Appends "lora, qlora". */
void mxt_words_text(const char *words, struct mxt_buf *buf);

#endif
