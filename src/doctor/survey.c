/* SPDX-License-Identifier: Apache-2.0 */
#include "survey.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "cpu_list.h"
#include "error.h"
#include "machine_file.h"

void mxt_os_release_find(const char *text, const char *name, char *out, size_t size)
{
	size_t len = strlen(name);
	out[0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) != 0 || line[len] != '=')
			continue;
		const char *value = line + len + 1;
		bool quoted = *value == '"';
		value += quoted;
		size_t n = strcspn(value, quoted ? "\"\n" : "\n");
		n = n < size ? n : size - 1;
		memcpy(out, value, n);
		out[n] = '\0';
		return;
	}
}

struct mxt_reading mxt_affinity_find(const char *text)
{
	static const char key[] = "Cpus_allowed_list:";
	struct mxt_reading none = {0, false};
	const char *line = strstr(text, key);
	if (!line)
		return none;
	line += sizeof key - 1;
	line += strspn(line, " \t");
	char list_text[4096];
	size_t len = strcspn(line, "\n");
	if (len == 0 || len >= sizeof list_text)
		return none;
	memcpy(list_text, line, len);
	list_text[len] = '\0';
	struct mxt_cpu_list list;
	return mxt_cpu_list_parse(list_text, &list) == 0 ? mxt_reading_of(mxt_cpu_list_count(&list)) : none;
}

static int read_system(struct mxt_survey *survey, struct mxt_error *err)
{
	bool failed = false;
	MXT_CLEANUP_BUF struct mxt_buf release = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf status = MXT_BUF_INIT;
	const char *text = mxt_machine_text(survey->root, "/etc/os-release", &release, &failed);
	mxt_os_release_find(text, "ID", survey->distribution, sizeof survey->distribution);
	mxt_os_release_find(text, "PRETTY_NAME", survey->os_name, sizeof survey->os_name);
	text = mxt_machine_text(survey->root, "/proc/self/status", &status, &failed);
	survey->affinity = mxt_affinity_find(text);
	return failed ? mxt_error_oom(err) : 0;
}

/* A sandbox may not tell the affinity, and then the number of processors has to do. */
static void count_usable(struct mxt_survey *survey)
{
	survey->usable = survey->affinity.reported ? survey->affinity : survey->topology.threads;
	uint64_t quota = survey->cgroup.cpu_milli.value / 1000;
	if (survey->cgroup.cpu_milli.value == 0 || !survey->usable.reported)
		return;
	if (survey->usable.value > quota)
		survey->usable.value = quota ? quota : 1;
}

/* A machine without /proc/cpuinfo has a processor that is not known. */
static int read_cpu(struct mxt_survey *survey, struct mxt_error *err)
{
	int rc = mxt_host_cpu_read(survey->root, &survey->cpu, NULL);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0)
		mxt_host_cpu_parse("", 0, &survey->cpu);
	return 0;
}

int mxt_survey_init(struct mxt_survey *survey, const struct mxt_doctor_request *request, struct mxt_error *err)
{
	*survey = (struct mxt_survey){.root = request->root, .environment = request->environment};
	int rc = read_cpu(survey, err);
	if (rc == 0)
		rc = mxt_host_topology_read(survey->root, &survey->topology, err);
	if (rc == 0)
		rc = mxt_host_cgroup_read(survey->root, &survey->cgroup, err);
	if (rc == 0)
		rc = mxt_pci_gpus_read(survey->root, &survey->gpus, err);
	if (rc == 0)
		rc = mxt_amd_machine_read(survey->root, survey->environment, &survey->amd, err);
	if (rc == 0)
		rc = mxt_python_find(survey->root, survey->environment, request->python, &survey->python, err);
	if (rc == 0)
		rc = mxt_torch_find(survey->root, &survey->python, &survey->torch, err);
	if (rc == 0)
		rc = read_system(survey, err);
	if (rc < 0) {
		mxt_survey_finish(survey);
		return rc;
	}
	count_usable(survey);
	mxt_nvidia_answer_parse(request->nvidia, &survey->nvidia);
	return 0;
}

void mxt_survey_finish(struct mxt_survey *survey)
{
	mxt_host_cgroup_finish(&survey->cgroup);
	mxt_amd_machine_finish(&survey->amd);
	mxt_torch_list_finish(&survey->torch);
	mxt_python_finish(&survey->python);
	*survey = (struct mxt_survey){.root = NULL};
}

bool mxt_survey_has_gpu(const struct mxt_survey *survey)
{
	for (size_t i = 0; i < MXT_GPU_VENDOR_COUNT; i++)
		if (survey->gpus.count[i])
			return true;
	return false;
}
