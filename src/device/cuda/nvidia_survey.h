/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what the surveyor of NVIDIA's cards tells (nvml_device.h). Its facts are JSON from another process or from a
 * file, and are trusted in nothing.
 */
#ifndef MXT_CUDA_NVIDIA_SURVEY_H
#define MXT_CUDA_NVIDIA_SURVEY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "reading.h"

struct mxt_error;

#define MXT_NVIDIA_TEXT          97 /* a name or UUID with its NUL */
#define MXT_NVIDIA_REASON        601
#define MXT_NVIDIA_MAX_PROCESSES 16
#define MXT_NVIDIA_MAX_ORDINAL   4095

enum mxt_nvidia_compute_mode {
	MXT_NVIDIA_COMPUTE_UNKNOWN,
	MXT_NVIDIA_COMPUTE_DEFAULT,
	MXT_NVIDIA_COMPUTE_EXCLUSIVE, /* one process at a time */
	MXT_NVIDIA_COMPUTE_PROHIBITED,
};

enum mxt_nvidia_mig { MXT_NVIDIA_MIG_UNKNOWN, MXT_NVIDIA_MIG_OFF, MXT_NVIDIA_MIG_ON, MXT_NVIDIA_MIG_SLICE };

/* What holds clocks back, as bits. Idleness and a power cap under load are what they should be. */
enum mxt_nvidia_throttle {
	MXT_NVIDIA_THROTTLE_CLOCKS_SET = 1, /* somebody fixed them */
	MXT_NVIDIA_THROTTLE_POWER_CAP = 2,
	MXT_NVIDIA_THROTTLE_HEAT = 4,
	MXT_NVIDIA_THROTTLE_HARDWARE = 8, /* slowdown or power brake */
};

struct mxt_nvidia_process {
	uint64_t pid;
	struct mxt_reading used_bytes;
	char name[MXT_NVIDIA_TEXT]; /* "" when not told */
};

/* One card or MIG slice. Texts are "" where nothing is told. */
struct mxt_nvidia_gpu {
	/* Of each, whether and what is told. `ordinal` is not when CUDA does not show the device to this process. */
#define MXT_NVIDIA_NUMBER(key, largest) struct mxt_reading key;
#include "nvidia_numbers.def"
#undef MXT_NVIDIA_NUMBER
	struct mxt_reading ecc, persistence; /* 0 or 1 */
	char fault[MXT_NVIDIA_REASON];       /* why it does not answer */
	char name[MXT_NVIDIA_TEXT], uuid[MXT_NVIDIA_TEXT], pci[MXT_NVIDIA_TEXT];
	char compute_capability[8]; /* "9.0" */
	char arch[12];              /* "sm_90" */
	enum mxt_nvidia_compute_mode compute_mode;
	enum mxt_nvidia_mig mig;
	unsigned throttle; /* enum mxt_nvidia_throttle */

	/* What computes there, as far as it is visible here: process_count, and the first of them. */
	struct mxt_nvidia_process processes[MXT_NVIDIA_MAX_PROCESSES];
	size_t n_processes;

	/* Upper bounds; 0 when not known. */
	double peak_bf16_flops, peak_fp32_flops; /* FLOP/s */
	double peak_bytes;                       /* bytes/s of its memory */
};

/* What is told beside the devices. */
struct mxt_nvidia_driver {
	char version[MXT_NVIDIA_TEXT];  /* "580.159.04" */
	struct mxt_reading cuda;        /* 13000 for 13.0 */
	char reason[MXT_NVIDIA_REASON]; /* why CUDA shows no device; "" when it shows some */
	size_t n_devices;
};

/* Errors of all: MXT_E_NVIDIA_SURVEY (-EINVAL), with the place in the facts. */
int mxt_nvidia_driver_parse(const json_t *facts, struct mxt_nvidia_driver *ret_driver, struct mxt_error *err) MXT_WUR;

/* The device at a place of the list, below n_devices. */
int mxt_nvidia_gpu_parse(const json_t *facts, size_t place, struct mxt_nvidia_gpu *ret_gpu,
			 struct mxt_error *err) MXT_WUR;

/* The device of a CUDA ordinal. MXT_E_NO_DEVICE (-ENODEV), naming what is there, when it is not among them. */
int mxt_nvidia_gpu_find(const json_t *facts, unsigned ordinal, struct mxt_nvidia_gpu *ret_gpu,
			struct mxt_error *err) MXT_WUR;

#endif
