/* SPDX-License-Identifier: Apache-2.0 */
#include "model_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "hub_cache.h"
#include "model_config.h"
#include "model_preset.h"
#include "printable.h"

/* A folder stands for the config.json in it. */
static int read_local(const char *name, bool folder, struct mxt_workload *workload, struct mxt_error *err)
{
	if (!folder)
		return mxt_model_config_read(name, workload, err);
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s%sconfig.json", name, name[strlen(name) - 1] == '/' ? "" : "/");
	if (path.failed)
		return mxt_error_oom(err);
	return mxt_model_config_read(path.data, workload, err);
}

static int read_cached(const char *name, const char *revision, char *const *environment, struct mxt_workload *workload,
		       struct mxt_error *err)
{
	if (!mxt_hub_id_valid(name))
		return -ENOENT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = mxt_hub_cache_find(name, revision, environment, &path, err);
	return rc < 0 ? rc : mxt_model_config_read(path.data, workload, err);
}

/* Where it was looked for, and how to get it. */
static void say_where(const char *name, const char *revision, char *const *environment, struct mxt_buf *text)
{
	char shown[MXT_PRINTABLE_SIZE];
	MXT_CLEANUP_BUF struct mxt_buf cache = MXT_BUF_INIT;
	mxt_hub_cache_folder(environment, &cache);
	mxt_buf_printf(text, "model '%s' is not a preset, no local file or folder", mxt_printable(name, shown));
	if (!mxt_hub_id_valid(name))
		mxt_buf_puts(text, ", and cannot be an id on the Hugging Face Hub; name the folder of the model");
	else if (cache.len == 0 && !cache.failed)
		mxt_buf_puts(text, ", and neither HF_HOME nor HOME says where the Hugging Face cache is; set one");
	else
		mxt_buf_printf(text,
			       ", and revision %s is not in the Hugging Face cache %s; fetch it with `hf download %s "
			       "config.json`, or name the folder of the model",
			       revision ? revision : "main", mxt_buf_text(&cache), shown);
	text->failed = text->failed || cache.failed;
}

static int refuse(const char *name, const char *revision, char *const *environment, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const char *guess = mxt_model_preset_guess(name);
	say_where(name, revision, environment, &text);
	if (guess)
		mxt_buf_printf(&text, "; if it has the dimensions of the preset '%s', give --model %s", guess, guess);
	else
		mxt_buf_puts(
		    &text,
		    "; or give --model with a preset that has its dimensions (mindxtrain-autotune(1) lists them)");
	if (text.failed)
		return mxt_error_oom(err);
	return mxt_error_set(err, -ENOENT, MXT_E_MODEL_NOT_FOUND, "%s", text.data);
}

int mxt_model_source_read(const char *name, const char *revision, char *const *environment,
			  struct mxt_workload *workload, struct mxt_error *err)
{
	struct stat st;
	const struct mxt_model_preset *preset = mxt_model_preset_find(name);
	if (preset)
		return mxt_model_preset_read(preset, workload, err);
	if (name[0] != '\0' && stat(name, &st) == 0)
		return read_local(name, S_ISDIR(st.st_mode), workload, err);
	preset = mxt_model_preset_of_alias(name);
	if (preset)
		return mxt_model_preset_read(preset, workload, err);
	int rc = read_cached(name, revision, environment, workload, err);
	return rc == -ENOENT ? refuse(name, revision, environment, err) : rc;
}
