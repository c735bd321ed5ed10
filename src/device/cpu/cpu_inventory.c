/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_inventory.h"

#include <errno.h>

#include "error.h"
#include "sysroot.h"

#define GUESSED_LLC   (UINT64_C(32) << 20)
#define HIGHEST_CLOCK 5.5e9 /* Hz: no processor sold for servers runs faster */

static int read_blas(const struct mxt_sysroot *root, struct mxt_cpu_host *host, struct mxt_error *err)
{
	int rc = 0;
	for (int kind = 0; kind < MXT_BLAS_KIND_COUNT && rc == 0; kind++)
		rc = mxt_blas_file_find(root, &host->cpu, (enum mxt_blas_kind)kind, &host->blas[kind], err);
	return rc;
}

int mxt_cpu_host_read(const struct mxt_sysroot *root, struct mxt_cpu_host *ret_host, struct mxt_error *err)
{
	struct mxt_cpu_host host = {.memory = {0, 0}};
	int rc = mxt_host_cpu_read(root, &host.cpu, err);
	if (rc == 0)
		rc = mxt_cpu_topology_read(root, &host.topology, err);
	if (rc == 0)
		rc = mxt_host_memory_read(root, &host.memory, err);
	if (rc == 0)
		rc = mxt_host_cgroup_read(root, &host.cgroup, err);
	if (rc == 0)
		rc = read_blas(root, &host, err);
	if (rc < 0)
		mxt_cpu_host_finish(&host);
	else
		*ret_host = host;
	return rc;
}

int mxt_cpu_host_take(unsigned ordinal, struct mxt_cpu_host *ret_host, struct mxt_error *err)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	if (ordinal == 0)
		return mxt_cpu_host_read(&live, ret_host, err);
	return mxt_error_set(err, -ENODEV, MXT_E_NO_PROCESSOR, "there is no CPU device %u: the host is number 0",
			     ordinal);
}

void mxt_cpu_host_finish(struct mxt_cpu_host *host)
{
	mxt_host_cgroup_finish(&host->cgroup);
	for (int kind = 0; kind < MXT_BLAS_KIND_COUNT; kind++)
		mxt_blas_file_finish(&host->blas[kind]);
}

uint32_t mxt_cpu_host_units(const struct mxt_cpu_host *host)
{
	uint64_t whole = host->cgroup.cpu_milli.value / 1000;
	if (host->cgroup.cpu_milli.value == 0 || whole > host->topology.cores)
		return host->topology.cores;
	return whole ? (uint32_t)whole : 1;
}

uint64_t mxt_cpu_host_memory(const struct mxt_cpu_host *host)
{
	uint64_t limit = host->cgroup.memory_bytes.value, total = host->memory.total_bytes;
	return limit && (limit < total || total == 0) ? limit : total;
}

uint64_t mxt_cpu_host_llc(const struct mxt_cpu_host *host)
{
	return host->topology.llc_bytes ? host->topology.llc_bytes : GUESSED_LLC;
}

/* float32 operations per cycle and core: two pipes, a multiplication and an addition in each. */
struct width_row {
	enum mxt_cpu_kind kind;
	enum mxt_cpu_feature feature;
	double flops;
};

static const struct width_row widths[] = {
    {MXT_CPU_X86, MXT_CPU_AVX512F, 64}, /* 2 x 16 lanes x 2 */
    {MXT_CPU_X86, MXT_CPU_FMA, 32},     {MXT_CPU_X86, MXT_CPU_FMA4, 32}, {MXT_CPU_X86, MXT_CPU_AVX, 32},
    {MXT_CPU_X86, MXT_CPU_SSE2, 16},    {MXT_CPU_ARM, MXT_CPU_SVE, 64}, /* 2 x 512 bits or 4 x 256 */
    {MXT_CPU_ARM, MXT_CPU_ASIMD, 32},                                   /* 4 x 128 bits */
};

double mxt_cpu_host_peak_flops(const struct mxt_cpu_host *host)
{
	double clock = host->topology.max_mhz ? host->topology.max_mhz * 1e6 : HIGHEST_CLOCK;
	for (size_t i = 0; i < MXT_ARRAY_LEN(widths); i++)
		if (widths[i].kind == host->cpu.kind && mxt_host_cpu_has(&host->cpu, widths[i].feature))
			return host->topology.cores * clock * widths[i].flops;
	return 0;
}

enum mxt_blas_kind mxt_cpu_host_default_blas(const struct mxt_cpu_host *host)
{
	return host->blas[MXT_BLAS_OPENBLAS].path || !host->blas[MXT_BLAS_BLIS].path ? MXT_BLAS_OPENBLAS
										     : MXT_BLAS_BLIS;
}

static json_t *platform_json(const struct mxt_cpu_host *host)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "vendor", host->cpu.vendor, "arch", host->cpu.arch, "family",
			 (json_int_t)host->cpu.family, "model", (json_int_t)host->cpu.model, "units",
			 (json_int_t)mxt_cpu_host_units(host), "memory_gib",
			 (json_int_t)mxt_memory_class_gib(mxt_cpu_host_memory(host)));
}

/* "0.3.21 pthread"; libraries that are not installed are left out. */
static json_t *stack_json(const struct mxt_cpu_host *host)
{
	json_t *stack = json_pack("{s:s, s:s}", "torch", "none", "provider", "built-in");
	for (int kind = 0; stack && kind < MXT_BLAS_KIND_COUNT; kind++) {
		const struct mxt_blas_file *file = &host->blas[kind];
		if (!file->path)
			continue;
		json_t *version = json_sprintf("%s %s", file->version, mxt_blas_threading_name(file->threading));
		if (json_object_set_new(stack, mxt_blas_name((enum mxt_blas_kind)kind), version) < 0) {
			json_decref(stack);
			return NULL;
		}
	}
	return stack;
}

static json_t *devices_json(const struct mxt_cpu_host *host)
{
	const struct mxt_cpu_topology *t = &host->topology;
	return json_pack("[{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}]", "name", host->cpu.name, "cores",
			 (json_int_t)t->cores, "threads", (json_int_t)t->threads, "packages", (json_int_t)t->packages,
			 "numa_nodes", (json_int_t)t->numa_nodes, "l1d_bytes", (json_int_t)t->l1d_bytes, "l2_bytes",
			 (json_int_t)t->l2_bytes, "llc_bytes", (json_int_t)t->llc_bytes, "memory_bytes",
			 (json_int_t)mxt_cpu_host_memory(host), "cpu_quota_milli",
			 (json_int_t)host->cgroup.cpu_milli.value);
}

int mxt_cpu_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		      struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	(void)target;
	(void)survey;
	struct mxt_cpu_host host;
	int rc = mxt_cpu_host_read(root, &host, err);
	if (rc < 0)
		return rc;
	struct mxt_inventory inventory = {
	    .platform = platform_json(&host),
	    .stack = stack_json(&host),
	    .devices = devices_json(&host),
	    .units = mxt_cpu_host_units(&host),
	    .memory_bytes = mxt_cpu_host_memory(&host),
	    .llc_bytes = mxt_cpu_host_llc(&host),
	    .peak_flops = mxt_cpu_host_peak_flops(&host),
	    .peak_bytes = 0, /* not known: what a memory system can do is not written anywhere */
	};
	mxt_cpu_host_finish(&host);
	if (!inventory.platform || !inventory.stack || !inventory.devices) {
		mxt_inventory_finish(&inventory);
		return mxt_error_oom(err);
	}
	*ret_inventory = inventory;
	return 0;
}
