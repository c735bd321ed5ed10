/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what is installed to what decides which attention a config gets.
 */
#ifndef MXT_TORCH_ATTENTION_STACK_H
#define MXT_TORCH_ATTENTION_STACK_H

#include "attention_today.h"

struct mxt_python_packages;

/*
 * `torch`: its version; NULL: the Python has none, and so is not the one that trains: nothing follows from what it
 * lacks. `vendor`: of the GPU, "nvidia" or "amd"; NULL: it is none of these. Everything is borrowed.
 */
struct mxt_attention_stack mxt_attention_stack_of(char *const *environment, const struct mxt_python_packages *packages,
						  const char *torch, const char *vendor);

#endif
