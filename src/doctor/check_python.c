/* SPDX-License-Identifier: Apache-2.0 */
/* The Python that would train, and its torch. */
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "environ.h"
#include "error.h"
#include "library_file.h"
#include "survey.h"
#include "sysroot.h"
#include "torch_install.h"
#include "torch_library.h"

#define NAME_IT "activate the environment that trains, or name it: --python DIR/bin/python3"

static void python_facts(const struct mxt_python *python, struct mxt_check_result *result)
{
	bool found = python->interpreter != NULL;
	mxt_fact_text(result, "interpreter", python->interpreter);
	mxt_fact_text(result, "program", python->program);
	mxt_fact_text(result, "found_by", found ? python->found_by : NULL);
	mxt_fact_text(result, "version", python->version);
	mxt_fact_flag(result, "virtual_environment",
		      (struct mxt_reading){python->virtual_environment, found && !python->script});
}

/* An environment that is named but holds no Python must not be passed over in silence. */
static void find_empty_environments(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
	const char *found_by = survey->python.found_by;
	for (size_t i = 0; i < MXT_ARRAY_LEN(variables); i++) {
		const char *folder = mxt_environ_get(survey->environment, variables[i]);
		if (strcmp(found_by, "--python") == 0 || strcmp(found_by, variables[i]) == 0)
			return;
		if (!folder || !*folder)
			continue;
		mxt_find(result, MXT_CHECK_WARN, "%s=%s", variables[i], folder);
		mxt_wrong(result, "there is no Python in it");
		mxt_todo(result, "deactivate it, or make it anew");
	}
}

void mxt_check_python(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_python *python = &survey->python;
	python_facts(python, result);
	find_empty_environments(survey, result);
	if (!python->interpreter) {
		mxt_find(result, MXT_CHECK_NOTE, "no Python found");
		mxt_wrong(result, "nothing here can train; the built-in self-test does not need it");
		mxt_todo(result, NAME_IT);
		return;
	}
	if (python->script) {
		mxt_find(result, MXT_CHECK_NOTE, "%s (by %s) is a script", python->interpreter, python->found_by);
		mxt_wrong(result, "which Python it starts cannot be told without running it");
		mxt_todo(result, "name the interpreter behind it: --python DIR/bin/python3");
		return;
	}
	mxt_find(result, MXT_CHECK_OK, "Python %s: %s (by %s%s)",
		 python->version[0] ? python->version : "(version unknown)", python->interpreter, python->found_by,
		 python->virtual_environment ? ", a virtual environment" : "");
	if (python->version[0])
		return;
	mxt_find(result, MXT_CHECK_NOTE, "no files of its version are beside it");
	mxt_wrong(result, "where it imports from cannot be told, so no torch is looked for");
	mxt_todo(result, NAME_IT);
}

/* Wheels from PyPI call themselves 2.9.0 where version.py says 2.9.0+cu128: what follows the plus does not count. */
static bool same_release(const char *a, const char *b)
{
	size_t len_a = strcspn(a, "+"), len_b = strcspn(b, "+");
	return len_a == len_b && memcmp(a, b, len_a) == 0;
}

static void find_broken_upgrade(const struct mxt_torch_install *install, struct mxt_check_result *result)
{
	bool mixed = install->files.version[0] && install->metadata[0] &&
		     !same_release(install->files.version, install->metadata);
	if (mixed)
		mxt_find(result, MXT_CHECK_WARN, "files of torch %s, metadata of %s in %s", install->files.version,
			 install->metadata, install->folder);
	else if (install->n_metadata > 1)
		mxt_find(result, MXT_CHECK_WARN, "metadata of %zu torches in %s", install->n_metadata, install->folder);
	else
		return;
	mxt_wrong(result, "an upgrade ended half way: files of two versions may be mixed");
	mxt_todo(result, "pip uninstall torch until it says that there is none, then install it again");
}

static void find_hidden(const struct mxt_torch_list *list, struct mxt_check_result *result)
{
	for (size_t i = 1; i < list->count; i++) {
		const struct mxt_torch_install *other = &list->items[i];
		mxt_find(result, MXT_CHECK_WARN, "a second torch: %s in %s",
			 other->files.version[0] ? other->files.version : other->metadata, other->folder);
		mxt_wrong(result, "hidden behind the first one; a changed PYTHONPATH or user site trains with other "
				  "kernels without a word");
		mxt_todo(result, "remove the one that is not meant (pip uninstall torch with its own Python)");
	}
}

/*
 * The build must be one for a GPU that is here. One kind is enough: beside the card that trains, many processors have
 * graphics of their own.
 */
