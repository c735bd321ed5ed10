/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatcher of the stand-in torch: operators by name, arguments and results on a stack of 64-bit values
 * (StableIValue of torch/csrc/stable/library.h).
 */
#ifndef MXT_SIM_DISPATCHER_H
#define MXT_SIM_DISPATCHER_H

#include <stdint.h>

/*
 * Every argument of the schema is on the stack; tensors are handles that the call takes over, floats their bits, an
 * optional one a pointer to a value from malloc() that the call frees, or 0. Results replace them from the front. 0, or
 * 1 and raised: the arguments are gone then too, except where the operator is not known.
 */
int mxt_sim_dispatch(const char *name, const char *overload, uint64_t *stack);

#endif
