/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in text that is to be kept: by the names they are given to, and by the looks of known services' tokens. It
 * masks too much rather than too little, and promises nothing of a secret that looks like any other word.
 */
#ifndef MXT_LAUNCH_SECRET_TEXT_H
#define MXT_LAUNCH_SECRET_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct mxt_buf;

/* Stands where a secret was. */
#define MXT_SECRET_MASK "[masked]"

/* Has the name of an option, a variable or a key a word that says so? "HF_TOKEN", "--wandb-api-key", "hubPassword". */
bool mxt_secret_name(const char *name, size_t len);

/*
 * Appends a text with its secrets masked: NAME=VALUE and "--name value" with such a name, the tokens of services that
 * are known by their prefix, and passwords in addresses (scheme://user:password@host).
 */
void mxt_secret_mask(const char *text, struct mxt_buf *buf);

#endif
