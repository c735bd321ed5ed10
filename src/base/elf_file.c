/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

_Static_assert(MXT_ELF_X86_64 == EM_X86_64 && MXT_ELF_AARCH64 == EM_AARCH64, "machine numbers are those of elf.h");

static void add_range(struct mxt_elf_range ranges[], size_t *count, const struct mxt_elf_range *range)
{
	if (*count < MXT_ELF_RANGES_MAX)
		ranges[(*count)++] = *range;
}

static void add_load(struct mxt_elf *elf, const Elf64_Phdr *header, const struct mxt_elf_range *bytes)
{
	if (header->p_flags == PF_R)
		add_range(elf->constants, &elf->n_constants, bytes);
	if (elf->n_loads < MXT_ELF_LOADS_MAX)
		elf->loads[elf->n_loads++] = (struct mxt_elf_load){header->p_vaddr, *bytes};
}

static void add_segment(struct mxt_elf *elf, const Elf64_Phdr *header)
{
	const struct mxt_elf_range bytes = {header->p_offset, header->p_filesz};
	if (header->p_type == PT_LOAD)
		add_load(elf, header, &bytes);
	else if (header->p_type == PT_NOTE)
		add_range(elf->notes, &elf->n_notes, &bytes);
	else if (header->p_type == PT_DYNAMIC)
		elf->dynamic = bytes;
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
