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

static bool take_preset(const struct mxt_model *preset, struct mxt_workload *workload)
{
	if (preset)
		workload->model = *preset;
	return preset != NULL;
}

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

static int refuse(const char *name, const char *revision, char *const *environment, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char shown[MXT_PRINTABLE_SIZE];
	mxt_printable(name, shown);
	mxt_buf_printf(&text, "model '%s' is not a preset (", shown);
	for (const char *const *preset = mxt_model_presets(); *preset; preset++)
		mxt_buf_printf(&text, "%s%s", *preset, preset[1] ? ", " : "), no local file or folder");
	MXT_CLEANUP_BUF struct mxt_buf cache = MXT_BUF_INIT;
	mxt_hub_cache_folder(environment, &cache);
	if (!mxt_hub_id_valid(name))
		mxt_buf_puts(&text, ", and cannot be an id on the Hugging Face Hub; name the folder of the model");
	else if (cache.len == 0)
		mxt_buf_puts(&text, ", and neither HF_HOME nor HOME says where the Hugging Face cache is; set one");
	else
		mxt_buf_printf(&text,
			       ", and revision %s is not in the Hugging Face cache %s; fetch it with `hf download %s "
			       "config.json`, or name the folder of the model",
			       revision ? revision : "main", mxt_buf_text(&cache), shown);
	if (text.failed || cache.failed)
		return mxt_error_oom(err);
	return mxt_error_set(err, -ENOENT, MXT_E_MODEL_NOT_FOUND, "%s", text.data);
}

int mxt_model_source_read(const char *name, const char *revision, char *const *environment,
			  struct mxt_workload *workload, struct mxt_error *err)
{
	struct stat st;
	if (take_preset(mxt_model_preset_find(name), workload))
		return 0;
	if (name[0] != '\0' && stat(name, &st) == 0)
		return read_local(name, S_ISDIR(st.st_mode), workload, err);
	if (take_preset(mxt_model_preset_of_hub_id(name), workload))
		return 0;
	int rc = read_cached(name, revision, environment, workload, err);
	return rc == -ENOENT ? refuse(name, revision, environment, err) : rc;
}
