/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parsers of what a machine tells about itself. The first byte of an input, a letter, names the parser; the rest is
 * its text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_list.h"
#include "cuda_libraries.h"
#include "disk_space.h"
#include "elf_file.h"
#include "environ.h"
#include "environ_list.h"
#include "host_cgroup.h"
#include "host_cpu.h"
#include "host_memory.h"
#include "host_topology.h"
#include "library_version.h"
#include "meminfo.h"
#include "process_limits.h"
#include "python_folders.h"
#include "size_text.h"
#include "survey.h"
#include "torch_install.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any text. */
static void require(bool holds)
{
	if (!holds)
		abort();
}

static void run_cpu(const char *text, size_t len)
{
	struct mxt_host_cpu cpu;
	mxt_host_cpu_parse(text, len, &cpu);
	require(strlen(cpu.name) < sizeof cpu.name && strlen(cpu.vendor) < sizeof cpu.vendor && cpu.arch);
}

static void run_topology(const char *text, size_t len)
{
	(void)len;
	struct mxt_host_topology topology;
	if (mxt_host_topology_parse(text, &topology) < 0)
		return;
	require(!topology.cores.reported || topology.cores.value <= topology.threads.value);
	require(!topology.sockets.reported || topology.sockets.value <= topology.cores.value);
}

static void run_memory(const char *text, size_t len)
{
	(void)len;
	struct mxt_host_memory memory;
	mxt_host_memory_parse(text, &memory);
	struct mxt_reading total = mxt_meminfo_find(text, "MemTotal");
	require(!total.reported || total.value == memory.total_bytes);
	(void)mxt_memory_class_gib(memory.total_bytes);
	char size[MXT_SIZE_TEXT];
	require(strlen(mxt_size_text(size, total.value)) < sizeof size);
}

/* Membership and mount table are separated by the first NUL. */
static void run_cgroup(const char *text, size_t len)
{
	size_t first = strlen(text);
	const char *mounts = first < len ? text + first + 1 : "";
	static const char *const controllers[] = {"cpu", "memory"};
	for (size_t i = 0; i < 2; i++) {
		struct mxt_cgroup_place place;
		if (mxt_cgroup_locate(text, mounts, controllers[i], &place) < 0)
			continue;
		require((place.version == 0) == (place.dir == NULL));
		require(place.version == 0 || place.mount_len <= strlen(place.dir));
		free(place.dir);
	}
	(void)mxt_cgroup_parse_cpu_max(text);
}

static void run_list(const char *text, size_t len)
{
	(void)len;
	struct mxt_cpu_list list;
	if (mxt_cpu_list_parse(text, &list) < 0)
		return;
	uint32_t count = 0;
	for (uint32_t cpu = 0; (cpu = mxt_cpu_list_next(&list, cpu)) < MXT_CPU_LIST_MAX; cpu++)
		count++;
	require(count == mxt_cpu_list_count(&list));
}

static void run_limits(const char *text, size_t len)
{
	(void)len;
	struct mxt_process_limit limit = mxt_process_limit_find(text, "Max open files");
	require(limit.soft.reported || !limit.soft.value);
	(void)mxt_affinity_find(text);
}

static void run_release(const char *text, size_t len)
{
	(void)len;
	char name[8];
	mxt_os_release_find(text, "ID", name, sizeof name);
	require(strlen(name) < sizeof name);
	struct mxt_disk_space space = mxt_disk_space_find(text, "/tmp");
	require(!space.free_bytes.reported || space.free_bytes.value <= space.total_bytes.value);
}

static void run_environ(const char *text, size_t len)
{
	struct mxt_environ_list list;
	if (mxt_environ_list_parse(text, len, &list) < 0)
		return;
	for (char **entry = list.entries; *entry; entry++)
		require(strchr(*entry, '=') > *entry);
	(void)mxt_environ_get(list.entries, "PATH");
	mxt_environ_list_finish(&list);
}

static void run_python(const char *text, size_t len)
{
	(void)len;
	struct mxt_pyvenv pyvenv;
	mxt_pyvenv_parse(text, &pyvenv);
	require(strlen(pyvenv.version) < sizeof pyvenv.version);
	struct mxt_torch_install install = {.folder = ""};
	mxt_torch_version_parse(text, &install.files);
	mxt_wheel_version_parse(text, install.metadata);
	unsigned cuda = 0;
	if (mxt_cuda_wheel_parse(text, "nvidia_cudnn", &cuda, install.metadata))
		require(install.metadata[0] && cuda < 1000);
	char build[MXT_TORCH_TEXT + 8];
	require(strlen(mxt_torch_build(&install, build)) < sizeof build);
	require(strlen(install.metadata) < MXT_TORCH_TEXT && strlen(install.files.version) < MXT_TORCH_TEXT);
}

static void run_library(const char *bytes, size_t len)
{
	struct mxt_elf elf;
	char version[MXT_VERSION_SIZE];
	if (mxt_elf_parse((const unsigned char *)bytes, len, &elf) == 0)
		require(elf.n_constants <= MXT_ELF_RANGES_MAX);
	if (mxt_version_after(bytes, len, "OpenBLAS ", version) || mxt_version_alone(bytes, len, version) ||
	    mxt_version_in_name(bytes, "-r", version))
		require(strlen(version) < sizeof version);
}

static const struct {
	char letter;
	void (*run)(const char *text, size_t len);
} parsers[] = {
    {'c', run_cpu},    {'t', run_topology}, {'m', run_memory},  {'g', run_cgroup}, {'l', run_list},
    {'p', run_limits}, {'r', run_release},  {'e', run_environ}, {'y', run_python}, {'b', run_library},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	char *text = malloc(size); /* the rest, and a NUL, so that a sanitizer sees a read past its end */
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (size_t i = 0; i < sizeof parsers / sizeof parsers[0]; i++)
		if (parsers[i].letter == (char)data[0])
			parsers[i].run(text, size - 1);
	free(text);
	return 0;
}
