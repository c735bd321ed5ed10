/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

_Static_assert(MXT_ELF_X86_64 == EM_X86_64 && MXT_ELF_AARCH64 == EM_AARCH64, "machine numbers are those of elf.h");

static void add_segment(struct mxt_elf *elf, const Elf64_Phdr *header)
{
	if (header->p_type != PT_LOAD || header->p_flags != PF_R || elf->n_constants == MXT_ELF_RANGES_MAX)
		return;
	elf->constants[elf->n_constants++] = (struct mxt_elf_range){header->p_offset, header->p_filesz};
}

int mxt_elf_parse(const unsigned char *bytes, size_t len, struct mxt_elf *ret_elf)
{
	Elf64_Ehdr header;
	if (len < sizeof header)
		return -ENOEXEC;
	memcpy(&header, bytes, sizeof header);
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	struct mxt_elf elf = {.machine = header.e_machine};
	Elf64_Phdr segment;
	if (header.e_phentsize == sizeof segment)
		for (uint64_t i = 0, at = header.e_phoff; i < header.e_phnum; i++, at += sizeof segment) {
			if (at > len || len - at < sizeof segment)
				break;
			memcpy(&segment, bytes + at, sizeof segment);
			add_segment(&elf, &segment);
		}
	*ret_elf = elf;
	return 0;
}
