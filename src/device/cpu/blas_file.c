/* SPDX-License-Identifier: Apache-2.0 */
#include "blas_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "elf_file.h"
#include "error.h"
#include "file.h"
#include "host_cpu.h"
#include "library_folders.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_CONSTANTS ((size_t)16 << 20) /* bytes of one segment that are searched for a version */

struct kind_row {
	const char *name, *title, *soname;
	const char *const *places; /* NULL-ended, below each of the loader's folders, in order of preference */
	bool (*version)(const char *bytes, size_t len, char *ret_version);
};

/* Fedora's multi-threaded builds have names of their own beside the serial libopenblas; Debian's have folders. */
static const char *const openblas_places[] = {
    "libopenblasp.so.0",
    "libopenblaso.so.0",
    "libopenblas.so.0",
    "openblas-pthread/libopenblas.so.0",
    "openblas-openmp/libopenblas.so.0",
    "openblas-serial/libopenblas.so.0",
    NULL,
};

static const char *const blis_places[] = {
    "libblis.so.4", "blis-pthread/libblis.so.4", "blis-openmp/libblis.so.4", "blis-serial/libblis.so.4", NULL,
};

static bool openblas_version(const char *bytes, size_t len, char *ret_version)
{
	return mxt_version_after(bytes, len, "OpenBLAS ", ret_version);
}

static bool blis_version(const char *bytes, size_t len, char *ret_version)
{
	return mxt_version_alone(bytes, len, ret_version);
}

static const struct kind_row kinds[MXT_BLAS_KIND_COUNT] = {
    [MXT_BLAS_OPENBLAS] = {"openblas", "OpenBLAS", "libopenblas.so.0", openblas_places, openblas_version},
    [MXT_BLAS_BLIS] = {"blis", "BLIS", "libblis.so.4", blis_places, blis_version},
};

const char *mxt_blas_name(enum mxt_blas_kind kind)
{
	return kinds[kind].name;
}

const char *mxt_blas_title(enum mxt_blas_kind kind)
{
	return kinds[kind].title;
}

const char *mxt_blas_soname(enum mxt_blas_kind kind)
{
	return kinds[kind].soname;
}

const char *mxt_blas_threading_name(enum mxt_blas_threading value)
{
	static const char *const names[] = {"unknown", "serial", "pthread", "openmp"};
	return names[value];
}

/*
 * A library of another architecture is passed over, as the loader does; a damaged one is not. 1, 0, or -ENOMEM.
 */
static int is_for(const struct mxt_sysroot *root, const struct mxt_host_cpu *cpu, const char *target)
{
	MXT_CLEANUP_CLOSE int fd = mxt_sysroot_open(root, target);
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	unsigned char head[64];
	size_t len = mxt_file_read_at(fd, head, sizeof head, 0);
	if (len < 5 || memcmp(head, "\177ELF", 4) != 0)
		return true;
	struct mxt_elf elf;
	if (mxt_elf_parse(head, len, &elf) < 0)
		return head[4] != 1; /* 1: the 32-bit class */
	return elf.machine == (cpu->kind == MXT_CPU_ARM ? MXT_ELF_AARCH64 : MXT_ELF_X86_64);
}

/* Takes FOLDER/PLACE when it is there; *file is left alone when it is not. */
static int try_place(const struct mxt_sysroot *root, const struct mxt_host_cpu *cpu, const char *folder,
		     const char *place, struct mxt_blas_file *file)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_FREE char *target = NULL;
	mxt_buf_printf(&path, "%s/%s", folder, place);
	if (path.failed)
		return -ENOMEM;
	int rc = mxt_sysroot_resolve(root, path.data, &target, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	rc = is_for(root, cpu, target);
	if (rc <= 0)
		return rc;
	if (root->tap)
		root->tap->seen(root->tap->context, path.data);
	file->path = mxt_buf_steal(&path);
	file->target = mxt_steal_ptr(&target);
	return file->path ? 0 : -ENOMEM;
}

