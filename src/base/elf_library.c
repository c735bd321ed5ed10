/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_library.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define MAX_ENTRIES 1024                  /* of a dynamic section; real ones have some 50 */
#define MAX_NOTES   4096                  /* bytes of one segment of notes */
#define MAX_NAMES   ((uint64_t)512 << 20) /* bytes of names that are searched */
#define CHUNK       ((size_t)1 << 20)

/* Where the bytes of a table of `size` bytes at an address are in the file; size 0 when no segment holds them all. */
static struct mxt_elf_range range_at(const struct mxt_elf *elf, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < elf->n_loads; i++) {
		const struct mxt_elf_load *load = &elf->loads[i];
		uint64_t behind = address - load->address;
		if (address < load->address || behind > load->bytes.size || load->bytes.size - behind < size ||
		    behind > UINT64_MAX - load->bytes.offset)
			continue;
		return (struct mxt_elf_range){load->bytes.offset + behind, size};
	}
	return (struct mxt_elf_range){0, 0};
}

/* A name at its place in the table; left "" when it does not end in time. */
static void read_soname(int fd, const struct mxt_elf_range *names, uint64_t at, char soname[MXT_ELF_SONAME])
{
	char text[MXT_ELF_SONAME];
	if (at >= names->size)
		return;
	uint64_t left = names->size - at;
	size_t want = left < sizeof text ? (size_t)left : sizeof text;
	size_t got = mxt_file_read_at(fd, text, want, names->offset + at);
	if (memchr(text, '\0', got))
		memcpy(soname, text, strlen(text) + 1);
}

static void read_dynamic(int fd, const struct mxt_elf *elf, struct mxt_elf_library *library)
{
	uint64_t table = 0, size = 0, soname = UINT64_MAX;
	for (uint64_t i = 0; i < MAX_ENTRIES && i < elf->dynamic.size / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn entry;
		uint64_t offset = elf->dynamic.offset + i * sizeof entry;
		if (mxt_file_read_at(fd, &entry, sizeof entry, offset) < sizeof entry || entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			table = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			size = entry.d_un.d_val;
		else if (entry.d_tag == DT_SONAME)
			soname = entry.d_un.d_val;
	}
	library->names = range_at(elf, table, size);
	read_soname(fd, &library->names, soname, library->soname);
}

static void take_build_id(const unsigned char *bytes, size_t len, char build_id[MXT_ELF_BUILD_ID])
{
	size_t most = (MXT_ELF_BUILD_ID - 1) / 2;
	for (size_t i = 0; i < len && i < most; i++)
		(void)snprintf(build_id + 2 * i, 3, "%02x", bytes[i]);
}

static uint64_t aligned(uint64_t size)
{
	return (size + 3) / 4 * 4;
}

/* Each is a header, a name and a description, the last two filled up to four bytes. */
static void read_notes(int fd, const struct mxt_elf_range *range, char build_id[MXT_ELF_BUILD_ID])
{
	static const char owner[] = "GNU";
	unsigned char bytes[MAX_NOTES];
	size_t want = range->size < sizeof bytes ? (size_t)range->size : sizeof bytes;
	uint64_t len = mxt_file_read_at(fd, bytes, want, range->offset), at = 0;
	Elf64_Nhdr note;
	while (len - at >= sizeof note) {
		memcpy(&note, bytes + at, sizeof note);
		at += sizeof note;
		uint64_t name = aligned(note.n_namesz), description = aligned(note.n_descsz);
		if (name > len - at || note.n_descsz > len - at - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
		    memcmp(bytes + at, owner, sizeof owner) == 0)
			take_build_id(bytes + at + name, note.n_descsz, build_id);
		at += name;
		at += description < len - at ? description : len - at;
	}
}

int mxt_elf_library_read(int fd, struct mxt_elf_library *ret_library)
{
	unsigned char head[MXT_ELF_HEAD_BYTES];
	struct mxt_elf elf;
	struct mxt_elf_library library = {.soname = ""};
	if (mxt_elf_parse(head, mxt_file_read_at(fd, head, sizeof head, 0), &elf) < 0 || elf.dynamic.size == 0)
		return -ENOEXEC;
	read_dynamic(fd, &elf, &library);
	for (size_t i = 0; i < elf.n_notes && !library.build_id[0]; i++)
		read_notes(fd, &elf.notes[i], library.build_id);
	*ret_library = library;
	return 0;
}

int mxt_elf_library_names(int fd, const struct mxt_elf_library *library, const char *part, bool *ret_there)
{
	size_t kept = strlen(part) - 1; /* of a chunk: the part may begin in one and end in the next */
	uint64_t size = library->names.size < MAX_NAMES ? library->names.size : MAX_NAMES;
	MXT_CLEANUP_FREE char *bytes = malloc(CHUNK + kept);
	if (!bytes)
		return -ENOMEM;
	bool there = false;
	size_t held = 0;
	for (uint64_t at = 0; at < size && !there;) {
		size_t want = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		size_t got = mxt_file_read_at(fd, bytes + held, want, library->names.offset + at);
		size_t all = held + got;
		there = memmem(bytes, all, part, kept + 1) != NULL;
		at = got < want ? size : at + got; /* a file that is cut short has no more */
		held = all < kept ? all : kept;
		memmove(bytes, bytes + all - held, held);
	}
	*ret_there = there;
	return 0;
}
