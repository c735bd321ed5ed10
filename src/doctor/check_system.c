/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of machine this is, its clock, and the GPUs on its bus. */
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "machine_file.h"
#include "survey.h"

/* Container engines by the file that they leave behind. */
static const struct {
	const char *file, *name;
} containers[] = {{"/.dockerenv", "Docker"}, {"/run/.containerenv", "Podman"}, {"/run/.singularity.d", "Apptainer"}};

static const char *container_name(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(containers); i++)
		if (mxt_machine_exists(survey->root, containers[i].file, &result->failed))
			return containers[i].name;
	return "";
}

void mxt_check_system(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf release = MXT_BUF_INIT;
	const char *kernel = mxt_machine_text(survey->root, "/proc/sys/kernel/osrelease", &release, &result->failed);
	const char *container = container_name(survey, result);
	mxt_fact_text(result, "kernel", kernel);
	mxt_fact_text(result, "os", survey->os_name);
	mxt_fact_text(result, "container", container);
	mxt_find(result, MXT_CHECK_OK, "Linux %s, %s%s%s%s", *kernel ? kernel : "(release not reported)",
		 survey->os_name[0] ? survey->os_name : "distribution not reported", *container ? ", in a " : "",
		 container, *container ? " container" : "");
}

/* How well a clock source times short kernels. */
static const struct clock_row {
	const char *name;
	enum mxt_check_status status;
} clock_rows[] = {
    {"tsc", MXT_CHECK_OK},
    {"kvm-clock", MXT_CHECK_OK},
    {"hyperv_clocksource_tsc_page", MXT_CHECK_OK},
    {"arch_sys_counter", MXT_CHECK_OK},
    {"xen", MXT_CHECK_NOTE},
    {"hpet", MXT_CHECK_WARN},
    {"acpi_pm", MXT_CHECK_WARN},
    {"jiffies", MXT_CHECK_WARN},
    {"refined-jiffies", MXT_CHECK_WARN},
};

static enum mxt_check_status clock_status(const char *source)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(clock_rows); i++)
		if (strcmp(clock_rows[i].name, source) == 0)
			return clock_rows[i].status;
	return MXT_CHECK_NOTE;
}

void mxt_check_time(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	const char *source = mxt_machine_text(
	    survey->root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", &buf, &result->failed);
	mxt_fact_text(result, "clocksource", source);
	if (!*source) {
		mxt_find(result, MXT_CHECK_OK, "clock source: not reported");
		return;
	}
	enum mxt_check_status status = clock_status(source);
	mxt_find(result, status, "clock source %s", source);
	if (status == MXT_CHECK_OK)
		return;
	mxt_wrong(result, "reading it is slow or coarse, and short kernels cannot be timed well with it");
	mxt_todo(result, "look for why the kernel dropped the processor's own counter: dmesg | grep -i -e tsc -e "
			 "clocksource; on bare metal tsc=reliable on the kernel's command line keeps it");
}

void mxt_check_gpu(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	static const char *const keys[MXT_GPU_VENDOR_COUNT] = {"nvidia", "amd"};
	for (size_t i = 0; i < MXT_GPU_VENDOR_COUNT; i++) {
		uint32_t count = survey->gpus.count[i];
		mxt_fact_number(result, keys[i], (struct mxt_reading){count, survey->gpus.reported});
		if (count == 0)
			continue;
		mxt_find(result, MXT_CHECK_OK, "%" PRIu32 " %s GPU%s present", count,
			 mxt_gpu_vendor_name((enum mxt_gpu_vendor)i), count == 1 ? "" : "s");
	}
	if (result->n_findings == 0)
		mxt_find(result, MXT_CHECK_OK, "%s",
			 survey->gpus.reported ? "no NVIDIA or AMD GPU on the PCI bus"
					       : "GPUs: not reported (no PCI bus is visible)");
}
