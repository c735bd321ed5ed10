/* SPDX-License-Identifier: Apache-2.0 */
#include "library_file.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "cleanup.h"
#include "sysroot.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

/* Linkers put the section headers last: a file that ends before them lost its end. */
static bool is_cut_short(const Elf64_Ehdr *header, uint64_t size)
{
	uint64_t sections = (uint64_t)header->e_shentsize * header->e_shnum;
	return header->e_shoff > size || size - header->e_shoff < sections;
}

static const char *header_fault(const struct mxt_buf *head, uint64_t size)
{
	Elf64_Ehdr header;
	if (head->len < sizeof header || memcmp(head->data, ELFMAG, SELFMAG) != 0)
		return size == 0 ? "is empty" : "is no library";
	memcpy(&header, head->data, sizeof header);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || (MACHINE != EM_NONE && header.e_machine != MACHINE))
		return "is for another processor";
	return is_cut_short(&header, size) ? "is cut short" : NULL;
}

const char *mxt_library_fault(const struct mxt_sysroot *root, const char *path)
{
	MXT_CLEANUP_BUF struct mxt_buf head = MXT_BUF_INIT;
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, path);
	struct stat st;
	if (!full)
		return NULL;
	if (stat(full, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? "is missing" : "cannot be looked at";
	if (!S_ISREG(st.st_mode))
		return "is no file";
	int rc = mxt_sysroot_read(root, path, sizeof(Elf64_Ehdr), &head, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? NULL : "cannot be read";
	return header_fault(&head, (uint64_t)st.st_size);
}
