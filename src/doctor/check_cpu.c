/* SPDX-License-Identifier: Apache-2.0 */
/* The processor, and what holds its clock back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "cpu_list.h"
#include "error.h"
#include "host_cpu.h"
#include "machine_file.h"
#include "number.h"
#include "survey.h"
#include "sysroot.h"

#define CPUS "/sys/devices/system/cpu"

static void identity_facts(const struct mxt_host_cpu *cpu, struct mxt_check_result *result)
{
	bool known = cpu->kind != MXT_CPU_OTHER, numbered = known && cpu->family != 0; /* no processor has family 0 */
	mxt_fact_text(result, "vendor", strcmp(cpu->vendor, "unknown") == 0 ? NULL : cpu->vendor);
	mxt_fact_text(result, "name", cpu->name);
	mxt_fact_number(result, "family", (struct mxt_reading){cpu->family, numbered});
	mxt_fact_number(result, "model", (struct mxt_reading){cpu->model, numbered});
	mxt_fact_text(result, "level", known ? cpu->arch : NULL);
}

static void find_identity(const struct mxt_host_cpu *cpu, struct mxt_check_result *result)
{
	if (cpu->kind == MXT_CPU_OTHER) {
		mxt_find(result, MXT_CHECK_WARN, "processor: not reported");
		mxt_wrong(result,
			  "/proc/cpuinfo is missing or tells neither an x86 nor an Arm processor: kernels cannot "
			  "be matched to it");
		mxt_todo(result, "mount /proc in this container or sandbox");
	} else if (cpu->family == 0) {
		mxt_find(result, MXT_CHECK_OK, "%s processor, model not reported, %s", cpu->vendor, cpu->arch);
	} else if (cpu->kind == MXT_CPU_ARM) {
		mxt_find(result, MXT_CHECK_OK, "%s processor, part 0x%" PRIx32 ", %s", cpu->vendor, cpu->model,
			 cpu->arch);
	} else {
		mxt_find(result, MXT_CHECK_OK, "%s (%s, family %" PRIu32 ", model %" PRIu32 "), %s",
			 cpu->name[0] ? cpu->name : "x86 processor without a name", cpu->vendor, cpu->family,
			 cpu->model, cpu->arch);
	}
}

/* Below v3 there is neither AVX2 nor FMA, and libraries fall back to kernels several times slower. */
static void find_level(const struct mxt_host_cpu *cpu, struct mxt_check_result *result)
{
	if (cpu->kind != MXT_CPU_X86 || (mxt_host_cpu_has(cpu, MXT_CPU_AVX2) && mxt_host_cpu_has(cpu, MXT_CPU_FMA)))
		return;
	mxt_find(result, MXT_CHECK_WARN, "no AVX2 and FMA");
	mxt_wrong(result, "matrix products run several times slower than on processors of the last ten years");
	mxt_todo(result, "in a virtual machine, give the guest the host's processor model (QEMU: -cpu host)");
}

static void append_count(struct mxt_buf *buf, struct mxt_reading count, const char *unit)
{
	if (buf->len)
		mxt_buf_puts(buf, ", ");
	if (count.reported)
		mxt_buf_printf(buf, "%" PRIu64 " %s%s", count.value, unit, count.value == 1 ? "" : "s");
	else
		mxt_buf_printf(buf, "%ss not reported", unit);
}

static void find_counts(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	const struct mxt_host_topology *topology = &survey->topology;
	mxt_fact_number(result, "sockets", topology->sockets);
	mxt_fact_number(result, "cores", topology->cores);
	mxt_fact_number(result, "threads", topology->threads);
	struct mxt_reading smt = {topology->threads.value > topology->cores.value,
				  topology->threads.reported && topology->cores.reported};
	mxt_fact_flag(result, "smt", smt);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	append_count(&text, topology->sockets, "socket");
	append_count(&text, topology->cores, "core");
	append_count(&text, topology->threads, "thread");
	if (smt.reported)
		mxt_buf_printf(&text, " (SMT %s)", smt.value ? "on" : "off");
	result->failed = result->failed || text.failed;
	mxt_find(result, MXT_CHECK_OK, "%s", mxt_buf_text(&text));
}

/* Share of all processor time since boot that other guests took, in ppm: the "cpu" line of /proc/stat. */
static struct mxt_reading steal_ppm(const char *stat)
{
	enum { STEAL = 7, FIELDS = 8 }; /* user nice system idle iowait irq softirq steal */
	struct mxt_reading none = {0, false};
	uint64_t total = 0, value = 0;
	const char *at = strncmp(stat, "cpu ", 4) == 0 ? stat + 4 : "";
	for (int field = 0; field < FIELDS; field++) {
		at += strspn(at, " ");
		if (mxt_parse_u64(at, &at, &value) < 0 || value > UINT64_MAX / 16 / 1000000)
			return none;
		total += value;
	}
	return total ? mxt_reading_of(value * 1000000 / total) : none;
}

static void find_guest(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf vendor = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf stat = MXT_BUF_INIT;
	const char *maker = mxt_machine_text(survey->root, "/sys/class/dmi/id/sys_vendor", &vendor, &result->failed);
	struct mxt_reading steal = steal_ppm(mxt_machine_text(survey->root, "/proc/stat", &stat, &result->failed));
	mxt_fact_text(result, "system_vendor", maker);
	mxt_fact_flag(result, "guest", survey->topology.guest);
	mxt_fact_number(result, "steal_ppm", steal);
	if (!mxt_reading_is(survey->topology.guest, 1))
		return;
	bool stolen = steal.reported && steal.value >= 10000;
	char percent[32];
	mxt_find(result, stolen ? MXT_CHECK_WARN : MXT_CHECK_NOTE, "a virtual machine%s%s", *maker ? " by " : "",
		 maker);
	if (stolen)
		mxt_wrong(result,
			  "other guests of its host took %s %% of the processor time since boot: times are noisy",
			  mxt_format_fixed(percent, (int64_t)steal.value, 4, 1));
	else
		mxt_wrong(result, "what other guests of its host do can change times from run to run");
	if (stolen)
		mxt_todo(result, "use a dedicated host or pinned processors; a plan from here may find no difference");
}

