/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables that change kernels: what is set, and what looks as if it should do something but does not. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "cleanup.h"
#include "compiler.h"
#include "device_ops.h"
#include "environ.h"
#include "job_tuning.h"
#include "json.h"
#include "number.h"
#include "setting_files.h"
#include "survey.h"
#include "variable_advice.h"
#include "variables.h"

#define MAX_VALUE 1024 /* bytes of a variable's value that facts hold */

/* One entry of the environment; `name` is a copy that the loop owns. */
struct entry {
	const char *name, *value;
};

/* A value outside the table cannot be part of a plan; a path cannot either, but that is no fault of the caller's. */
static void find_odd_value(const struct entry *entry, const struct mxt_variable *row, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf allowed = MXT_BUF_INIT;
	bool path = row->rule.kind == MXT_VALUE_FILE;
	mxt_find(result, path ? MXT_CHECK_NOTE : MXT_CHECK_WARN, "%s=%s (%s, read by %s)", entry->name, entry->value,
		 mxt_variable_class_name(row->class), row->reader);
	if (path) {
		mxt_wrong(result, "%s; this file of yours is not part of a plan", row->why);
		return;
	}
	mxt_value_rule_text(&row->rule, &allowed);
	result->failed = result->failed || allowed.failed;
	mxt_wrong(result, "%s; no plan can hold this value", row->why);
	mxt_todo(result, "set it to %s, or unset it", mxt_buf_text(&allowed));
}

/* Whether anything that autotune times reads it: collectives, for one, are not timed. */
static bool is_raced(const char *name)
{
	for (const struct mxt_device_ops *const *ops = mxt_devices; *ops; ops++)
		for (const char *const *selector = (*ops)->selectors; *selector; selector++)
			if (strcmp(*selector, name) == 0)
				return true;
	return false;
}

/* What makes something tune while a job runs; true when it does. */
static bool find_tuning(const struct mxt_survey *survey, const struct entry *entry, struct mxt_check_result *result)
{
	const struct mxt_job_tuning *row = mxt_job_tuning_find(entry->name);
	if (!row || !mxt_job_tuning_asked(row, survey->environment))
		return false;
	mxt_find(result, MXT_CHECK_WARN, "%s=%s", entry->name, entry->value);
	mxt_wrong(
	    result,
	    "%s while the job runs; no plan can hold that; `run` and `train` refuse what their plan does not remove",
	    row->what);
	if (row->still[0])
		mxt_todo(result, "set %s=%s, or unset it", row->still, row->still_value);
	else
		mxt_todo(result, "unset it");
	return true;
}

static void find_known(const struct entry *entry, const struct mxt_variable *row, struct mxt_check_result *result)
{
	if (!mxt_value_allowed(&row->rule, entry->value)) {
		find_odd_value(entry, row, result);
		return;
	}
	bool kept = row->class != MXT_VARIABLE_SELECTOR;
	mxt_find(result, kept ? MXT_CHECK_OK : MXT_CHECK_NOTE, "%s=%s (%s, read by %s): %s", entry->name, entry->value,
		 mxt_variable_class_name(row->class), row->reader, row->why);
	if (!kept)
		mxt_wrong(result, is_raced(entry->name) ? "autotune measures without it (bare) and with it (yours)"
							: "autotune does not measure what it changes");
}

/* Code that is loaded into every process can replace what is measured. */
static void find_preload(const struct entry *entry, struct mxt_check_result *result)
{
	if (strcmp(entry->name, "LD_PRELOAD") != 0 || entry->value[0] == '\0')
		return;
	mxt_find(result, MXT_CHECK_NOTE, "LD_PRELOAD=%s", entry->value);
	mxt_wrong(result, "loaded into every process, measurements included, and not part of any plan");
	mxt_todo(result, "unset it unless training needs it");
}

static const enum mxt_check_status statuses[] = {
    [MXT_ADVICE_NOTE] = MXT_CHECK_NOTE,
    [MXT_ADVICE_WARN] = MXT_CHECK_WARN,
    [MXT_ADVICE_CONTRADICTION] = MXT_CHECK_WARN,
    [MXT_ADVICE_MISMATCH] = MXT_CHECK_WARN,
};

static void take_advice(void *context, const struct mxt_advice *advice)
{
	struct mxt_check_result *result = context;
	if (!advice) {
		result->failed = true;
		return;
	}
	mxt_find(result, statuses[advice->kind], "%s", advice->what);
	mxt_wrong(result, "%s", advice->wrong);
	if (advice->todo[0])
		mxt_todo(result, "%s", advice->todo);
}

static void find_denied(const struct mxt_buf *denied, struct mxt_check_result *result)
{
	if (denied->len)
		mxt_find(result, MXT_CHECK_OK, "kept as they are, never set by a plan: %s", mxt_buf_text(denied));
}

