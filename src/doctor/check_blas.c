/* SPDX-License-Identifier: Apache-2.0 */
/* BLAS libraries: what the self-test runs on, and the CPU where there is no torch. */
#include <string.h>

#include "blas_file.h"
#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "environ.h"
#include "host_cpu.h"
#include "library_folders.h"
#include "machine_file.h"
#include "survey.h"
#include "torch_library.h"

static const struct package_row {
	const char *distribution; /* ID in /etc/os-release */
	const char *command;
} package_rows[] = {
    {"debian", "apt install libopenblas0-pthread"},
    {"ubuntu", "apt install libopenblas0-pthread"},
    {"fedora", "dnf install openblas-threads"},
    {"rhel", "dnf install openblas-threads"},
    {"rocky", "dnf install openblas-threads"},
    {"almalinux", "dnf install openblas-threads"},
    {"centos", "dnf install openblas-threads"},
    {"arch", "pacman -S openblas"},
    {"alpine", "apk add openblas"},
};

static const char *install_command(const char *distribution)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(package_rows); i++)
		if (strcmp(package_rows[i].distribution, distribution) == 0)
			return package_rows[i].command;
	return "install OpenBLAS, built for pthreads, with this distribution's package manager";
}

static void find_file(enum mxt_blas_kind kind, const struct mxt_blas_file *file, struct mxt_check_result *result)
{
	bool serial = file->threading == MXT_BLAS_SERIAL;
	const char *version = strcmp(file->version, "unknown") == 0 ? NULL : file->version;
	const char *threading = file->threading == MXT_BLAS_UNKNOWN ? NULL : mxt_blas_threading_name(file->threading);
	const struct mxt_fact_part parts[] = {
	    {"name", mxt_blas_name(kind)}, {"path", file->path}, {"version", version}, {"threading", threading}};
	mxt_fact_library(result, parts, MXT_ARRAY_LEN(parts));
	mxt_find(result, serial ? MXT_CHECK_NOTE : MXT_CHECK_OK, "%s%s%s, %s: %s", mxt_blas_title(kind),
		 version ? " " : ", version not reported", version ? version : "",
		 threading ? threading : "threading not reported", file->path);
	if (!serial)
		return;
	mxt_wrong(result, "built for one thread: the other processors stay idle");
	mxt_todo(result, "install a build with threads beside it");
}

static bool has_usable_torch(const struct mxt_survey *survey)
{
	const struct mxt_torch_install *torch = survey->torch.count ? &survey->torch.items[0] : NULL;
	return torch && mxt_torch_check_version(&torch->files, torch->folder, NULL) == 0;
}

static void find_none(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	if (has_usable_torch(survey)) {
		mxt_find(result, MXT_CHECK_NOTE, "no BLAS library");
		mxt_wrong(result, "neither %s nor %s is installed: the self-test cannot run; torch is measured without",
			  mxt_blas_soname(MXT_BLAS_OPENBLAS), mxt_blas_soname(MXT_BLAS_BLIS));
		return;
	}
	mxt_find(result, MXT_CHECK_FAIL, "no BLAS library");
	mxt_wrong(result, "neither %s nor %s is installed: the CPU cannot be measured, not even as a self-test",
		  mxt_blas_soname(MXT_BLAS_OPENBLAS), mxt_blas_soname(MXT_BLAS_BLIS));
	mxt_todo(result, "%s", install_command(survey->distribution));
}

/* oneMKL is told, because torch may bring or use it; nothing here drives it. */
static const char *const mkl_names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1"};

static bool is_mkl(const struct mxt_survey *survey, const char *folder, const char *name,
		   struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", folder, name);
	result->failed = result->failed || path.failed;
	if (!mxt_machine_exists(survey->root, mxt_buf_text(&path), &result->failed))
		return false;
	const struct mxt_fact_part parts[] = {{"name", "mkl"}, {"path", mxt_buf_text(&path)}};
	mxt_fact_library(result, parts, MXT_ARRAY_LEN(parts));
	mxt_find(result, MXT_CHECK_OK, "oneMKL: %s (not measured by this version)", mxt_buf_text(&path));
	return true;
}

static void find_mkl(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_NAMES struct mxt_name_list folders = MXT_NAME_LIST_INIT;
	const char *search_path = mxt_environ_get(survey->environment, "LD_LIBRARY_PATH");
	if (mxt_library_folders(survey->root, search_path, &folders, NULL) < 0) {
		result->failed = true;
		return;
	}
	for (size_t name = 0; name < MXT_ARRAY_LEN(mkl_names); name++) {
		if (is_mkl(survey, "/opt/intel/oneapi/mkl/latest/lib", mkl_names[name], result))
			return;
		for (size_t i = 0; i < folders.count; i++)
			if (is_mkl(survey, folders.names[i], mkl_names[name], result))
				return;
	}
}

void mxt_check_blas(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	size_t found = 0;
	mxt_fact_json(result, "libraries", json_array());
	for (int kind = 0; kind < MXT_BLAS_KIND_COUNT; kind++) {
		MXT_CLEANUP_BLAS_FILE struct mxt_blas_file file = MXT_BLAS_FILE_INIT;
		if (mxt_blas_file_find(survey->root, &survey->cpu, (enum mxt_blas_kind)kind, &file, NULL) < 0) {
			result->failed = true;
			return;
		}
		if (file.path) {
			find_file((enum mxt_blas_kind)kind, &file, result);
			found++;
		}
	}
	if (found == 0)
		find_none(survey, result);
	find_mkl(survey, result);
}
