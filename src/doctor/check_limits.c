/* SPDX-License-Identifier: Apache-2.0 */
/* What this process may use: processors, memory, descriptors. */
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "environ.h"
#include "machine_file.h"
#include "meminfo.h"
#include "number.h"
#include "process_limits.h"
#include "size_text.h"
#include "survey.h"

static void find_affinity(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	struct mxt_reading affinity = survey->affinity, threads = survey->topology.threads;
	mxt_fact_number(result, "affinity_threads", affinity);
	mxt_fact_number(result, "usable_threads", survey->usable);
	if (!affinity.reported) {
		mxt_find(result, MXT_CHECK_OK, "processors that this process may use: not reported");
		return;
	}
	bool fewer = threads.reported && affinity.value < threads.value;
	mxt_find(result, fewer ? MXT_CHECK_NOTE : MXT_CHECK_OK, "this process may run on %" PRIu64 " thread%s",
		 affinity.value, affinity.value == 1 ? "" : "s");
	if (fewer)
		mxt_wrong(result, "the machine has %" PRIu64 ": a plan from here is for the smaller number",
			  threads.value);
}

static void fact_limit(struct mxt_check_result *result, const char *key, struct mxt_reading limit)
{
	if (mxt_reading_is(limit, MXT_LIMIT_UNLIMITED))
		mxt_fact_text(result, key, "unlimited");
	else
		mxt_fact_number(result, key, limit);
}

/* Without a limit anywhere there is none, unless the groups themselves are hidden. */
static void fact_group_limit(const struct mxt_survey *survey, const char *key, const struct mxt_cgroup_limit *limit,
			     struct mxt_check_result *result)
{
	bool known = mxt_machine_exists(survey->root, "/proc/self/cgroup", &result->failed);
	struct mxt_reading reading = {MXT_LIMIT_UNLIMITED, known};
	fact_limit(result, key, limit->file ? mxt_reading_of(limit->value) : reading);
}

/* A thread count that the environment caps at the quota makes the quota harmless. */
static bool capped(const struct mxt_survey *survey)
{
	const char *text = mxt_environ_get(survey->environment, "OMP_NUM_THREADS");
	int64_t threads = 0;
	return text && mxt_parse_i64_in(text, 1, (int64_t)survey->usable.value, &threads) == 0;
}

static void find_quota(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_cgroup_limit *quota = &survey->cgroup.cpu_milli;
	char processors[32];
	fact_group_limit(survey, "cpu_quota_milli", quota, result);
	if (!quota->file || quota->value > INT64_MAX)
		return;
	bool binds = survey->affinity.reported && quota->value / 1000 < survey->affinity.value;
	bool warn = binds && survey->usable.reported && !capped(survey);
	mxt_find(result,
		 warn    ? MXT_CHECK_WARN
		 : binds ? MXT_CHECK_NOTE
			 : MXT_CHECK_OK,
		 "CPU quota: %s processors (%s)", mxt_format_fixed(processors, (int64_t)quota->value, 3, 1),
		 quota->file);
	if (!binds)
		return;
	mxt_wrong(result,
		  "%" PRIu64 " threads are visible; libraries start as many, and the kernel stops all of them "
		  "for the rest of each period",
		  survey->affinity.value);
	if (warn)
		mxt_todo(result, "export OMP_NUM_THREADS=%" PRIu64 ", or give the container more (docker run --cpus)",
			 survey->usable.value);
}

/* What the group whose limit is in `file` uses now. */
static struct mxt_reading group_usage(const struct mxt_survey *survey, const char *file,
				      struct mxt_check_result *result)
{
	static const char *const names[] = {"memory.current", "memory.usage_in_bytes"};
	const char *slash = strrchr(file, '/');
	struct mxt_reading usage = {0, false};
	for (size_t i = 0; slash && i < MXT_ARRAY_LEN(names) && !usage.reported; i++) {
		MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
		mxt_buf_append(&path, file, (size_t)(slash - file) + 1);
		mxt_buf_puts(&path, names[i]);
		result->failed = result->failed || path.failed;
		usage = mxt_machine_number(survey->root, mxt_buf_text(&path), &result->failed);
	}
	return usage;
}

