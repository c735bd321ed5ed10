/* SPDX-License-Identifier: Apache-2.0 */
/* nvml.def and the layouts of nvml_api.h against nvml.h. */
#include <stddef.h>

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

#include "nvml_api.h"

/* The header's names for our types. */
#define mxt_nvml_status       nvmlReturn_enum
#define mxt_nvml_device       nvmlDevice_st
#define mxt_nvml_switch       nvmlEnableState_enum
#define mxt_nvml_clock        nvmlClockType_enum
#define mxt_nvml_sensor       nvmlTemperatureSensors_enum
#define mxt_nvml_compute_mode nvmlComputeMode_enum
#define mxt_nvml_process      nvmlProcessInfo_v2_st
#define mxt_nvml_field        nvmlFieldValue_st
#define mxt_nvml_memory       nvmlMemory_st
#define mxt_nvml_pci          nvmlPciInfo_st

/* One function is marked as such since API version 13; older drivers have no other. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "nvml.def"
#undef MXT_DL_SYMBOL

#undef mxt_nvml_process
#undef mxt_nvml_field
#undef mxt_nvml_memory
#undef mxt_nvml_pci
_Static_assert(sizeof(struct mxt_nvml_process) == sizeof(nvmlProcessInfo_t), "processes");
_Static_assert(offsetof(struct mxt_nvml_process, used_bytes) == offsetof(nvmlProcessInfo_t, usedGpuMemory), "memory");
_Static_assert(sizeof(struct mxt_nvml_memory) == sizeof(nvmlMemory_t), "memory");
_Static_assert(offsetof(struct mxt_nvml_memory, used) == offsetof(nvmlMemory_t, used), "used memory");
_Static_assert(sizeof(struct mxt_nvml_pci) == sizeof(nvmlPciInfo_t), "PCI");
_Static_assert(offsetof(struct mxt_nvml_pci, bus_id) == offsetof(nvmlPciInfo_t, busId), "PCI address");
_Static_assert(sizeof(struct mxt_nvml_field) == sizeof(nvmlFieldValue_t), "fields");
_Static_assert(offsetof(struct mxt_nvml_field, value) == offsetof(nvmlFieldValue_t, value), "value of a field");
_Static_assert((int)MXT_NVML_VERSION_MISMATCH == NVML_ERROR_LIB_RM_VERSION_MISMATCH, "status");
_Static_assert((int)MXT_NVML_DRIVER_NOT_LOADED == NVML_ERROR_DRIVER_NOT_LOADED, "status");
_Static_assert((int)MXT_NVML_INSUFFICIENT_SIZE == NVML_ERROR_INSUFFICIENT_SIZE, "status");
_Static_assert((int)MXT_NVML_CLOCK_MEM == NVML_CLOCK_MEM && (int)MXT_NVML_CLOCK_SM == NVML_CLOCK_SM, "clocks");
_Static_assert((int)MXT_NVML_COMPUTE_EXCLUSIVE_PROCESS == NVML_COMPUTEMODE_EXCLUSIVE_PROCESS, "compute mode");
_Static_assert(MXT_NVML_FIELD_NVLINK_MB_PER_S == NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON, "field");
_Static_assert(MXT_NVML_TYPE_UNSIGNED == NVML_VALUE_TYPE_UNSIGNED_INT, "type of a field");

int main(void)
{
	return 0;
}
