/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a shared library says of itself to the loader: its SONAME, the id of its build, the names of its dynamic
 * symbols. Nothing is loaded or mapped, and of a library of hundreds of megabytes little but these is read. Source: the
 * System V ABI's chapters on object files and dynamic linking (elf.h). Files may hold anything.
 */
#ifndef MXT_BASE_ELF_LIBRARY_H
#define MXT_BASE_ELF_LIBRARY_H

#include <stdbool.h>

#include "compiler.h"
#include "elf_file.h"

#define MXT_ELF_SONAME   64
#define MXT_ELF_BUILD_ID 41 /* 20 bytes as hexadecimal digits */

struct mxt_elf_library {
	char soname[MXT_ELF_SONAME];     /* "" when it has none, or a longer one */
	char build_id[MXT_ELF_BUILD_ID]; /* its first bytes when it is longer; "" when it has none */
	struct mxt_elf_range names; /* of the dynamic symbols, each ended by a NUL; a name may be the end of another */
};

/* From an open file, whose position is left alone. 0, or -ENOEXEC when it is no 64-bit little-endian shared library. */
int mxt_elf_library_read(int fd, struct mxt_elf_library *ret_library) MXT_WUR;

/* Do its names hold `part`, which is not empty: as a symbol that it has, or that it needs. 0 or -ENOMEM. */
int mxt_elf_library_names(int fd, const struct mxt_elf_library *library, const char *part, bool *ret_there) MXT_WUR;

#endif
