/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVML, the library of NVIDIA's driver that describes cards. Only in worker processes. Types, values and layouts are
 * those of nvml.h (API version 13), of which each comment names the counterpart; they have not changed since the
 * functions that use them exist.
 */
#ifndef MXT_CUDA_NVML_API_H
#define MXT_CUDA_NVML_API_H

#include "dltable.h"

struct mxt_error;
struct mxt_nvml_device; /* struct nvmlDevice_st, opaque there too */

enum mxt_nvml_status { /* nvmlReturn_t: those that are told apart */
		       MXT_NVML_SUCCESS = 0,
		       MXT_NVML_NOT_SUPPORTED = 3,
		       MXT_NVML_INSUFFICIENT_SIZE = 7,
		       MXT_NVML_DRIVER_NOT_LOADED = 9,
		       MXT_NVML_LIBRARY_NOT_FOUND = 12,
		       MXT_NVML_VERSION_MISMATCH = 18, /* NVML_ERROR_LIB_RM_VERSION_MISMATCH */
		       MXT_NVML_UNKNOWN = 999,
};

enum mxt_nvml_switch { MXT_NVML_OFF = 0, MXT_NVML_ON = 1 };            /* nvmlEnableState_t */
enum mxt_nvml_clock { MXT_NVML_CLOCK_SM = 1, MXT_NVML_CLOCK_MEM = 2 }; /* nvmlClockType_t */
enum mxt_nvml_sensor { MXT_NVML_SENSOR_GPU = 0 };                      /* nvmlTemperatureSensors_t */

enum mxt_nvml_compute_mode { /* nvmlComputeMode_t */
			     MXT_NVML_COMPUTE_DEFAULT = 0,
			     MXT_NVML_COMPUTE_EXCLUSIVE_THREAD = 1,
			     MXT_NVML_COMPUTE_PROHIBITED = 2,
			     MXT_NVML_COMPUTE_EXCLUSIVE_PROCESS = 3,
};

#define MXT_NVML_NAME_SIZE             96 /* NVML_DEVICE_NAME_V2_BUFFER_SIZE */
#define MXT_NVML_UUID_SIZE             96 /* NVML_DEVICE_UUID_V2_BUFFER_SIZE */
#define MXT_NVML_VERSION_SIZE          80 /* NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE */
#define MXT_NVML_MAX_LINKS             36 /* NVML_NVLINK_MAX_LINKS */
#define MXT_NVML_FIELD_NVLINK_MB_PER_S 90 /* NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON */
#define MXT_NVML_TYPE_UNSIGNED         1  /* NVML_VALUE_TYPE_UNSIGNED_INT */

struct mxt_nvml_memory { /* nvmlMemory_t, bytes */
	unsigned long long total, free, used;
};

struct mxt_nvml_pci { /* nvmlPciInfo_t */
	char bus_id_legacy[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char bus_id[32];
};

struct mxt_nvml_process { /* nvmlProcessInfo_t (that of _v2 and _v3) */
	unsigned pid;
	unsigned long long used_bytes; /* NVML_VALUE_NOT_AVAILABLE, all bits set, when it is not known */
	unsigned gpu_instance, compute_instance;
};

union mxt_nvml_value { /* nvmlValue_t */
	double floating;
	unsigned number;
	unsigned long long large;
};

struct mxt_nvml_field { /* nvmlFieldValue_t */
	unsigned id, scope;
	long long timestamp_us, latency_us;
	unsigned type;
	enum mxt_nvml_status status;
	union mxt_nvml_value value;
};

struct mxt_nvml_calls {
#define MXT_DL_SYMBOL MXT_DL_MEMBER
#include "nvml.def"
#undef MXT_DL_SYMBOL
};

struct mxt_nvml {
	struct mxt_dl dl;
	struct mxt_nvml_calls call; /* optional ones may be NULL */
};

#define MXT_NVML_INIT                                                                                                  \
	{                                                                                                              \
		.dl = MXT_DL_INIT                                                                                      \
	}

/*
 * Loads and initialises it. -ENOSYS: not installed; -ENODEV: there is no driver or no card; -ELIBBAD, -EIO: something
 * is there and broken (MXT_E_LIBRARY_BROKEN, MXT_E_NVIDIA_DRIVER).
 */
int mxt_nvml_open(struct mxt_nvml *ret_nvml, struct mxt_error *err) MXT_WUR;
void mxt_nvml_close(struct mxt_nvml *nvml);

/* What the library calls a status; never NULL. */
const char *mxt_nvml_status_text(const struct mxt_nvml *nvml, enum mxt_nvml_status status);

#endif
