/* SPDX-License-Identifier: Apache-2.0 */
#include "job_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argv_json.h"
#include "axolotl_argument.h"
#include "buf.h"
#include "cleanup.h"
#include "config.h"
#include "error.h"
#include "git_state.h"
#include "job_datasets.h"
#include "json.h"
#include "launch.h"
#include "plan_fit.h"
#include "python_packages.h"
#include "yaml_tree.h"

#define SCHEMA        "mindxtrain.job/1"
#define MAX_ARGUMENTS 256 /* that change keys; more of them are not looked at for datasets */

/* ---- `train` ---- */

/* The config, then each argument that changes a key of it. */
struct sources {
	struct mxt_yaml_tree *config;
	struct mxt_axolotl_argument arguments[MAX_ARGUMENTS];
	const struct mxt_yaml_node *roots[MAX_ARGUMENTS + 1];
	size_t count, n_arguments;
};

static void sources_finish(struct sources *sources)
{
	mxt_yaml_tree_destroy(sources->config);
	for (size_t i = 0; i < sources->n_arguments; i++)
		mxt_axolotl_argument_finish(&sources->arguments[i]);
}

static int read_arguments(char *const *arguments, struct sources *sources, struct mxt_error *err)
{
	int taken = 0;
	for (size_t i = 0; arguments && arguments[i] && sources->n_arguments < MAX_ARGUMENTS; i += (size_t)taken) {
		struct mxt_axolotl_argument *argument = &sources->arguments[sources->n_arguments];
		taken = mxt_axolotl_argument_parse(&arguments[i], argument, err);
		if (taken < 0)
			return taken;
		sources->n_arguments++;
		if (argument->tree)
			sources->roots[sources->count++] = mxt_yaml_tree_root(argument->tree);
	}
	return 0;
}

static int read_sources(const struct mxt_launch *launch, struct sources *sources, struct mxt_error *err)
{
	const struct mxt_buf *text = &launch->config.edited;
	int rc = mxt_yaml_tree_parse(launch->yaml, mxt_buf_text(text), text->len, &sources->config, err);
	if (rc < 0)
		return rc;
	sources->roots[sources->count++] = mxt_yaml_tree_root(sources->config);
	return read_arguments(launch->request->overrides, sources, err);
}

static int add_datasets(const struct mxt_launch *launch, const char *directory, json_t *record, struct mxt_error *err)
{
	struct sources *sources = calloc(1, sizeof *sources);
	json_t *datasets = NULL;
	if (!sources)
		return mxt_error_oom(err);
	int rc = read_sources(launch, sources, err);
	if (rc == 0)
		rc = mxt_job_datasets(sources->roots, sources->count, directory, launch->env.environment, &datasets,
				      err);
	if (rc == 0 && json_object_set_new(record, "datasets", datasets) < 0)
		rc = mxt_error_oom(err);
	sources_finish(sources);
	free(sources);
	return rc;
}

/* A text that is not to be written down is left out. */
static int add_path(json_t *record, const char *key, const char *path, struct mxt_error *err)
{
	return !mxt_json_is_text(path) || mxt_json_set_known(record, key, path) == 0 ? 0 : mxt_error_oom(err);
}

static int add_output(const struct mxt_launch *launch, const char *directory, json_t *record, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	const char *output = launch->config.facts.output_dir;
	while (strncmp(output, "./", 2) == 0)
		output += 2;
	mxt_buf_printf(&path, "%s%s%s", output[0] == '/' ? "" : directory, output[0] == '/' ? "" : "/", output);
	int rc = mxt_buf_status(&path, err);
	return rc == 0 ? add_path(record, "output_dir", path.data, err) : rc;
}

static int add_overrides(const struct mxt_launch *launch, json_t *record, struct mxt_error *err)
{
	char *const *overrides = launch->request->overrides;
	if (!overrides || !overrides[0])
		return 0;
	return json_object_set_new(record, "overrides", mxt_argv_json(overrides)) == 0 ? 0 : mxt_error_oom(err);
}

static int add_training(const struct mxt_launch *launch, const char *directory, json_t *record, struct mxt_error *err)
{
	int rc = add_output(launch, directory, record, err);
	if (rc == 0)
		rc = add_overrides(launch, record, err);
	return rc == 0 ? add_datasets(launch, directory, record, err) : rc;
}

/* ---- all of it ---- */

/* Versions of the packages that are there, by the names that they have here. */
static int add_packages(const struct mxt_launch *launch, json_t *record, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *versions = json_object();
	int rc = versions ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < mxt_python_package_count(); i++) {
		const char *name = mxt_python_package_name(i);
		const char *version = mxt_python_package_version(launch->request->packages, name);
		rc = version && mxt_json_is_text(version) ? json_object_set_new(versions, name, json_string(version))
							  : 0;
	}
	if (rc == 0 && json_object_size(versions) > 0)
		rc = json_object_set(record, "packages", versions);
	return rc == 0 ? 0 : mxt_error_oom(err);
}

static int add_git(const struct mxt_launch *launch, const char *directory, json_t *record, struct mxt_error *err)
{
	json_t *state = NULL;
	int rc = mxt_git_state(directory, launch->request->machine->environment, &state, err);
	if (rc == 0 && json_object_set_new(record, "git", state) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

int mxt_job_record(const struct mxt_launch *launch, json_t **ret_record, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *directory = getcwd(NULL, 0);
	MXT_CLEANUP_JSON json_t *record = json_pack("{s:s, s:s}", "schema", SCHEMA, "tool", MXT_VERSION);
	if (!record || json_object_update(record, launch->here) < 0)
		return mxt_error_oom(err);
	if (!directory)
		return mxt_error_errno(err, errno, "cannot tell the working directory");
	int rc = add_path(record, "directory", directory, err);
	if (rc == 0)
		rc = add_packages(launch, record, err);
	if (rc == 0)
		rc = add_git(launch, directory, record, err);
	if (rc == 0 && launch->request->config)
		rc = add_training(launch, directory, record, err);
	if (rc == 0)
		*ret_record = json_incref(record);
	return rc;
}