void mxt_check_cpu(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	identity_facts(&survey->cpu, result);
	find_identity(&survey->cpu, result);
	find_level(&survey->cpu, result);
	find_counts(survey, result);
	find_guest(survey, result);
}

/* What a governor does to measurements. */
static const struct governor_row {
	const char *name;
	bool with_pstate_only; /* the row holds for drivers whose hardware chooses the clock */
	enum mxt_check_status status;
	const char *wrong;
} governor_rows[] = {
    {"performance", false, MXT_CHECK_OK, ""},
    {"powersave", true, MXT_CHECK_NOTE, "the clock follows the load: the first kernels after a pause run slower"},
    {"powersave", false, MXT_CHECK_WARN, "the processor is held at its lowest clock"},
    {"schedutil", false, MXT_CHECK_NOTE, "the clock follows the load: the first kernels after a pause run slower"},
    {"ondemand", false, MXT_CHECK_NOTE, "the clock follows the load: the first kernels after a pause run slower"},
    {"conservative", false, MXT_CHECK_WARN, "the clock rises slowly with the load: short kernels run slower"},
    {"userspace", false, MXT_CHECK_NOTE, "a program sets the clock"},
};

static const struct governor_row *governor_row(const char *governor, const char *driver)
{
	bool pstate = strncmp(driver, "intel_pstate", 12) == 0 || strncmp(driver, "amd-pstate-epp", 14) == 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(governor_rows); i++)
		if (strcmp(governor_rows[i].name, governor) == 0 && (pstate || !governor_rows[i].with_pstate_only))
			return &governor_rows[i];
	return NULL;
}

static void cpufreq_path(char path[96], uint32_t cpu, const char *name)
{
	(void)snprintf(path, 96, CPUS "/cpu%" PRIu32 "/cpufreq/%s", cpu, name);
}

/* How many processors report another governor than the first one that reports any. */
static uint32_t other_governors(const struct mxt_survey *survey, const char *governor, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf online = MXT_BUF_INIT;
	struct mxt_cpu_list list;
	uint32_t others = 0;
	const char *text = mxt_machine_text(survey->root, CPUS "/online", &online, &result->failed);
	if (mxt_cpu_list_parse(text, &list) < 0)
		return 0;
	for (uint32_t cpu = 0; (cpu = mxt_cpu_list_next(&list, cpu)) < MXT_CPU_LIST_MAX; cpu++) {
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		char path[96];
		cpufreq_path(path, cpu, "scaling_governor");
		const char *name = mxt_machine_text(survey->root, path, &buf, &result->failed);
		others += *name && strcmp(name, governor) != 0;
	}
	return others;
}

/* Whether the clock may rise above the nominal one. */
static struct mxt_reading boost_reading(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	struct mxt_reading boost = mxt_machine_number(survey->root, CPUS "/cpufreq/boost", &result->failed);
	struct mxt_reading no_turbo = mxt_machine_number(survey->root, CPUS "/intel_pstate/no_turbo", &result->failed);
	if (!boost.reported && no_turbo.reported)
		boost = mxt_reading_of(no_turbo.value == 0);
	return boost;
}

static void find_governor(const char *governor, const char *driver, struct mxt_reading boost, uint32_t others,
			  struct mxt_check_result *result)
{
	const struct governor_row *row = governor_row(governor, driver);
	enum mxt_check_status status = row ? row->status : MXT_CHECK_NOTE;
	if (others && status < MXT_CHECK_WARN)
		status = MXT_CHECK_WARN;
	mxt_find(result, status, "governor %s%s%s%s%s", governor, *driver ? ", driver " : "", driver,
		 boost.reported ? ", boost " : "", boost.reported ? (boost.value ? "on" : "off") : "");
	if (status == MXT_CHECK_OK)
		return;
	if (others)
		mxt_wrong(result, "%" PRIu32 " processors have another governor: times depend on where threads run",
			  others);
	else
		mxt_wrong(result, "%s", row ? row->wrong : "this program does not know what that governor does");
	mxt_todo(result, "as root: cpupower frequency-set -g performance");
}

void mxt_check_frequency(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf governor_buf = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf driver_buf = MXT_BUF_INIT;
	const char *governor =
	    mxt_machine_text(survey->root, CPUS "/cpu0/cpufreq/scaling_governor", &governor_buf, &result->failed);
	const char *driver =
	    mxt_machine_text(survey->root, CPUS "/cpu0/cpufreq/scaling_driver", &driver_buf, &result->failed);
	struct mxt_reading boost = boost_reading(survey, result);
	uint32_t others = *governor ? other_governors(survey, governor, result) : 0;
	mxt_fact_text(result, "governor", governor);
	mxt_fact_text(result, "driver", driver);
	mxt_fact_flag(result, "boost", boost);
	mxt_fact_number(result, "other_governors", (struct mxt_reading){others, *governor != '\0'});
	if (*governor)
		find_governor(governor, driver, boost, others, result);
	else
		mxt_find(result, MXT_CHECK_OK, "governor: not reported (usual in virtual machines and containers)");
}
