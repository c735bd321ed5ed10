/* SPDX-License-Identifier: Apache-2.0 */
#include "rocm_preload.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "dltable.h"
#include "error.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define PACKAGES  "_rocm_sdk_"
#define MAX_NAMES 65536

/* In TheRock's order; rocBLAS, which it leaves to hipBLAS, is asked for by torch, too. */
static const struct library_row {
	const char *file; /* what its name is up to ".so" */
	const char *folder;
} library_rows[] = {
    {"libamd_comgr", "lib"},
    {"libamd_smi", "lib"},
    {"libamdhip64", "lib"},
    {"librocprofiler-sdk", "lib"},
    {"librocprofiler-sdk-roctx", "lib"},
    {"libroctracer64", "lib"},
    {"libroctx64", "lib"},
    {"libhiprtc", "lib"},
    {"libhipblas", "lib"},
    {"libhipfft", "lib"},
    {"libhiprand", "lib"},
    {"libhipsparse", "lib"},
    {"libhipsparselt", "lib"},
    {"libhipsolver", "lib"},
    {"librccl", "lib"},
    {"libhipblaslt", "lib"},
    {"librocblas", "lib"},
    {"libMIOpen", "lib"},
    {"libhipdnn", "lib"},
    {"librocm_sysdeps_liblzma", "lib/rocm_sysdeps/lib"},
    {"librocm-openblas", "lib/host-math/lib"},
    {"librocm_smi64", "lib"},
};

static const struct mxt_sysroot live = MXT_SYSROOT_LIVE;

/* The first of its names: "libhipblaslt.so" before "libhipblaslt.so.1", which are the same file. NULL: none. */
static const char *name_in(const struct mxt_name_list *names, const char *file)
{
	static const char so[] = ".so";
	size_t len = strlen(file);
	for (size_t i = 0; i < names->count; i++)
		if (strncmp(names->names[i], file, len) == 0 && strncmp(names->names[i] + len, so, sizeof so - 1) == 0)
			return names->names[i];
	return NULL;
}

/* It stays loaded after its handle is given back. */
static int load(const char *path, struct mxt_error *err)
{
	const char *const names[] = {path, NULL};
	const struct mxt_dl_library library = {.title = "a library of ROCm", .names = names, .global = true};
	struct mxt_dl dl = MXT_DL_INIT;
	int rc = mxt_dl_open(&library, NULL, &dl, NULL); /* there are no rows to write */
	mxt_dl_close(&dl);
	return rc == -ENOMEM ? mxt_error_oom(err) : 0;
}

static int load_from(const char *site, const char *package, const struct library_row *row, struct mxt_error *err)
{
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s/%s", site, package, row->folder);
	if (path.failed || mxt_sysroot_list(&live, mxt_buf_text(&path), MAX_NAMES, &names, NULL) == -ENOMEM)
		return mxt_error_oom(err);
	const char *name = name_in(&names, row->file);
	if (!name)
		return 0;
	mxt_buf_printf(&path, "/%s", name);
	return path.failed ? mxt_error_oom(err) : load(mxt_buf_text(&path), err);
}

static int load_all(const char *site, struct mxt_error *err)
{
	MXT_CLEANUP_NAMES struct mxt_name_list packages = MXT_NAME_LIST_INIT;
	int rc = 0;
	if (mxt_sysroot_list(&live, site, MAX_NAMES, &packages, NULL) == -ENOMEM)
		return mxt_error_oom(err);
	for (size_t i = 0; i < MXT_ARRAY_LEN(library_rows); i++)
		for (size_t k = 0; rc == 0 && k < packages.count; k++)
			if (strncmp(packages.names[k], PACKAGES, sizeof PACKAGES - 1) == 0)
				rc = load_from(site, packages.names[k], &library_rows[i], err);
	return rc;
}

int mxt_rocm_preload(const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf site = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf mark = MXT_BUF_INIT;
	mxt_buf_printf(&mark, "%s/_rocm_init.py", folder);
	mxt_buf_printf(&site, "%s/..", folder);
	if (mark.failed || site.failed)
		return mxt_error_oom(err);
	return access(mxt_buf_text(&mark), F_OK) == 0 ? load_all(mxt_buf_text(&site), err) : 0;
}
