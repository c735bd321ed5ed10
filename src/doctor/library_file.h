/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a shared library, as far as the head and the size of its file tell without loading it.
 */
#ifndef MXT_DOCTOR_LIBRARY_FILE_H
#define MXT_DOCTOR_LIBRARY_FILE_H

struct mxt_sysroot;

/* Static: "is missing" and the like, to follow the file's name; NULL when nothing is known to be wrong. */
const char *mxt_library_fault(const struct mxt_sysroot *root, const char *path);

#endif
