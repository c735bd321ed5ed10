/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "attention_stack.h"
#include "buf.h"
#include "error.h"
#include "file.h"
#include "json.h"
#include "plan.h"
#include "plan_diff.h"
#include "platform_gpu.h"
#include "python_packages.h"
#include "remarks.h"
#include "workload.h"
#include "yaml_tree.h"

#define ROOT "workload."

struct line_row {
	const char *field, *keys;
};

static const struct line_row lines[] = {
#define MXT_CONFIG_LINE(field, keys) {field, keys},
#include "config_lines.def"
#undef MXT_CONFIG_LINE
};

/* ---- which keys of the config stand for a field ---- */

/* The keys for "workload.training.seq_len"; NULL: none are known. */
static const char *keys_of(const char *path)
{
	if (strncmp(path, ROOT, strlen(ROOT)) != 0)
		return NULL;
	for (size_t i = 0; i < MXT_ARRAY_LEN(lines); i++) {
		const char *rest = path + strlen(ROOT);
		size_t len = strlen(lines[i].field);
		if (strncmp(rest, lines[i].field, len) == 0 && (rest[len] == '\0' || rest[len] == '.'))
			return lines[i].keys;
	}
	return NULL;
}

/* The next of some words; moves *text behind it. Its length; 0: there is none. */
static size_t next_word(const char **text, const char **ret_word)
{
	*text += strspn(*text, " ");
	size_t len = strcspn(*text, " ");
	*ret_word = *text;
	*text += len;
	return len;
}

static const struct mxt_yaml_node *find_key(const struct mxt_yaml_node *root, const char *key, size_t len)
{
	for (size_t i = 0; root->value.kind == MXT_YAML_MAPPING && i < root->count; i++) {
		const struct mxt_yaml_node *node = root->entries[i].key;
		if (node->text && node->len == len && memcmp(node->text, key, len) == 0)
			return node;
	}
	return NULL;
}

/* "run.yaml:3: sequence_len", or that it is not there. */
static void append_place(const char *config, const struct mxt_yaml_node *root, const char *keys, struct mxt_buf *buf)
{
	const char *word = NULL, *rest = keys;
	size_t before = buf->len;
	for (size_t len = next_word(&rest, &word); len > 0; len = next_word(&rest, &word)) {
		const struct mxt_yaml_node *key = find_key(root, word, len);
		if (key)
			mxt_buf_printf(buf, "%s%s:%zu: %.*s", buf->len > before ? ", " : "", config, key->line,
				       (int)len, word);
	}
	if (buf->len == before)
		mxt_buf_printf(buf, "%s does not have %.*s", config, (int)strcspn(keys, " "), keys);
}

/* ---- the config's workload ---- */

static const char *vendor_of(const struct mxt_plan *plan)
{
	static const char *const vendors[] = {"nvidia", "amd"};
	const json_t *platform = json_object_get(mxt_plan_decision(plan), "platform");
	for (size_t i = 0; i < MXT_ARRAY_LEN(vendors); i++)
		if (mxt_platform_has_gpu(platform, vendors[i]))
			return vendors[i];
	return NULL;
}

/* What follows from what is installed; nothing where that is not known. */
static int apply_stack(const struct mxt_workload_check_request *request, struct mxt_workload *workload,
		       struct mxt_error *err)
{
	static const struct mxt_python_packages none;
	const struct mxt_attention_stack stack =
	    mxt_attention_stack_of(request->environment, request->packages ? request->packages : &none, request->torch,
				   vendor_of(request->plan));
	struct mxt_attention_today today;
	mxt_attention_today_resolve(workload, &stack, &today);
	return mxt_attention_today_apply(&today, workload, err);
}

static int make_workload(const struct mxt_workload_check_request *request, const json_t *planned, json_t **ret_json,
			 struct mxt_error *err)
{
	const json_t *training = json_object_get(planned, "training");
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload workload = {.n_notes = 0};
	source.config_yaml = request->config;
	source.environment = request->environment;
	source.gpus = mxt_json_integer_or(training, "gpus", 1);
	source.nodes = mxt_json_integer_or(training, "nodes", 1);
	int rc = mxt_workload_load(&source, &workload, err);
	if (rc == 0)
		rc = apply_stack(request, &workload, err);
	if (rc < 0)
		return rc;
	workload.training.deterministic = json_is_true(json_object_get(training, "deterministic"));
	*ret_json = mxt_workload_json(&workload);
	return *ret_json ? 0 : mxt_error_oom(err);
}

/* ---- comparing ---- */

