/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This program was written without an AMD GPU at hand. What it takes for granted about AMD's libraries was read in
 * headers and sources, and is checked where it is first met.
 */
#ifndef MXT_HIP_FIRST_CONTACT_H
#define MXT_HIP_FIRST_CONTACT_H

#include "compiler.h"

struct mxt_error;

/*
 * -EIO, MXT_E_FIRST_CONTACT: `assumption` ("HIP and the driver tell the same memory") does not hold, for what was seen;
 * the text says how to report it. It names its id, too: of a worker's errors only the text gets to the user.
 */
int mxt_first_contact_failed(struct mxt_error *err, const char *assumption, const char *seen, ...) MXT_PRINTF(3, 4);

#endif
