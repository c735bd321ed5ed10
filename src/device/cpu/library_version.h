/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Version numbers in file names and in the constants of libraries.
 */
#ifndef MXT_CPU_LIBRARY_VERSION_H
#define MXT_CPU_LIBRARY_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#define MXT_VERSION_SIZE 32

/* "0.3.21" of "libopenblasp-r0.3.21.so": the digits and dots after `mark` ("-r"). False when there are none. */
bool mxt_version_in_name(const char *name, const char *mark, char ret_version[MXT_VERSION_SIZE]);

/* The digits and dots that follow `prefix` where it begins a string of `bytes` ("OpenBLAS 0.3.21 NO_LAPACKE …"). */
bool mxt_version_after(const char *bytes, size_t len, const char *prefix, char ret_version[MXT_VERSION_SIZE]);

/* The one whole string of `bytes` that is a version ("0.9.0", "1.0-rc0"); false when none is, or different ones are. */
bool mxt_version_alone(const char *bytes, size_t len, char ret_version[MXT_VERSION_SIZE]);

#endif
