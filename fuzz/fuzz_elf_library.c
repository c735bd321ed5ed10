/* SPDX-License-Identifier: Apache-2.0 */
/* What a file that may be a shared library says of itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_library.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void read_it(int fd)
{
	struct mxt_elf_library library;
	bool there = false, again = false;
	if (mxt_elf_library_read(fd, &library) < 0)
		return;
	require(strlen(library.soname) < sizeof library.soname);
	require(strlen(library.build_id) < sizeof library.build_id);
	require(strspn(library.build_id, "0123456789abcdef") == strlen(library.build_id));
	if (mxt_elf_library_names(fd, &library, "_ZN13", &there) < 0)
		return;
	require(mxt_elf_library_names(fd, &library, "_ZN1", &again) < 0 || again || !there);
	require(!library.soname[0] || (mxt_elf_library_names(fd, &library, library.soname, &there) < 0 || there));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("library", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size)
		read_it(fd);
	(void)close(fd);
	return 0;
}