/* The plan's workload without what measuring adds. */
static json_t *described_part(const json_t *planned)
{
	static const char *const measured[] = {"scaled", "recorded"};
	json_t *part = json_copy((json_t *)planned);
	for (size_t i = 0; part && i < MXT_ARRAY_LEN(measured); i++)
		(void)json_object_del(part, measured[i]);
	return part;
}

/* Only for the lines in messages: what is wrong with the file was said when the workload was made. */
static struct mxt_yaml_tree *read_tree(const char *config)
{
	MXT_CLEANUP_BUF struct mxt_buf bytes = MXT_BUF_INIT;
	struct mxt_yaml_tree *tree = NULL;
	int rc = mxt_file_read(config, MXT_YAML_MAX_BYTES, &bytes, NULL);
	if (rc == 0)
		rc = mxt_yaml_tree_parse(config, mxt_buf_text(&bytes), bytes.len, &tree, NULL);
	return rc == 0 ? tree : NULL;
}

static int add_place(const char *config, const struct mxt_yaml_node *root, json_t *difference, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	const char *keys = keys_of(mxt_json_text(difference, "path"));
	if (!keys || !root) /* standard input, for one, cannot be read twice */
		return 0;
	append_place(config, root, keys, &place);
	int rc = mxt_buf_status(&place, err);
	if (rc == 0 && json_object_set_new(difference, "where", mxt_json_clean_text(place.data, place.len)) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

static int compare(const char *config, const json_t *planned, const json_t *here, json_t **ret_differences,
		   struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *described = described_part(planned);
	MXT_CLEANUP_JSON json_t *differences = NULL;
	int rc = described ? mxt_plan_diff("workload", described, here, &differences, err) : mxt_error_oom(err);
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = json_array_size(differences) > 0 ? read_tree(config) : NULL;
	const struct mxt_yaml_node *root = tree ? mxt_yaml_tree_root(tree) : NULL;
	for (size_t i = 0; rc == 0 && i < json_array_size(differences); i++)
		rc = add_place(config, root, json_array_get(differences, i), err);
	if (rc == 0)
		*ret_differences = json_incref(differences);
	return rc;
}

static const json_t *workload_of(const struct mxt_plan *plan)
{
	return json_object_get(mxt_plan_decision(plan), "workload");
}

int mxt_workload_differences(const struct mxt_workload_check_request *request, json_t **ret_differences,
			     struct mxt_error *err)
{
	const json_t *planned = workload_of(request->plan);
	MXT_CLEANUP_JSON json_t *here = NULL;
	if (!json_object_get(planned, "model"))
		return mxt_error_set(
		    err, -ENOTSUP, MXT_E_PLAN_MISMATCH,
		    "the plan was made of a recording alone: nothing of a config can be compared with it; "
		    "compare another recording with --shapes");
	int rc = make_workload(request, planned, &here, err);
	return rc < 0 ? rc : compare(request->config, planned, here, ret_differences, err);
}

/* ---- as remarks ---- */

static void refuse_difference(const char *config, const json_t *difference, struct mxt_remarks *remarks)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_plan_difference_text(difference, "the config says", &text);
	if (text.failed)
		remarks->failed = true;
	mxt_remark_refuse(
	    remarks, MXT_E_PLAN_MISMATCH, MXT_ALLOW_MISMATCH,
	    "the plan is for another workload: %s; make a plan of this config: mindxtrain autotune --config "
	    "%s",
	    mxt_buf_text(&text), config);
}

/* No trainer's config could be written from it, whatever is allowed; who would write it says the same. */
static bool is_about_yaml(const struct mxt_error *cause)
{
	return cause->id == MXT_E_YAML_SYNTAX || cause->id == MXT_E_YAML_REFUSED;
}

int mxt_workload_check(const struct mxt_workload_check_request *request, struct mxt_remarks *remarks,
		       struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *differences = NULL;
	if (!json_object_get(workload_of(request->plan), "model")) {
		mxt_remark_note(remarks,
				"the plan was made of a recording alone: whether %s trains what was recorded "
				"cannot be told before it runs",
				request->config);
		return 0;
	}
	int rc = mxt_workload_differences(request, &differences, &cause);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0 && is_about_yaml(&cause)) {
		mxt_remark_refuse_error(remarks, MXT_ALLOW_NOTHING, &cause);
	} else if (rc < 0) {
		mxt_error_wrap(&cause, rc, "the plan cannot be compared with the config");
		mxt_remark_refuse_error(remarks, MXT_ALLOW_MISMATCH, &cause);
	}
	for (size_t i = 0; i < json_array_size(differences); i++)
		refuse_difference(request->config, json_array_get(differences, i), remarks);
	return 0;
}
