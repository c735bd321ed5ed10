/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the checks look at: the machine (live or recorded), and the facts that more than one of them needs, read once.
 */
#ifndef MXT_DOCTOR_SURVEY_H
#define MXT_DOCTOR_SURVEY_H

#include <stdbool.h>

#include "amd_machine.h"
#include "host_cgroup.h"
#include "host_cpu.h"
#include "host_pci.h"
#include "host_topology.h"
#include "nvidia_answer.h"
#include "python_env.h"
#include "reading.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_sysroot;

/* All pointers are borrowed. */
struct mxt_doctor_request {
	const struct mxt_sysroot *root;
	char *const *environment; /* NULL-ended; NULL: not recorded */
	const char *python;       /* an interpreter, or the folder of an environment; NULL: find one */
	const json_t *nvidia;     /* what NVIDIA's driver answered (nvidia_answer.h); NULL: nobody asked */
};

struct mxt_survey {
	const struct mxt_sysroot *root;
	char *const *environment; /* NULL: not recorded */
	struct mxt_host_cpu cpu;
	struct mxt_host_topology topology;
	struct mxt_host_cgroup cgroup;
	struct mxt_reading affinity; /* processors that the process may run on */
	struct mxt_reading usable;   /* the same, and not more than the CPU quota, at least 1 */
	struct mxt_pci_gpus gpus;
	struct mxt_nvidia_answer nvidia;
	struct mxt_amd_machine amd;
	struct mxt_python python;
	struct mxt_torch_list torch; /* what that Python can import */
	char distribution[32];       /* ID of /etc/os-release: "debian"; "" when not reported */
	char os_name[96];            /* PRETTY_NAME */
};

int mxt_survey_init(struct mxt_survey *survey, const struct mxt_doctor_request *request, struct mxt_error *err);
void mxt_survey_finish(struct mxt_survey *survey);

bool mxt_survey_has_gpu(const struct mxt_survey *survey);

/*
 * The value of NAME=value or NAME="value" in a text like /etc/os-release, cut to the buffer; "" when it is not there.
 */
void mxt_os_release_find(const char *text, const char *name, char *out, size_t size);

/* The number of processors in the line Cpus_allowed_list of /proc/self/status. */
struct mxt_reading mxt_affinity_find(const char *text);

#endif
