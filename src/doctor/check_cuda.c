/* SPDX-License-Identifier: Apache-2.0 */
/* What a CUDA torch would run on: the driver, and NVIDIA's libraries that it loads. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "cleanup.h"
#include "compiler.h"
#include "cuda_libraries.h"
#include "environ.h"
#include "machine_file.h"
#include "number.h"
#include "survey.h"
#include "sysroot_tree.h"

/* The first driver release for each CUDA, by NVIDIA's page on minor-version compatibility. */
static const struct driver_row {
	uint64_t cuda;
	const char *release;
} driver_rows[] = {{11, "450"}, {12, "525"}, {13, "580"}};

static const char *first_driver(uint64_t cuda)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(driver_rows); i++)
		if (driver_rows[i].cuda == cuda)
			return driver_rows[i].release;
	return NULL;
}

/* As the driver counts: 13020 of "13.2". 0 when it is no version. */
static uint64_t cuda_number(const char *text)
{
	uint64_t major = 0, minor = 0;
	const char *end = NULL;
	if (mxt_parse_u64(text, &end, &major) < 0 || major > 999)
		return 0;
	if (*end == '.' && (mxt_parse_u64(end + 1, &end, &minor) < 0 || minor > 99))
		minor = 0;
	return major * 1000 + minor * 10;
}

static void find_old_driver(uint64_t wanted, const char *torch_cuda, const char *driver_cuda,
			    struct mxt_check_result *result)
{
	const char *release = first_driver(wanted / 1000);
	mxt_find(result, MXT_CHECK_WARN, "torch is built for CUDA %s, the driver runs CUDA up to %s", torch_cuda,
		 driver_cuda);
	mxt_wrong(result, "the driver is too old: torch finds no GPU");
	mxt_todo(result,
		 "update the driver%s%s, or install the torch that is built for CUDA %.*s: "
		 "https://pytorch.org/get-started/locally/",
		 release ? " to release " : "", release ? release : "", (int)strcspn(driver_cuda, "."), driver_cuda);
}

static void find_driver(const struct mxt_survey *survey, const char *torch_cuda, struct mxt_check_result *result)
{
	char driver_cuda[MXT_CUDA_TEXT];
	uint64_t wanted = cuda_number(torch_cuda), has = survey->nvidia.driver.cuda.value;
	mxt_nvidia_answer_cuda(&survey->nvidia, driver_cuda);
	if (!*driver_cuda || wanted == 0)
		return;
	if (has / 1000 < wanted / 1000) {
		find_old_driver(wanted, torch_cuda, driver_cuda, result);
	} else if (has < wanted) {
		mxt_find(result, MXT_CHECK_NOTE, "torch is built for CUDA %s, the driver runs CUDA up to %s",
			 torch_cuda, driver_cuda);
		mxt_wrong(result, "they work together, but the driver refuses kernels that newer tools compile while "
				  "training (\"unsupported PTX version\")");
		mxt_todo(result, "update the driver if that happens");
	} else {
		mxt_find(result, MXT_CHECK_OK, "torch is built for CUDA %s, the driver runs CUDA up to %s", torch_cuda,
			 driver_cuda);
	}
}

/* A machine without any GPU is where configurations are written, not a mistake. */
static void find_no_driver(const struct mxt_survey *survey, const char *torch_cuda, struct mxt_check_result *result)
{
	bool expected = survey->gpus.reported && survey->gpus.count[MXT_GPU_NVIDIA] == 0;
	mxt_find(result, expected ? MXT_CHECK_NOTE : MXT_CHECK_WARN,
		 "torch is built for CUDA %s, and there is no NVIDIA driver", torch_cuda);
	mxt_wrong(result, "training runs on the CPU here, or ends with an error");
	mxt_todo(result, "train where the GPUs are: in a container, start it with the host's GPUs (--gpus all); on the "
			 "host, install NVIDIA's driver");
}

/* CUDA 13 compiles for no card below this one (its release notes: Maxwell, Pascal and Volta are gone). */
#define CUDA_WITHOUT_OLD_CARDS 13
#define OLDEST_CARD            75 /* 7.5 */

static void find_old_cards(const struct mxt_survey *survey, const char *torch_cuda, struct mxt_check_result *result)
{
	if (cuda_number(torch_cuda) / 1000 < CUDA_WITHOUT_OLD_CARDS)
		return;
	for (size_t i = 0; i < survey->nvidia.driver.n_devices; i++) {
		struct mxt_nvidia_gpu gpu;
		uint64_t arch = 0;
		const char *end = NULL;
		if (mxt_nvidia_gpu_parse(survey->nvidia.facts, i, &gpu, NULL) < 0 || !gpu.ordinal.reported ||
		    !gpu.arch[0] || mxt_parse_u64(gpu.arch + strlen("sm_"), &end, &arch) < 0 || arch >= OLDEST_CARD)
			continue;
		mxt_find(result, MXT_CHECK_WARN, "%s (%s), and torch for CUDA %s", gpu.name, gpu.arch, torch_cuda);
		mxt_wrong(result, "CUDA 13 has no code for this card: every kernel ends with an error");
		mxt_todo(result, "install the torch that is built for CUDA 12: "
				 "https://pytorch.org/get-started/locally/");
	}
}

static void add_library(const struct mxt_cuda_library *library, struct mxt_check_result *result)
{
	const struct mxt_fact_part parts[] = {
	    {"name", library->name}, {"path", library->path}, {"version", library->version}};
	mxt_fact_library(result, parts, MXT_ARRAY_LEN(parts));
}

