/* SPDX-License-Identifier: Apache-2.0 */
#include "rocm_libraries.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "elf_library.h"
#include "error.h"
#include "library_folders.h"
#include "number.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_NAMES   65536
#define MAX_FOLDERS 512

static const struct library_row {
	const char *name, *title;
	const char *file; /* what its file's name begins with */
} library_rows[MXT_ROCM_LIBRARY_COUNT] = {
    [MXT_ROCM_HIP] = {"hip", "HIP", "libamdhip64"},
    [MXT_ROCM_HIPBLASLT] = {"hipblaslt", "hipBLASLt", "libhipblaslt"},
    [MXT_ROCM_ROCBLAS] = {"rocblas", "rocBLAS", "librocblas"},
    [MXT_ROCM_RCCL] = {"rccl", "RCCL", "librccl"},
};

bool mxt_rocm_file_parse(const char *name, const char *library, char ret_version[MXT_TORCH_TEXT])
{
	static const char so[] = ".so";
	size_t len = strlen(library);
	if (strncmp(name, library, len) != 0 || strncmp(name + len, so, sizeof so - 1) != 0)
		return false;
	const char *version = name + len + sizeof so - 1;
	if (*version != '\0' && (version[0] != '.' || version[1] < '0' || version[1] > '9'))
		return false;
	version += *version == '.';
	size_t size = strlen(version);
	if (size >= MXT_TORCH_TEXT || strspn(version, "0123456789.") != size)
		return false;
	memcpy(ret_version, version, size + 1);
	return true;
}

/* The first number of a version; -1 when it has none. */
static int64_t first_number(const char *version)
{
	const char *end = NULL;
	uint64_t number = 0;
	return mxt_parse_u64(version, &end, &number) < 0 || number > INT32_MAX ? -1 : (int64_t)number;
}

/*
 * The name in this folder that the loader is asked for: with one number, the newest. Only wheels' copies (`renamed`)
 * are asked for without any. NULL when there is none; HIP of another major version than torch's is none.
 */
static const char *name_in(const struct mxt_name_list *names, const struct library_row *row, int64_t major,
			   bool renamed)
{
	const char *best = NULL;
	int64_t best_number = renamed ? -2 : -1;
	for (size_t i = 0; i < names->count; i++) {
		char version[MXT_TORCH_TEXT];
		if (!mxt_rocm_file_parse(names->names[i], row->file, version) || strchr(version, '.'))
			continue;
		int64_t number = first_number(version);
		bool fits = number < 0 || major < 0 || number == major;
		if (fits && number > best_number) {
			best = names->names[i];
			best_number = number;
		}
	}
	return best;
}

/* Where the libraries may be, in the loader's order. */
struct places {
	struct mxt_name_list folders;
	size_t room;
};

static int add_place(struct places *places, const char *folder)
{
	if (places->folders.count == places->room)
		return 0;
	char *copy = strdup(folder);
	if (!copy)
		return -ENOMEM;
	places->folders.names[places->folders.count++] = copy;
	return 0;
}

/* PARENT/NAME/lib for every name in the parent that begins so. */
static int add_siblings(const struct mxt_sysroot *root, const char *parent, const char *start, struct places *places)
{
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	if (mxt_sysroot_list(root, parent, MAX_NAMES, &names, NULL) == -ENOMEM)
		return -ENOMEM;
	int rc = 0;
	for (size_t i = 0; i < names.count && rc == 0; i++) {
		MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
		if (strncmp(names.names[i], start, strlen(start)) != 0)
			continue;
		mxt_buf_printf(&folder, "%s/%s/lib", parent, names.names[i]);
		rc = folder.failed ? -ENOMEM : add_place(places, mxt_buf_text(&folder));
	}
	return rc;
}

static int add_loader(const struct mxt_sysroot *root, const char *search_path, struct places *places)
{
	MXT_CLEANUP_NAMES struct mxt_name_list folders = MXT_NAME_LIST_INIT;
	int rc = mxt_library_folders(root, search_path, &folders, NULL);
	for (size_t i = 0; i < folders.count && rc == 0; i++)
		rc = add_place(places, folders.names[i]);
	return rc;
}

static int list_places(const struct mxt_sysroot *root, const char *site, const char *search_path, struct places *places)
{
	MXT_CLEANUP_BUF struct mxt_buf own = MXT_BUF_INIT;
	places->folders.names = calloc(MAX_FOLDERS, sizeof *places->folders.names);
	places->room = MAX_FOLDERS;
	mxt_buf_printf(&own, "%s/torch/lib", site);
	int rc = places->folders.names && !own.failed ? add_place(places, mxt_buf_text(&own)) : -ENOMEM;
	if (rc == 0)
		rc = add_siblings(root, site, "_rocm_sdk_", places);
	if (rc == 0)
		rc = add_loader(root, search_path, places);
	return rc == 0 ? add_siblings(root, "/opt", "rocm", places) : rc;
}

