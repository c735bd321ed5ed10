/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What computes attention today, in what --print-workload shows.
 */
#ifndef MXT_CLI_PRINT_TODAY_H
#define MXT_CLI_PRINT_TODAY_H

#include <jansson.h>
#include <stdio.h>

struct mxt_attention_today;

/* "attention today: flash_attention_2 by flash_attn 2.8.3, documents isolated" */
void mxt_print_today(FILE *out, const struct mxt_attention_today *today);

/* name, isolation, note (absent when there is none), starts, modelled; NULL when memory ran out. */
json_t *mxt_print_today_json(const struct mxt_attention_today *today);

#endif
