/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan says about a CPU host, from files alone.
 */
#ifndef MXT_CPU_INVENTORY_H
#define MXT_CPU_INVENTORY_H

#include "blas_file.h"
#include "cpu_topology.h"
#include "device_ops.h"
#include "host_cgroup.h"
#include "host_cpu.h"
#include "host_memory.h"

struct mxt_error;
struct mxt_sysroot;

/* Everything that inventory and candidates read. */
struct mxt_cpu_host {
	struct mxt_host_cpu cpu;
	struct mxt_cpu_topology topology;
	struct mxt_host_memory memory;
	struct mxt_host_cgroup cgroup;
	struct mxt_blas_file blas[MXT_BLAS_KIND_COUNT];
};

int mxt_cpu_host_read(const struct mxt_sysroot *root, struct mxt_cpu_host *ret_host, struct mxt_error *err);

/* The host that this process runs on, which is CPU device 0; MXT_E_NO_PROCESSOR (-ENODEV) for another number. */
int mxt_cpu_host_take(unsigned ordinal, struct mxt_cpu_host *ret_host, struct mxt_error *err);
void mxt_cpu_host_finish(struct mxt_cpu_host *host);

/* Cores that may work all the time: those of the affinity mask, at most the whole ones of the CPU quota, at least 1. */
uint32_t mxt_cpu_host_units(const struct mxt_cpu_host *host);

/* Memory of the machine or of the control group, whichever is less. */
uint64_t mxt_cpu_host_memory(const struct mxt_cpu_host *host);

/* Last-level caches of the usable cores; a guess of 32 MiB when the machine does not report them. */
uint64_t mxt_cpu_host_llc(const struct mxt_cpu_host *host);

/*
 * float32 operations per second that these cores cannot exceed: clock times width of the vector units times two fused
 * multiply-adds per cycle. A quota is not applied: within a period all cores may run.
 */
double mxt_cpu_host_peak_flops(const struct mxt_cpu_host *host);

/* The library that a worker takes when the environment names none: OpenBLAS where it is installed, else BLIS. */
enum mxt_blas_kind mxt_cpu_host_default_blas(const struct mxt_cpu_host *host);

/* device_ops.inventory */
int mxt_cpu_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
		      struct mxt_inventory *ret_inventory, struct mxt_error *err);

#endif