/* What the file itself says. One that cannot be read, or is no library, leaves that empty. */
static int read_file(const struct mxt_sysroot *root, const struct library_row *row, struct mxt_rocm_library *library)
{
	MXT_CLEANUP_FREE char *target = NULL;
	int rc = mxt_sysroot_resolve(root, library->path, &target, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	MXT_CLEANUP_CLOSE int fd = mxt_sysroot_open(root, target);
	struct mxt_elf_library elf = {.soname = ""};
	if (fd == -ENOMEM)
		return fd;
	if (fd >= 0 && mxt_elf_library_read(fd, &elf) < 0)
		elf.soname[0] = elf.build_id[0] = '\0';
	(void)snprintf(library->soname, sizeof library->soname, "%.*s", MXT_TORCH_TEXT - 1, elf.soname);
	(void)snprintf(library->build, sizeof library->build, "%.*s", MXT_ROCM_BUILD - 1, elf.build_id);
	const char *slash = strrchr(target, '/');
	if ((!mxt_rocm_file_parse(slash ? slash + 1 : target, row->file, library->version) || !library->version[0]) &&
	    !mxt_rocm_file_parse(elf.soname, row->file, library->version))
		library->version[0] = '\0';
	return 0;
}

static int find_library(const struct mxt_sysroot *root, const struct library_row *row, int64_t major,
			const struct places *places, struct mxt_rocm_library *library)
{
	for (size_t i = 0; i < places->folders.count && !library->path; i++) {
		MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
		const char *folder = places->folders.names[i];
		if (mxt_sysroot_list(root, folder, MAX_NAMES, &names, NULL) == -ENOMEM)
			return -ENOMEM;
		const char *name = name_in(&names, row, major, i == 0); /* the first is torch/lib */
		if (name && asprintf(&library->path, "%s/%s", folder, name) < 0) {
			library->path = NULL;
			return -ENOMEM;
		}
	}
	return library->path ? read_file(root, row, library) : 0;
}

int mxt_rocm_libraries_find(const struct mxt_sysroot *root, const struct mxt_torch_install *install,
			    const char *search_path, struct mxt_rocm_libraries *ret_libraries, struct mxt_error *err)
{
	struct mxt_rocm_libraries libraries = {{{.path = NULL}}};
	struct places places = {.room = 0};
	int rc = list_places(root, install->folder, search_path, &places);
	for (size_t i = 0; i < MXT_ROCM_LIBRARY_COUNT; i++) {
		const struct library_row *row = &library_rows[i];
		libraries.items[i] = (struct mxt_rocm_library){.name = row->name, .title = row->title};
		int64_t major = i == MXT_ROCM_HIP ? first_number(install->files.hip) : -1;
		if (rc == 0)
			rc = find_library(root, row, major, &places, &libraries.items[i]);
	}
	mxt_name_list_finish(&places.folders);
	if (rc < 0) {
		mxt_rocm_libraries_finish(&libraries);
		return mxt_error_oom(err);
	}
	*ret_libraries = libraries;
	return 0;
}

void mxt_rocm_libraries_finish(struct mxt_rocm_libraries *libraries)
{
	for (size_t i = 0; i < MXT_ROCM_LIBRARY_COUNT; i++) {
		free(libraries->items[i].path);
		libraries->items[i].path = NULL;
	}
}

const char *mxt_rocm_library_text(const struct mxt_rocm_library *library, char text[MXT_ROCM_TEXT])
{
	const char *mark = !library->build[0] ? "" : library->version[0] ? "+" : "build-";
	(void)snprintf(text, MXT_ROCM_TEXT, "%s%s%s", library->version, mark, library->build);
	return text;
}

/* Of pytorch_flash::mha_fwd_ck(), whatever its arguments. */
#define CK_SYMBOL "_ZN13pytorch_flash10mha_fwd_ckE"

int mxt_rocm_ck_attention(const struct mxt_sysroot *root, const char *path, enum mxt_rocm_answer *ret_answer,
			  struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int fd = mxt_sysroot_open(root, path);
	struct mxt_elf_library library;
	bool there = false;
	if (fd == -ENOMEM)
		return mxt_error_oom(err);
	bool readable = fd >= 0 && mxt_elf_library_read(fd, &library) == 0 && library.names.size > 0;
	if (readable && mxt_elf_library_names(fd, &library, CK_SYMBOL, &there) < 0)
		return mxt_error_oom(err);
	*ret_answer = !readable ? MXT_ROCM_UNKNOWN : there ? MXT_ROCM_YES : MXT_ROCM_NO;
	return 0;
}
