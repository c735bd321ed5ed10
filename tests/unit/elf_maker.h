/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files in the form of shared libraries, for readers that load nothing. Include after cmocka.h.
 */
#ifndef MXT_TESTS_ELF_MAKER_H
#define MXT_TESTS_ELF_MAKER_H

#include <elf.h>
#include <string.h>

#define ELF_MAKER_BYTES 4096

struct elf_maker {
	const char *soname; /* NULL: none */
	const char *symbol; /* NULL: none */
	unsigned char id;   /* 20 times in its build id; 0: none */
	unsigned char bytes[ELF_MAKER_BYTES];
	size_t len;
};

enum { ELF_NOTES = 256, ELF_DYNAMIC = 304, ELF_NAMES = 368, ELF_ADDRESS = 0x10000 };

static inline void elf_maker_put(struct elf_maker *maker, size_t at, const void *bytes, size_t len)
{
	assert_true(at + len <= sizeof maker->bytes);
	memcpy(maker->bytes + at, bytes, len);
	if (at + len > maker->len)
		maker->len = at + len;
}

/* One loaded segment, whose addresses are not its places in the file; notes and the dynamic section within. */
static inline void elf_maker_heads(struct elf_maker *maker, size_t notes, size_t names)
{
	const Elf64_Phdr segments[] = {
	    {.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = ELF_ADDRESS, .p_filesz = ELF_NAMES + names},
	    {.p_type = PT_DYNAMIC, .p_flags = PF_R, .p_offset = ELF_DYNAMIC, .p_filesz = ELF_NAMES - ELF_DYNAMIC},
	    {.p_type = PT_NOTE, .p_flags = PF_R, .p_offset = ELF_NOTES, .p_filesz = notes},
	};
	const Elf64_Ehdr header = {.e_ident = {127, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
				   .e_type = ET_DYN,
				   .e_machine = EM_X86_64,
				   .e_phoff = sizeof(Elf64_Ehdr),
				   .e_phentsize = sizeof(Elf64_Phdr),
				   .e_phnum = 3};
	elf_maker_put(maker, 0, &header, sizeof header);
	elf_maker_put(maker, sizeof header, segments, sizeof segments);
}

/* Appends a name to the table; its place. */
static inline size_t elf_maker_name(char names[1024], size_t *len, const char *name)
{
	size_t at = *len, size = strlen(name) + 1;
	assert_true(at + size <= 1024);
	memcpy(names + at, name, size);
	*len = at + size;
	return at;
}

static inline void elf_maker_make(struct elf_maker *maker)
{
	const Elf64_Nhdr note = {4, 20, NT_GNU_BUILD_ID};
	unsigned char id[20];
	char names[1024] = "";
	size_t len = 1, soname = 0;
	memset(id, maker->id, sizeof id);
	if (maker->symbol)
		(void)elf_maker_name(names, &len, maker->symbol);
	if (maker->soname)
		soname = elf_maker_name(names, &len, maker->soname);
	const Elf64_Dyn dynamic[4] = {{DT_STRTAB, {ELF_ADDRESS + ELF_NAMES}},
				      {DT_STRSZ, {len}},
				      {maker->soname ? DT_SONAME : DT_NULL, {soname}},
				      {DT_NULL, {0}}};
	maker->len = 0;
	elf_maker_heads(maker, maker->id ? sizeof note + 4 + sizeof id : 0, len);
	elf_maker_put(maker, ELF_NOTES, &note, sizeof note);
	elf_maker_put(maker, ELF_NOTES + sizeof note, "GNU", 4);
	elf_maker_put(maker, ELF_NOTES + sizeof note + 4, id, sizeof id);
	elf_maker_put(maker, ELF_DYNAMIC, dynamic, sizeof dynamic);
	elf_maker_put(maker, ELF_NAMES, names, len);
}

#endif
