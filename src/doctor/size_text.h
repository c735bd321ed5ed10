/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes for people.
 */
#ifndef MXT_DOCTOR_SIZE_TEXT_H
#define MXT_DOCTOR_SIZE_TEXT_H

#include <stdint.h>

#define MXT_KIB (UINT64_C(1) << 10)
#define MXT_MIB (UINT64_C(1) << 20)
#define MXT_GIB (UINT64_C(1) << 30)

#define MXT_SIZE_TEXT 32

/* "23.5 GiB", "64 MiB", "512 bytes": one decimal from GiB on, rounded down, whatever the locale. Returns buf. */
const char *mxt_size_text(char buf[MXT_SIZE_TEXT], uint64_t bytes);

#endif
