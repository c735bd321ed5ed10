/* SPDX-License-Identifier: Apache-2.0 */
#include "env_launchers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "env_changes.h"
#include "env_policy.h"
#include "environ.h"
#include "error.h"
#include "printable.h"
#include "release.h"
#include "remarks.h"
#include "sysroot.h"
#include "variables.h"

/* ---- what other launchers left ---- */

/*
 * One '*' at the end stands for anything. Sources: torch/distributed/argparse_util.py and run.py, elastic's
 * agent/server/local_elastic_agent.py; accelerate's state.py and utils/environment.py.
 */
static const char *const foreign[] = {
    "PET_*",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "NODE_RANK",
    "GROUP_RANK",
    "GROUP_WORLD_SIZE",
    "ROLE_RANK",
    "ROLE_WORLD_SIZE",
    "ROLE_NAME",
    "MASTER_ADDR",
    "MASTER_PORT",
    "TORCHELASTIC_*",
    "PMI_RANK",
    "PMI_SIZE",
    "MPI_LOCALRANKID",
    "MPI_LOCALNRANKS",
    "OMPI_COMM_WORLD_*",
    "MV2_COMM_WORLD_*",
    "ACCELERATE_*",
    "PYTHON_EXEC", /* in place of the interpreter that was chosen: torch/distributed/run.py */
};

/* Of these, what says nothing about how processes are started. */
static const char *const harmless[] = {"ACCELERATE_LOG_LEVEL", "ACCELERATE_DEBUG_MODE"};

/* What a shell can set; of others nobody reads any. */
static bool is_plain_name(const char *name, size_t len)
{
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= len;
}

static bool row_matches(const char *row, const char *name, size_t len)
{
	size_t row_len = strlen(row);
	if (row[row_len - 1] == '*')
		return len >= row_len - 1 && memcmp(name, row, row_len - 1) == 0;
	return len == row_len && memcmp(name, row, len) == 0;
}

static bool is_listed(const char *const *rows, size_t count, const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (row_matches(rows[i], name, len))
			return true;
	return false;
}

static bool is_foreign(const char *name, size_t len)
{
	return is_plain_name(name, len) && is_listed(foreign, MXT_ARRAY_LEN(foreign), name, len) &&
	       !is_listed(harmless, MXT_ARRAY_LEN(harmless), name, len);
}

static void remark_foreign(const struct mxt_env_request *request, const struct mxt_buf *names,
			   struct mxt_remarks *remarks)
{
	if (names->len == 0)
		return;
	remarks->failed = remarks->failed || names->failed;
	if (request->launcher_reads_pet)
		mxt_remark_warn(remarks, "%s: of another launcher, and would change this one; removed for the command",
				mxt_buf_text(names));
	else
		mxt_remark_note(remarks, "%s: launchers and torch read them; the command gets them as they are",
				mxt_buf_text(names));
}

int mxt_env_remove_foreign(const struct mxt_env_request *request, struct mxt_env_changes *changes,
			   struct mxt_remarks *remarks, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf names = MXT_BUF_INIT;
	int rc = 0;
	for (char *const *item = request->caller; rc == 0 && *item; item++) {
		size_t len = strcspn(*item, "=");
		char shown[MXT_PRINTABLE_SIZE];
		if (!is_foreign(*item, len) || mxt_env_changes_find(changes, *item, len))
			continue;
		MXT_CLEANUP_FREE char *name = strndup(*item, len);
		if (!name)
			return mxt_error_oom(err);
		mxt_buf_printf(&names, "%s%s", names.len ? ", " : "", mxt_printable(name, shown));
		if (request->launcher_reads_pet)
			rc = mxt_env_changes_add(changes, name, NULL, MXT_ENV_BY_LAUNCH, err);
	}
	remark_foreign(request, &names, remarks);
	return rc;
}

/* ---- names that differ by case ---- */

static bool has_small_letter(const char *name)
{
	while (*name && !islower((unsigned char)*name))
		name++;
	return *name != '\0';
}