/* What the entries of one environment add up to. */
struct tally {
	struct mxt_reader_versions versions;
	struct mxt_buf denied;
	json_t *set; /* borrowed by the result's facts */
};

static void take_entry(const struct mxt_survey *survey, const struct entry *entry, struct tally *tally,
		       struct mxt_check_result *result)
{
	const struct mxt_variable *row = mxt_variable_find(entry->name);
	if (!row || row->class == MXT_VARIABLE_CALLER || row->class == MXT_VARIABLE_DEAD)
		return;
	if (row->class == MXT_VARIABLE_DENY) { /* values are not shown: HF_TOKEN is among them */
		mxt_buf_printf(&tally->denied, "%s%s", tally->denied.len ? ", " : "", entry->name);
		find_preload(entry, result);
		return;
	}
	if (json_object_set_new(tally->set, row->name, mxt_json_clean_text(entry->value, MAX_VALUE)) < 0)
		result->failed = true;
	if (!mxt_variable_unread(row, &tally->versions) && !find_tuning(survey, entry, result))
		find_known(entry, row, result);
}

static void take_all(const struct mxt_survey *survey, struct tally *tally, struct mxt_check_result *result)
{
	for (char *const *item = survey->environment; *item && !result->failed; item++) {
		const char *equals = strchr(*item, '=');
		if (!equals)
			continue;
		MXT_CLEANUP_FREE char *name = strndup(*item, (size_t)(equals - *item));
		if (!name) {
			result->failed = true;
			return;
		}
		const struct entry entry = {name, equals + 1};
		take_entry(survey, &entry, tally, result);
	}
}

/* Who obeys which thread count, in the order in which each library looks. */
static const char *const thread_variables[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
					       "BLIS_NUM_THREADS", "MKL_NUM_THREADS"};

static int64_t thread_count(const struct mxt_survey *survey, const char *name)
{
	const char *text = mxt_environ_get(survey->environment, name);
	int64_t count = 0;
	return text && mxt_parse_i64_in(text, 1, INT32_MAX, &count) == 0 ? count : 0;
}

static void find_thread_counts(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	int64_t usable =
	    survey->usable.reported && survey->usable.value <= INT32_MAX ? (int64_t)survey->usable.value : 0;
	int64_t omp = thread_count(survey, thread_variables[0]);
	for (size_t i = 0; i < MXT_ARRAY_LEN(thread_variables); i++) {
		int64_t count = thread_count(survey, thread_variables[i]);
		if (usable && count > usable) {
			mxt_find(result, MXT_CHECK_WARN, "%s=%" PRId64 " on %" PRId64 " usable thread%s",
				 thread_variables[i], count, usable, usable == 1 ? "" : "s");
			mxt_wrong(result, "more threads than processors: they wait for each other in every product");
			mxt_todo(result, "set it to %" PRId64 "%s", usable, usable == 1 ? "" : " or less");
		}
		if (omp && count && count != omp) {
			mxt_find(result, MXT_CHECK_WARN, "%s=%" PRId64 ", %s=%" PRId64, thread_variables[0], omp,
				 thread_variables[i], count);
			mxt_wrong(result, "they contradict each other: the library obeys its own, all else the first");
			mxt_todo(result, "set one of them, or both to one value");
		}
	}
}

static void find_devices_and_files(const struct mxt_survey *survey, const struct mxt_advice_sink *sink)
{
	bool amd = survey->gpus.count[MXT_GPU_AMD] > 0, nvidia = survey->gpus.count[MXT_GPU_NVIDIA] > 0;
	enum mxt_gpu_stack stack = amd && !nvidia ? MXT_STACK_ROCM : nvidia && !amd ? MXT_STACK_CUDA : MXT_STACK_NONE;
	const struct mxt_setting_files files = {survey->root, survey->environment, NULL, stack};
	mxt_visible_devices_advise(survey->environment, stack, 0, sink);
	mxt_setting_files_advise(&files, sink);
}

void mxt_check_variables(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const char *torch = survey->torch.count ? survey->torch.items[0].files.version : "";
	struct tally tally = {{.torch = torch}, MXT_BUF_INIT, NULL};
	const struct mxt_advice_sink sink = {take_advice, result};
	if (!survey->environment) {
		mxt_fact_text(result, "set", NULL);
		mxt_find(result, MXT_CHECK_OK, "not recorded");
		return;
	}
	tally.set = json_object();
	mxt_fact_json(result, "set", tally.set);
	if (!result->failed)
		take_all(survey, &tally, result);
	mxt_variable_advise(survey->environment, &tally.versions, &sink);
	find_devices_and_files(survey, &sink);
	find_thread_counts(survey, result);
	find_denied(&tally.denied, result);
	if (result->n_findings == 0)
		mxt_find(result, MXT_CHECK_OK, "none that changes kernels is set");
	result->failed = result->failed || tally.denied.failed;
	mxt_buf_finish(&tally.denied);
}
