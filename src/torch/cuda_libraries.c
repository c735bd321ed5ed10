/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_libraries.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_NAMES 65536
#define MAX_CUDA  999

static const struct library_row {
	const char *name, *title;
	const char *package; /* its wheel, without what it says of CUDA */
	const char *soname;  /* what its file's name begins with */
	unsigned version;    /* of the SONAME, where the files do not tell; 0: the one of CUDA */
	const char *part;    /* as in struct mxt_cuda_library, without the version */
} library_rows[MXT_CUDA_LIBRARY_COUNT] = {
    [MXT_CUDA_CUDNN] = {"cudnn", "cuDNN", "nvidia_cudnn", "libcudnn.so.", 9, "libcudnn_graph.so."},
    [MXT_CUDA_CUBLAS] = {"cublas", "cuBLAS", "nvidia_cublas", "libcublasLt.so.", 0, NULL},
    [MXT_CUDA_NCCL] = {"nccl", "NCCL", "nvidia_nccl", "libnccl.so.", 2, NULL},
};

/* Of a version of a Python package, PEP 440. */
static const char version_characters[] = "0123456789.+!_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool mxt_cuda_wheel_parse(const char *name, const char *package, unsigned *ret_cuda, char ret_version[MXT_TORCH_TEXT])
{
	static const char end[] = ".dist-info", cu[] = "_cu";
	size_t len = strlen(package), total = strlen(name);
	uint64_t cuda = 0;
	if (strncmp(name, package, len) != 0 || total < len + sizeof end ||
	    strcmp(name + total - (sizeof end - 1), end) != 0)
		return false;
	const char *at = name + len, *stop = name + total - (sizeof end - 1);
	if (strncmp(at, cu, sizeof cu - 1) == 0 &&
	    (mxt_parse_u64(at + sizeof cu - 1, &at, &cuda) < 0 || cuda > MAX_CUDA))
		return false;
	if (*at++ != '-' || at >= stop || (size_t)(stop - at) >= MXT_TORCH_TEXT)
		return false;
	for (const char *c = at; c < stop; c++)
		if (!strchr(version_characters, *c))
			return false;
	memcpy(ret_version, at, (size_t)(stop - at));
	ret_version[stop - at] = '\0';
	*ret_cuda = (unsigned)cuda;
	return true;
}

/*
 * Wheels for several CUDAs write the same files, but for cuBLAS: its wheel for CUDA 12 and older has a folder of its
 * own. Those of cuBLAS that do not say for which CUDA they are came with 13.
 */
static void take_wheel(const struct library_row *row, const char *name, unsigned cuda, struct mxt_cuda_library *library)
{
	unsigned wheel = 0;
	char version[MXT_TORCH_TEXT];
	if (!mxt_cuda_wheel_parse(name, row->package, &wheel, version))
		return;
	bool ours = wheel == cuda || (wheel == 0 && cuda >= 13);
	if (ours)
		memcpy(library->version, version, sizeof version);
	else if (row->version)
		memcpy(library->other, version, sizeof version);
}

/* The digits after the SONAME's beginning; 0 when the file is another one. */
static unsigned soname_version(const struct library_row *row, const char *name)
{
	size_t len = strlen(row->soname);
	uint64_t version = 0;
	const char *end = NULL;
	if (strncmp(name, row->soname, len) != 0 || mxt_parse_u64(name + len, &end, &version) < 0 || *end ||
	    version > MAX_CUDA)
		return 0;
	return (unsigned)version;
}

/* Looks for the library's file in one folder. 0 or -ENOMEM. */
static int look_into(const struct mxt_sysroot *root, const struct library_row *row, const char *folder, unsigned cuda,
		     struct mxt_cuda_library *library)
{
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	if (mxt_sysroot_list(root, folder, MAX_NAMES, &names, NULL) == -ENOMEM)
		return -ENOMEM;
	for (size_t i = 0; i < names.count && !library->path; i++) {
		unsigned version = soname_version(row, names.names[i]);
		if (version == 0 || (row->version == 0 && version != cuda))
			continue;
		if (asprintf(&library->path, "%s/%s", folder, names.names[i]) < 0) {
			library->path = NULL;
			return -ENOMEM;
		}
		(void)snprintf(library->soname, MXT_TORCH_TEXT, "%s%u", row->soname, version);
		if (row->part)
			(void)snprintf(library->part, MXT_TORCH_TEXT, "%s%u", row->part, version);
	}
	return 0;
}

/* In the order of DT_RPATH. */
static int find_file(const struct mxt_sysroot *root, const struct library_row *row, const char *site, unsigned cuda,
		     struct mxt_cuda_library *library)
{
	char *folders[3] = {NULL, NULL, NULL};
	int rc = asprintf(&folders[0], "%s/nvidia/%s/lib", site, row->name) < 0 ||
			 asprintf(&folders[1], "%s/nvidia/cu%u/lib", site, cuda) < 0 ||
			 asprintf(&folders[2], "%s/torch/lib", site) < 0
		     ? -ENOMEM
		     : 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders) && rc == 0; i++)
		rc = look_into(root, row, folders[i], cuda, library);
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders); i++)
		free(folders[i]);
	return rc;
}

static void start_library(const struct library_row *row, unsigned cuda, struct mxt_cuda_library *library)
{
	unsigned version = row->version ? row->version : cuda;
	*library = (struct mxt_cuda_library){.name = row->name, .title = row->title};
	(void)snprintf(library->soname, MXT_TORCH_TEXT, "%s%u", row->soname, version);
	if (row->part)
		(void)snprintf(library->part, MXT_TORCH_TEXT, "%s%u", row->part, version);
}

int mxt_cuda_libraries_find(const struct mxt_sysroot *root, const struct mxt_torch_install *install,
			    struct mxt_cuda_libraries *ret_libraries, struct mxt_error *err)
{
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	struct mxt_cuda_libraries libraries = {{{.path = NULL}}};
	const char *end = NULL;
	uint64_t major = 0;
	if (mxt_parse_u64(install->files.cuda, &end, &major) < 0 || major > MAX_CUDA)
		major = 0;
	int rc = mxt_sysroot_list(root, install->folder, MAX_NAMES, &names, NULL) == -ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; i < MXT_CUDA_LIBRARY_COUNT; i++) {
		struct mxt_cuda_library *library = &libraries.items[i];
		start_library(&library_rows[i], (unsigned)major, library);
		for (size_t k = 0; k < names.count && rc == 0; k++)
			take_wheel(&library_rows[i], names.names[k], (unsigned)major, library);
		if (rc == 0)
			rc = find_file(root, &library_rows[i], install->folder, (unsigned)major, library);
	}
	if (rc < 0) {
		mxt_cuda_libraries_finish(&libraries);
		return mxt_error_oom(err);
	}
	*ret_libraries = libraries;
	return 0;
}

void mxt_cuda_libraries_finish(struct mxt_cuda_libraries *libraries)
{
	for (size_t i = 0; i < MXT_CUDA_LIBRARY_COUNT; i++) {
		free(libraries->items[i].path);
		libraries->items[i].path = NULL;
	}
}