static void find_memory_limit(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_cgroup_limit *limit = &survey->cgroup.memory_bytes;
	MXT_CLEANUP_BUF struct mxt_buf meminfo = MXT_BUF_INIT;
	const char *text = mxt_machine_text(survey->root, "/proc/meminfo", &meminfo, &result->failed);
	struct mxt_reading total = mxt_meminfo_find(text, "MemTotal");
	struct mxt_reading usage = {0, false};
	if (limit->file)
		usage = group_usage(survey, limit->file, result);
	fact_group_limit(survey, "memory_limit_bytes", limit, result);
	mxt_fact_number(result, "memory_used_bytes", usage);
	if (!limit->file || (total.reported && limit->value >= total.value))
		return;
	char limit_text[MXT_SIZE_TEXT], usage_text[MXT_SIZE_TEXT];
	bool tight = usage.reported && usage.value > limit->value / 10 * 9;
	mxt_find(result, tight ? MXT_CHECK_WARN : MXT_CHECK_NOTE, "memory limit: %s (%s)",
		 mxt_size_text(limit_text, limit->value), limit->file);
	if (tight)
		mxt_wrong(result,
			  "%s of it are in use: the next large allocation is killed without a message of its own",
			  mxt_size_text(usage_text, usage.value));
	else
		mxt_wrong(result, "a job that goes beyond it is killed without a message of its own");
	if (tight)
		mxt_todo(result, "end what uses it, or raise the limit (docker run --memory)");
}

/* Limits of the process that training runs into, and the least that does not hurt. */
static const struct limit_row {
	const char *name; /* in /proc/self/limits */
	const char *key, *title;
	uint64_t least;
	bool bytes;
	const char *wrong, *todo;
} limit_rows[] = {
    {"Max open files", "open_files", "open files", 4096, false,
     "data loaders hand tensors over in descriptors, and sharded checkpoints keep many files open: \"Too many open "
     "files\"",
     "ulimit -n 65536 before the job (docker run --ulimit nofile=65536)"},
    {"Max processes", "processes", "processes of this user", 4096, false,
     "each rank starts loaders and compiler workers with many threads: \"Resource temporarily unavailable\"",
     "ulimit -u 65536 before the job (docker run --ulimit nproc=65536)"},
    {"Max locked memory", "locked_memory", "locked memory", 64 * MXT_MIB, true,
     "collectives over InfiniBand or RoCE register more than that, and then fail or fall back to TCP; one machine "
     "alone does not need it",
     "ulimit -l unlimited before the job (docker run --ulimit memlock=-1)"},
    {"Max address space", "address_space", "address space", MXT_LIMIT_UNLIMITED, true,
     "GPU runtimes reserve more address space than the machine has memory", "ulimit -v unlimited before the job"},
};

static void find_limit(const struct limit_row *row, const char *limits, struct mxt_check_result *result)
{
	struct mxt_process_limit limit = mxt_process_limit_find(limits, row->name);
	char size[MXT_SIZE_TEXT];
	fact_limit(result, row->key, limit.soft);
	if (!limit.soft.reported || limit.soft.value >= row->least)
		return;
	if (row->bytes)
		mxt_find(result, MXT_CHECK_NOTE, "%s: at most %s", row->title, mxt_size_text(size, limit.soft.value));
	else
		mxt_find(result, MXT_CHECK_NOTE, "%s: at most %" PRIu64, row->title, limit.soft.value);
	mxt_wrong(result, "%s", row->wrong);
	bool by_root = limit.hard.reported && limit.hard.value < row->least;
	mxt_todo(result, "%s%s", by_root ? "as root, since the hard limit is low too: " : "", row->todo);
}

void mxt_check_limits(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf limits = MXT_BUF_INIT;
	const char *text = mxt_machine_text(survey->root, "/proc/self/limits", &limits, &result->failed);
	find_affinity(survey, result);
	find_quota(survey, result);
	find_memory_limit(survey, result);
	for (size_t i = 0; i < MXT_ARRAY_LEN(limit_rows); i++)
		find_limit(&limit_rows[i], text, result);
}