static void find_wrong_build(const struct mxt_survey *survey, const struct mxt_torch_install *install,
			     struct mxt_check_result *result)
{
	static const char *const wanted[MXT_GPU_VENDOR_COUNT] = {[MXT_GPU_NVIDIA] = "CUDA", [MXT_GPU_AMD] = "ROCm"};
	const char *builds[MXT_GPU_VENDOR_COUNT] = {
	    [MXT_GPU_NVIDIA] = install->files.cuda, [MXT_GPU_AMD] = install->files.hip};
	size_t missing = MXT_GPU_VENDOR_COUNT;
	for (size_t i = 0; i < MXT_GPU_VENDOR_COUNT; i++) {
		if (survey->gpus.count[i] && builds[i][0])
			return;
		if (survey->gpus.count[i] && missing == MXT_GPU_VENDOR_COUNT)
			missing = i;
	}
	if (missing == MXT_GPU_VENDOR_COUNT || install->files.version[0] == '\0')
		return;
	mxt_find(result, MXT_CHECK_WARN, "this torch is not built for the %s GPU%s here",
		 mxt_gpu_vendor_name((enum mxt_gpu_vendor)missing), survey->gpus.count[missing] == 1 ? "" : "s");
	mxt_wrong(result, "training would run on the CPU, or not at all");
	mxt_todo(result, "install the %s build: https://pytorch.org/get-started/locally/", wanted[missing]);
}

static void find_too_old(const struct mxt_torch_install *install, struct mxt_check_result *result)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	if (install->files.version[0] == '\0' || mxt_torch_check_version(&install->files, install->folder, &why) == 0 ||
	    why.id != MXT_E_TORCH_UNSUPPORTED)
		return;
	mxt_find(result, MXT_CHECK_WARN, "torch %s cannot be measured", install->files.version);
	mxt_wrong(result, "its operators can be called from C since %d.%d; autotune runs the self-test instead",
		  MXT_TORCH_OLDEST_MAJOR, MXT_TORCH_OLDEST_MINOR);
	mxt_todo(result, "train with a newer one, or without a plan");
}

/* A recorded machine has no libraries. */
static void find_broken_library(const struct mxt_survey *survey, const struct mxt_torch_install *install,
				struct mxt_check_result *result)
{
	static const char file[] = "torch/lib/libtorch_cpu.so";
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", install->folder, file);
	if (!mxt_sysroot_is_live(survey->root) || mxt_buf_status(&path, NULL) < 0)
		return;
	const char *fault = mxt_library_fault(survey->root, mxt_buf_text(&path));
	if (!fault)
		return;
	mxt_find(result, MXT_CHECK_WARN, "%s %s", file, fault);
	mxt_wrong(result, "this torch cannot be loaded");
	mxt_todo(result, "install it again: pip install --force-reinstall torch==%s",
		 install->metadata[0] ? install->metadata : install->files.version);
}

/* `list` is NULL when nothing could be looked for: then not even the number is known. */
static void torch_facts(const struct mxt_torch_list *list, struct mxt_check_result *result)
{
	const struct mxt_torch_install *first = list && list->count ? &list->items[0] : NULL;
	mxt_fact_number(result, "installations", (struct mxt_reading){list ? list->count : 0, list != NULL});
	mxt_fact_text(result, "version", first ? first->files.version : NULL);
	mxt_fact_text(result, "metadata_version", first ? first->metadata : NULL);
	mxt_fact_text(result, "cuda", first ? first->files.cuda : NULL);
	mxt_fact_text(result, "hip", first ? first->files.hip : NULL);
	mxt_fact_text(result, "folder", first ? first->folder : NULL);
}

static void find_torch(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_torch_list *list = &survey->torch;
	char build[MXT_TORCH_TEXT + 8];
	if (list->count == 0) {
		mxt_find(result, MXT_CHECK_NOTE, "no torch in this Python");
		mxt_wrong(result, "what is measured here is the built-in self-test, not what would train");
		mxt_todo(result, NAME_IT);
		return;
	}
	const struct mxt_torch_install *first = &list->items[0];
	mxt_find(result, MXT_CHECK_OK, "torch %s, %s, in %s",
		 first->files.version[0] ? first->files.version : first->metadata, mxt_torch_build(first, build),
		 first->folder);
	find_too_old(first, result);
	find_broken_library(survey, first, result);
	find_wrong_build(survey, first, result);
	find_hidden(list, result);
	for (size_t i = 0; i < list->count; i++)
		find_broken_upgrade(&list->items[i], result);
}

void mxt_check_torch(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	if (!survey->python.interpreter || survey->python.script) {
		torch_facts(NULL, result);
		mxt_find(result, MXT_CHECK_OK, "not looked for: which Python trains is not known");
		return;
	}
	torch_facts(&survey->torch, result);
	find_torch(survey, result);
}
