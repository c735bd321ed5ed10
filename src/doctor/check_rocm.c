/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ROCm torch would run on, and what it would load. That a torch is built for another vendor's GPUs is a finding
 * of the check "torch".
 */
#include <errno.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "environ.h"
#include "rocm_libraries.h"
#include "survey.h"
#include "sysroot.h"

/* A machine without any GPU is where configurations are written, not a mistake. */
static void find_no_gpu(const struct mxt_survey *survey, const char *hip, struct mxt_check_result *result)
{
	bool expected = survey->gpus.reported && survey->gpus.count[MXT_GPU_AMD] == 0;
	mxt_find(result, expected ? MXT_CHECK_NOTE : MXT_CHECK_WARN,
		 "torch is built for ROCm %s, and there is no AMD GPU that it could use", hip);
	mxt_wrong(result, "training runs on the CPU here, or ends with an error");
	mxt_todo(result, "train where the GPUs are: in a container, start it with --device=/dev/kfd --device=/dev/dri "
			 "--group-add video; on the host, install AMD's driver");
}

static bool is_recorded(const struct mxt_survey *survey)
{
	return mxt_sysroot_is_live(survey->root) || survey->amd.driver || survey->amd.kfd != MXT_DEVICE_NOT_RECORDED;
}

static void add_library(const struct mxt_rocm_library *library, struct mxt_check_result *result)
{
	const struct mxt_fact_part parts[] = {
	    {"name", library->name}, {"path", library->path}, {"version", library->version}, {"build", library->build}};
	mxt_fact_library(result, parts, MXT_ARRAY_LEN(parts));
}

static void find_libraries(const struct mxt_survey *survey, const struct mxt_torch_install *install,
			   struct mxt_check_result *result)
{
	MXT_CLEANUP_ROCM_LIBRARIES struct mxt_rocm_libraries libraries = {{{.path = NULL}}};
	const char *search_path = mxt_environ_get(survey->environment, "LD_LIBRARY_PATH");
	char text[MXT_ROCM_TEXT];
	mxt_fact_json(result, "libraries", json_array());
	if (mxt_rocm_libraries_find(survey->root, install, search_path, &libraries, NULL) < 0) {
		result->failed = true;
		return;
	}
	for (size_t i = 0; i < MXT_ROCM_LIBRARY_COUNT; i++) {
		const struct mxt_rocm_library *library = &libraries.items[i];
		add_library(library, result);
		if (library->path)
			mxt_find(result, MXT_CHECK_OK, "%s %s: %s", library->title,
				 *mxt_rocm_library_text(library, text) ? text : "(version not reported)",
				 library->path);
	}
}

static void find_attention(const struct mxt_survey *survey, const struct mxt_torch_install *install,
			   struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	enum mxt_rocm_answer answer = MXT_ROCM_UNKNOWN;
	mxt_buf_printf(&path, "%s/torch/lib/libtorch_hip.so", install->folder);
	if (path.failed || mxt_rocm_ck_attention(survey->root, mxt_buf_text(&path), &answer, NULL) < 0) {
		result->failed = true;
		return;
	}
	mxt_fact_flag(result, "ck_attention", (struct mxt_reading){answer == MXT_ROCM_YES, answer != MXT_ROCM_UNKNOWN});
	if (answer == MXT_ROCM_YES)
		mxt_find(result, MXT_CHECK_OK, "torch holds Composable Kernel attention beside AOTriton's");
	else if (answer == MXT_ROCM_NO)
		mxt_find(result, MXT_CHECK_OK,
			 "torch holds AOTriton attention only; Composable Kernel's is in the PyTorch project's wheels "
			 "from 2.13 on");
}

void mxt_check_rocm(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_torch_install *install = survey->torch.count ? &survey->torch.items[0] : NULL;
	const char *hip = install ? install->files.hip : "";
	mxt_fact_text(result, "torch_hip", hip);
	if (!*hip) {
		mxt_fact_text(result, "libraries", NULL); /* not reported */
		mxt_find(result, MXT_CHECK_OK, "%s",
			 install ? "this torch is not built for ROCm" : "no torch to look at");
		return;
	}
	if (survey->amd.n_gpus == 0 && is_recorded(survey))
		find_no_gpu(survey, hip, result);
	else
		mxt_find(result, MXT_CHECK_OK, "torch is built for ROCm %s", hip);
	find_libraries(survey, install, result);
	find_attention(survey, install, result);
}
