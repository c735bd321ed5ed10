/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who computes, as the libraries themselves tell it: a solution's number means something only together with these, and
 * torch compares them, letter by letter, with what a file of solutions says.
 */
#ifndef MXT_HIP_LIBRARIES_H
#define MXT_HIP_LIBRARIES_H

#include <jansson.h>
#include <stdbool.h>

/*
 * {"arch": "gfx942:sramecc+:xnack-", "hip": {"version": 70253211}} and, where `products` asks for them and torch loaded
 * them, "hipblaslt": {"version": 100202, "revision": "dabb6df2b9"} and "rocblas": {"version": "5.2.0.dabb6df2b9"}. New
 * reference; NULL when memory ran out.
 */
json_t *mxt_hip_libraries(const char *arch, int hip_version, bool products);

#endif