static void find_mixed(const struct mxt_cuda_library *library, struct mxt_check_result *result)
{
	if (!library->other[0] || !library->path)
		return;
	mxt_find(result, MXT_CHECK_WARN, "wheels of two %ss: %s for torch's CUDA, and %s", library->title,
		 library->version[0] ? library->version : "none", library->other);
	mxt_wrong(result, "both write the same files: which of them torch loads depends on what was installed last");
	mxt_todo(result,
		 "pip uninstall the one for another CUDA (pip list | grep %s), then pip install "
		 "--force-reinstall --no-deps the other",
		 library->name);
}

/* The same file by another name shadows nothing. */
static bool is_same(const struct mxt_survey *survey, const char *a, const char *b, struct mxt_check_result *result)
{
	MXT_CLEANUP_FREE char *real_a = NULL;
	MXT_CLEANUP_FREE char *real_b = NULL;
	int rc = mxt_sysroot_resolve(survey->root, a, &real_a, NULL);
	if (rc == 0)
		rc = mxt_sysroot_resolve(survey->root, b, &real_b, NULL);
	result->failed = result->failed || rc == -ENOMEM;
	return !real_a || !real_b || strcmp(real_a, real_b) == 0;
}

/* Whether FOLDER/NAME exists. Its path is left in *path, which must be empty. */
static bool is_there(const struct mxt_survey *survey, const char *folder, size_t len, const char *name,
		     struct mxt_buf *path, struct mxt_check_result *result)
{
	mxt_buf_printf(path, "%.*s/%s", (int)len, folder, name);
	result->failed = result->failed || path->failed;
	return !path->failed && mxt_machine_exists(survey->root, mxt_buf_text(path), &result->failed);
}

/*
 * torch finds the library itself by its DT_RPATH, before LD_LIBRARY_PATH. But libcudnn.so.9 has a DT_RUNPATH, which
 * comes after it, and loads its parts by name when they are used.
 */
static void find_shadow(const struct mxt_survey *survey, const struct mxt_cuda_library *library, const char *folder,
			size_t len, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf part = MXT_BUF_INIT;
	if (!is_there(survey, folder, len, library->soname, &path, result))
		return;
	if (!library->path) {
		mxt_find(result, MXT_CHECK_OK, "%s: %s, from LD_LIBRARY_PATH", library->title, mxt_buf_text(&path));
		return;
	}
	if (is_same(survey, mxt_buf_text(&path), library->path, result))
		return;
	if (library->part[0] && is_there(survey, folder, len, library->part, &part, result)) {
		mxt_find(result, MXT_CHECK_WARN, "another %s in LD_LIBRARY_PATH: %s", library->title,
			 mxt_buf_text(&path));
		mxt_wrong(result,
			  "torch loads its own %s, and that one loads %s and other parts from there: %s of two "
			  "versions mix, and calls fail or take other kernels",
			  library->soname, library->part, library->title);
		mxt_todo(result, "take %.*s out of LD_LIBRARY_PATH where torch runs", (int)len, folder);
		return;
	}
	mxt_find(result, MXT_CHECK_NOTE, "another %s in LD_LIBRARY_PATH: %s", library->title, mxt_buf_text(&path));
	mxt_wrong(result, "torch loads its own, but other programs and extensions load that one");
}

static void find_shadows(const struct mxt_survey *survey, const struct mxt_cuda_library *library,
			 struct mxt_check_result *result)
{
	const char *folder = mxt_environ_get(survey->environment, "LD_LIBRARY_PATH");
	while (folder && *folder) {
		size_t len = strcspn(folder, ":;");
		if (*folder == '/')
			find_shadow(survey, library, folder, len, result);
		folder += len + (folder[len] != '\0');
	}
}

static void find_libraries(const struct mxt_survey *survey, const struct mxt_torch_install *install,
			   struct mxt_check_result *result)
{
	MXT_CLEANUP_CUDA_LIBRARIES struct mxt_cuda_libraries libraries = {{{.path = NULL}}};
	mxt_fact_json(result, "libraries", json_array());
	if (mxt_cuda_libraries_find(survey->root, install, &libraries, NULL) < 0) {
		result->failed = true;
		return;
	}
	for (size_t i = 0; i < MXT_CUDA_LIBRARY_COUNT; i++) {
		const struct mxt_cuda_library *library = &libraries.items[i];
		add_library(library, result);
		if (library->path)
			mxt_find(result, MXT_CHECK_OK, "%s %s: %s", library->title,
				 library->version[0] ? library->version : "(version not reported)", library->path);
		find_mixed(library, result);
		find_shadows(survey, library, result);
	}
}

void mxt_check_cuda(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_torch_install *install = survey->torch.count ? &survey->torch.items[0] : NULL;
	const char *cuda = install ? install->files.cuda : "";
	mxt_fact_text(result, "torch_cuda", cuda);
	if (!*cuda) {
		mxt_fact_text(result, "libraries", NULL); /* not reported */
		mxt_find(result, MXT_CHECK_OK, "%s",
			 install ? "this torch is not built for CUDA" : "no torch to look at");
		return;
	}
	if (survey->nvidia.state == MXT_NVIDIA_ABSENT)
		find_no_driver(survey, cuda, result);
	else
		find_driver(survey, cuda, result);
	find_old_cards(survey, cuda, result);
	find_libraries(survey, install, result);
	if (result->n_findings == 0)
		mxt_find(result, MXT_CHECK_OK, "torch is built for CUDA %s", cuda);
}