/* *ret_upper is NULL for a name that has no small letters, or that no shell could have set. */
static int make_upper(const char *name, char **ret_upper, struct mxt_error *err)
{
	char *upper = NULL;
	if (has_small_letter(name) && is_plain_name(name, strlen(name))) {
		upper = strdup(name);
		if (!upper)
			return mxt_error_oom(err);
	}
	for (char *c = upper; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	*ret_upper = upper;
	return 0;
}

/* Would the name in capital letters undo what is planned, or load code? */
static bool is_dangerous(const struct mxt_env_changes *changes, const char *upper)
{
	const struct mxt_variable *row = mxt_variable_find(upper);
	return mxt_env_changes_find(changes, upper, strlen(upper)) || is_foreign(upper, strlen(upper)) ||
	       (row && (mxt_variable_concerns_kernels(row) || row->class == MXT_VARIABLE_DENY));
}

static int look_at_twin(const struct mxt_env_request *request, const char *name, const char *value,
			struct mxt_env_changes *changes, struct mxt_remarks *remarks, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *upper = NULL;
	int rc = make_upper(name, &upper, err);
	if (rc < 0 || !upper)
		return rc;
	const char *other = mxt_environ_get(request->caller, upper);
	if (is_dangerous(changes, upper)) {
		mxt_remark_warn(remarks,
				"%s: nothing reads it, and accelerate would make %s of it; removed for the command",
				name, upper);
		return mxt_env_changes_add(changes, name, NULL, MXT_ENV_BY_LAUNCH, err);
	}
	if (other && strcmp(other, value) != 0)
		mxt_remark_warn(remarks,
				"%s and %s differ: accelerate writes names in capital letters, and processes get one "
				"value under the second; set both alike, or unset one",
				name, upper);
	return 0;
}

int mxt_env_remove_twins(const struct mxt_env_request *request, struct mxt_env_changes *changes,
			 struct mxt_remarks *remarks, struct mxt_error *err)
{
	int rc = 0;
	for (char *const *item = request->caller; rc == 0 && request->writes_capitals && *item; item++) {
		const char *equals = strchr(*item, '=');
		if (!equals)
			continue;
		MXT_CLEANUP_FREE char *name = strndup(*item, (size_t)(equals - *item));
		rc = name ? look_at_twin(request, name, equals + 1, changes, remarks, err) : mxt_error_oom(err);
	}
	return rc;
}

/* ---- how Axolotl is started ---- */

/* All that torch reads about memory; the first is the newest. */
static const char *const memory_names[] = {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"};

/* The first of them that is set; NULL: none is. */
static const char *memory_name_set(char *const *environment)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(memory_names); i++)
		if (mxt_environ_get(environment, memory_names[i]))
			return memory_names[i];
	return NULL;
}

static void remark_memory(const struct mxt_env_request *request, struct mxt_remarks *remarks)
{
	const char *first = memory_name_set(request->caller);
	const char *value = first ? mxt_environ_get(request->caller, first) : NULL;
	for (size_t i = 0; first && i < MXT_ARRAY_LEN(memory_names); i++) {
		const char *other = mxt_environ_get(request->caller, memory_names[i]);
		if (other && strcmp(other, value) != 0)
			mxt_remark_warn(remarks,
					"%s and %s differ: torch takes some settings from one and some from the other; "
					"set one of them",
					first, memory_names[i]);
	}
}

/* As axolotl/utils/__init__.py of 0.18 has it. */
static int set_memory(const struct mxt_env_request *request, struct mxt_env_changes *changes, struct mxt_error *err)
{
	if (!request->torch || memory_name_set(request->caller) || !mxt_release_at_least(request->torch, 2, 2))
		return 0;
	if (mxt_release_at_least(request->torch, 2, 9))
		return mxt_env_changes_add(changes, memory_names[0], "expandable_segments:True", MXT_ENV_BY_LAUNCH,
					   err);
	return mxt_env_changes_add(changes, memory_names[1], "expandable_segments:True,roundup_power2_divisions:16",
				   MXT_ENV_BY_LAUNCH, err);
}

/* The first of the names that says yes; NULL: none does. */
static const char *first_yes(char *const *environment, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = mxt_environ_get(environment, names[i]);
		if (value && *value && strcmp(value, "0") != 0)
			return names[i];
	}
	return NULL;
}

/* Axolotl 0.16.1 and 0.19.0 did not end without a network: at its end each waits until what it reports is sent. */
static void remark_telemetry(const struct mxt_env_request *request, struct mxt_remarks *remarks)
{
	static const char *const offline[] = {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"};
	static const char *const silent[] = {"AXOLOTL_DO_NOT_TRACK", "DO_NOT_TRACK"};
	const char *name = first_yes(request->caller, offline, MXT_ARRAY_LEN(offline));
	if (name && !first_yes(request->caller, silent, MXT_ARRAY_LEN(silent)))
		mxt_remark_warn(
		    remarks,
		    "%s says that nothing is reached from here: Axolotl then waits for ever at its end, for its "
		    "telemetry to be sent; set AXOLOTL_DO_NOT_TRACK=1",
		    name);
}

int mxt_env_set_axolotl(const struct mxt_env_request *request, struct mxt_env_changes *changes,
			struct mxt_remarks *remarks, struct mxt_error *err)
{
	static const char check[] = "XFORMERS_IGNORE_FLASH_VERSION_CHECK";
	remark_memory(request, remarks);
	if (!request->axolotl)
		return 0;
	remark_telemetry(request, remarks);
	if (mxt_sysroot_is_live(request->root) && access(".env", F_OK) == 0)
		mxt_remark_note(remarks, "./.env is not read: of all ways to start Axolotl only its command `axolotl` "
					 "does that; set in the environment what training needs of it");
	int rc = set_memory(request, changes, err);
	if (rc == 0 && !mxt_environ_get(request->caller, check))
		rc = mxt_env_changes_add(changes, check, "1", MXT_ENV_BY_LAUNCH, err);
	return rc;
}
