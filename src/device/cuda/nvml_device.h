/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's cards as the driver's own libraries describe them: a surveyor (device_ops.h), which is opened and described
 * by a short-lived worker and computes nothing. nvidia_survey.h reads its facts:
 *
 *     driver               "580.159.04"
 *     cuda_driver_version  13000 for 13.0: the newest CUDA that the driver runs
 *     cuda_reason          why CUDA shows this process no device; then no device has an ordinal
 *     devices              cards in NVML's order, each followed by the MIG slices that it is cut into:
 *       index              of the card in NVML's order, which is that of the PCI bus
 *       ordinal            of CUDA in this process's environment; left out where CUDA does not show it
 *       fault              it does not answer; most of the rest is left out then
 *       name, uuid, pci, compute_capability ("9.0"), memory_bytes, memory_used_bytes, sm_count, l2_bytes,
 *       max_sm_mhz, sm_mhz, max_memory_mhz, memory_bus_bits, power_limit_mw, default_power_limit_mw, temperature_c,
 *       ecc, persistence   true or false
 *       compute_mode       "default", "exclusive_thread", "prohibited", "exclusive_process"
 *       mig                "off", "on" (the card is cut), "slice" (with the UUID of its `card`)
 *       throttle           what holds clocks back now: "idle", "power_cap", "hw_thermal", ...
 *       processes          {pid, used_bytes, name} of what computes there; process_count when there are too many
 *       nvlinks, nvlinks_active, nvlink_mb_per_s (of one link, one direction)
 *
 * What is not told is left out, and never 0.
 */
#ifndef MXT_CUDA_NVML_DEVICE_H
#define MXT_CUDA_NVML_DEVICE_H

#include "device_ops.h"

extern const struct mxt_device_ops mxt_nvml_device;

#endif
