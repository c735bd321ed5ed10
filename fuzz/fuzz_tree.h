/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine of the fuzzer's making: a list of files, each begun by a line "=== PATH", in a scratch folder in memory.
 */
#ifndef MXT_FUZZ_FUZZ_TREE_H
#define MXT_FUZZ_FUZZ_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MXT_FUZZ_ROOT "/dev/shm/mxt-fuzz-XXXXXX"

/* Makes the folder and its files; `root` begins as MXT_FUZZ_ROOT. False when there is no room for it. */
bool mxt_fuzz_tree_make(char root[sizeof MXT_FUZZ_ROOT], const uint8_t *data, size_t size);
void mxt_fuzz_tree_remove(const char *root);

#endif
