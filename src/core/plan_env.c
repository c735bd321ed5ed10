/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_env.h"

#include <errno.h>

#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_attention.h"
#include "plan_handoff.h"
#include "shell_quote.h"

/* Values of the plan itself are plain; only the folder of hand-offs can bring something else in. */
static int check_plain(const char *value, struct mxt_error *err)
{
	if (mxt_json_is_text(value))
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_PLAN_FORMAT,
			     "this format cannot hold the path of a hand-off file: its folder's name has control "
			     "characters or is not UTF-8; name another folder, or use --format sh");
}

/* Comments at the end: the environment alone does not make Axolotl take another attention. */
static void append_keys(const struct mxt_plan *plan, struct mxt_buf *buf)
{
	static const char *const lines[][2] = {{"Axolotl 0.17 and later", NULL},
					       {"Axolotl before 0.17", MXT_AXOLOTL_OF_FLAGS}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(lines); i++) {
		struct mxt_attention_edits edits;
		if (mxt_plan_attention_keys(plan, lines[i][1], &edits) || edits.count == 0)
			continue;
		mxt_buf_printf(buf, "# config of %s: ", lines[i][0]);
		mxt_attention_keys_text(&edits, buf);
		mxt_buf_putc(buf, '\n');
	}
}

static int append_sh(const struct mxt_plan *plan, const char *dir, struct mxt_buf *buf, struct mxt_error *err)
{
	for (size_t i = 0; i < mxt_plan_unset_count(plan); i++)
		mxt_buf_printf(buf, "unset %s\n", mxt_plan_unset_name(plan, i));
	for (size_t i = 0; i < mxt_plan_env_count(plan); i++) {
		MXT_CLEANUP_BUF struct mxt_buf value = MXT_BUF_INIT;
		mxt_handoff_resolve(mxt_plan_env_value(plan, i), dir, &value);
		int rc = mxt_buf_status(&value, err);
		if (rc < 0)
			return rc;
		mxt_buf_printf(buf, "export %s=", mxt_plan_env_name(plan, i));
		mxt_shell_quote(mxt_buf_text(&value), buf);
		mxt_buf_putc(buf, '\n');
	}
	append_keys(plan, buf);
	return 0;
}

static int append_env_file(const struct mxt_plan *plan, const char *dir, struct mxt_buf *buf, struct mxt_error *err)
{
	for (size_t i = 0; i < mxt_plan_unset_count(plan); i++)
		mxt_buf_printf(buf, "# unset %s\n", mxt_plan_unset_name(plan, i));
	for (size_t i = 0; i < mxt_plan_env_count(plan); i++) {
		MXT_CLEANUP_BUF struct mxt_buf value = MXT_BUF_INIT;
		mxt_handoff_resolve(mxt_plan_env_value(plan, i), dir, &value);
		int rc = mxt_buf_status(&value, err);
		if (rc == 0)
			rc = check_plain(mxt_buf_text(&value), err);
		if (rc < 0)
			return rc;
		mxt_buf_printf(buf, "%s=%s\n", mxt_plan_env_name(plan, i), mxt_buf_text(&value));
	}
	append_keys(plan, buf);
	return 0;
}

static int add_variable(json_t *env, const char *name, const char *value, const char *dir, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf resolved = MXT_BUF_INIT;
	mxt_handoff_resolve(value, dir, &resolved);
	int rc = mxt_buf_status(&resolved, err);
	if (rc == 0)
		rc = check_plain(mxt_buf_text(&resolved), err);
	if (rc == 0 && json_object_set_new(env, name, json_string(mxt_buf_text(&resolved))) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

/* {"set": {…}, "remove": […]}; an empty object where no key is needed; NULL when memory ran out. */
static json_t *keys_json(const struct mxt_plan *plan)
{
	struct mxt_attention_edits edits;
	json_t *set = json_object(), *remove = json_array();
	const char *objection = mxt_plan_attention_keys(plan, NULL, &edits);
	int rc = set && remove ? 0 : -1;
	for (size_t i = 0; rc == 0 && !objection && i < edits.count; i++) {
		const struct mxt_config_edit *edit = &edits.items[i];
		rc = edit->value ? json_object_set_new(set, edit->key, json_string(edit->value))
				 : json_array_append_new(remove, json_string(edit->key));
	}
	json_t *keys = rc == 0 && edits.count > 0 ? json_pack("{s:O, s:O}", "set", set, "remove", remove)
		       : rc == 0                  ? json_object()
						  : NULL;
	json_decref(set);
	json_decref(remove);
	return keys;
}

static int append_json(const struct mxt_plan *plan, const char *dir, struct mxt_buf *buf, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *env = json_object();
	MXT_CLEANUP_JSON json_t *unset = json_array();
	int rc = env && unset ? 0 : mxt_error_oom(err);
	for (size_t i = 0; rc == 0 && i < mxt_plan_env_count(plan); i++)
		rc = add_variable(env, mxt_plan_env_name(plan, i), mxt_plan_env_value(plan, i), dir, err);
	for (size_t i = 0; rc == 0 && i < mxt_plan_unset_count(plan); i++)
		if (json_array_append_new(unset, json_string(mxt_plan_unset_name(plan, i))) < 0)
			rc = mxt_error_oom(err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *keys = keys_json(plan);
	MXT_CLEANUP_JSON json_t *all = json_pack("{s:O, s:O}", "env", env, "unset", unset);
	if (keys && all && json_object_size(keys) > 0 && json_object_set(all, "axolotl", keys) < 0)
		return mxt_error_oom(err);
	rc = keys && all ? mxt_json_canonical(all, buf, err) : mxt_error_oom(err);
	mxt_buf_putc(buf, '\n');
	return rc;
}

int mxt_plan_env_write(const struct mxt_plan *plan, enum mxt_env_format format, const char *dir, struct mxt_buf *buf,
		       struct mxt_error *err)
{
	static int (*const formats[])(const struct mxt_plan *plan, const char *dir, struct mxt_buf *buf,
				      struct mxt_error *err) = {
	    [MXT_ENV_SH] = append_sh,
	    [MXT_ENV_JSON] = append_json,
	    [MXT_ENV_ENV_FILE] = append_env_file,
	};
	if (!dir && mxt_plan_has_handoffs(plan))
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_HANDOFF,
				     "this plan hands files to other tools; say where to write them: --files DIR");
	int rc = formats[format](plan, dir, buf, err);
	return rc < 0 ? rc : mxt_buf_status(buf, err);
}