static int find_path(const struct mxt_sysroot *root, const struct mxt_host_cpu *cpu, const char *const *places,
		     struct mxt_blas_file *file, struct mxt_error *err)
{
	MXT_CLEANUP_NAMES struct mxt_name_list folders = MXT_NAME_LIST_INIT;
	const char *search_path = mxt_sysroot_is_live(root) ? getenv("LD_LIBRARY_PATH") : NULL;
	int rc = mxt_library_folders(root, search_path, &folders, err);
	if (rc < 0)
		return rc;
	for (const char *const *place = places; *place && !file->path; place++)
		for (size_t i = 0; i < folders.count && !file->path; i++)
			if (try_place(root, cpu, folders.names[i], *place, file) < 0)
				return mxt_error_oom(err);
	return 0;
}

/* Searches one segment of constants; its memory is not kept. */
static bool version_in_range(int fd, const struct mxt_elf_range *range, const struct kind_row *kind, char *ret_version)
{
	size_t size = range->size < MAX_CONSTANTS ? (size_t)range->size : MAX_CONSTANTS;
	MXT_CLEANUP_FREE char *bytes = malloc(size ? size : 1);
	return bytes && kind->version(bytes, mxt_file_read_at(fd, bytes, size, range->offset), ret_version);
}

/* From the end: compilers put string constants into the last such segment, symbol names into the first. */
static bool version_in_file(const struct mxt_sysroot *root, const char *target, const struct kind_row *kind,
			    char *ret_version)
{
	MXT_CLEANUP_CLOSE int fd = mxt_sysroot_open(root, target);
	unsigned char head[MXT_ELF_HEAD_BYTES];
	struct mxt_elf elf;
	if (fd < 0 || mxt_elf_parse(head, mxt_file_read_at(fd, head, sizeof head, 0), &elf) < 0)
		return false;
	for (size_t i = elf.n_constants; i > 0; i--)
		if (version_in_range(fd, &elf.constants[i - 1], kind, ret_version))
			return true;
	return false;
}

struct threading_row {
	const char *part; /* of the path behind all links */
	enum mxt_blas_threading threading;
};

/* Folders before file names: Debian's OpenMP build is called libopenblasp, too. */
static const struct threading_row threading_rows[] = {
    {"-pthread/", MXT_BLAS_PTHREAD},    {"-openmp/", MXT_BLAS_OPENMP},       {"-serial/", MXT_BLAS_SERIAL},
    {"/libopenblaso", MXT_BLAS_OPENMP}, {"/libopenblasp", MXT_BLAS_PTHREAD},
};

static enum mxt_blas_threading threading_of(const char *target)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(threading_rows); i++)
		if (strstr(target, threading_rows[i].part))
			return threading_rows[i].threading;
	return MXT_BLAS_UNKNOWN;
}

int mxt_blas_file_find(const struct mxt_sysroot *root, const struct mxt_host_cpu *cpu, enum mxt_blas_kind kind,
		       struct mxt_blas_file *ret_file, struct mxt_error *err)
{
	const struct kind_row *row = &kinds[kind];
	MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
	int rc = find_path(root, cpu, row->places, &file, err);
	if (rc < 0)
		return rc;
	if (file.path) {
		file.threading = threading_of(file.target);
		if (!mxt_version_in_name(strrchr(file.target, '/'), "-r", file.version) &&
		    !version_in_file(root, file.target, row, file.version))
			memcpy(file.version, "unknown", sizeof "unknown");
	}
	*ret_file = file;
	file = (struct mxt_blas_file)MXT_BLAS_FILE_INIT;
	return 0;
}

void mxt_blas_file_finish(struct mxt_blas_file *file)
{
	free(file->path);
	free(file->target);
	*file = (struct mxt_blas_file)MXT_BLAS_FILE_INIT;
}
