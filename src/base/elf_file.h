/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The little of a 64-bit little-endian ELF file that is needed to tell libraries apart without loading them.
 */
#ifndef MXT_BASE_ELF_FILE_H
#define MXT_BASE_ELF_FILE_H

#include <stddef.h>
#include <stdint.h>

#define MXT_ELF_HEAD_BYTES 4096 /* how much of a file's start mxt_elf_parse() wants to see */
#define MXT_ELF_RANGES_MAX 8
#define MXT_ELF_LOADS_MAX  16

enum { MXT_ELF_X86_64 = 62, MXT_ELF_AARCH64 = 183 };

/* Bytes of the file. */
struct mxt_elf_range {
	uint64_t offset, size;
};

/* Bytes of the file that the loader puts at an address. */
struct mxt_elf_load {
	uint64_t address;
	struct mxt_elf_range bytes;
};

struct mxt_elf {
	uint16_t machine; /* MXT_ELF_* */
	size_t n_constants;
	struct mxt_elf_range constants[MXT_ELF_RANGES_MAX]; /* segments that are neither writable nor executable */
	size_t n_loads, n_notes;
	struct mxt_elf_load loads[MXT_ELF_LOADS_MAX]; /* those segments, and all others that are loaded */
	struct mxt_elf_range notes[MXT_ELF_RANGES_MAX];
	struct mxt_elf_range dynamic; /* what the loader is told; size 0: nothing */
};

/*
 * From the first bytes of a file, which may be anything. 0, or -ENOEXEC when it is no 64-bit little-endian ELF file.
 * Segments whose headers lie beyond `len` are left out. Ranges are not checked against the size of the file.
 */
int mxt_elf_parse(const unsigned char *bytes, size_t len, struct mxt_elf *ret_elf);

#endif
