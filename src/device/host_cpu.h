/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processor this machine has: the first processor of /proc/cpuinfo (the others are alike wherever kernels are
 * chosen by it), x86 and Arm.
 */
#ifndef MXT_DEVICE_HOST_CPU_H
#define MXT_DEVICE_HOST_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mxt_error;
struct mxt_sysroot;

enum mxt_cpu_feature {
#define MXT_CPU_FEATURE(symbol, flag, level) MXT_CPU_##symbol,
#include "cpu_features.def"
#undef MXT_CPU_FEATURE
	MXT_CPU_FEATURE_COUNT
};

#define MXT_CPU_BIT(feature) (UINT64_C(1) << (feature))

enum mxt_cpu_kind { MXT_CPU_OTHER, MXT_CPU_X86, MXT_CPU_ARM };

struct mxt_host_cpu {
	enum mxt_cpu_kind kind;
	const char *arch;  /* static: "x86_64-v1" to "x86_64-v4" by the psABI levels, "aarch64", or "other" */
	char vendor[24];   /* lower case: "intel", "amd", "arm", …; "unknown" when not reported */
	char name[64];     /* marketing name, printable ASCII; "" when not reported */
	uint32_t family;   /* x86: CPU family; Arm: architecture version */
	uint32_t model;    /* x86: model; Arm: part number */
	uint64_t features; /* MXT_CPU_BIT()s */
};

bool mxt_host_cpu_has(const struct mxt_host_cpu *cpu, enum mxt_cpu_feature feature);

/* The flag's word in /proc/cpuinfo. */
const char *mxt_cpu_feature_name(enum mxt_cpu_feature feature);

/* Text of /proc/cpuinfo. Anything parses; what is not reported stays unknown. */
void mxt_host_cpu_parse(const char *text, size_t len, struct mxt_host_cpu *ret_cpu);

/* Reads and parses /proc/cpuinfo under `root`. A file that cannot be read is an error. */
int mxt_host_cpu_read(const struct mxt_sysroot *root, struct mxt_host_cpu *ret_cpu, struct mxt_error *err);

#endif
