/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that the stand-ins of NVIDIA's driver libraries pretend to be: the JSON file named by MXT_SIM_MACHINE.
 *
 *     {"driver": "580.159.04", "cuda_driver_version": 13000,
 *      "gpus": [{"name": ..., "uuid": "GPU-...", "memory_bytes": ..., "slices": [{"uuid": "MIG-...", ...}]}],
 *      "faults": [{"call": "nvmlInit_v2", "do": "return", "status": 9}]}
 *
 * The keys of a GPU and of a slice are those of src/device/cuda/nvml_device.h; what a GPU lacks is "not supported". A
 * fault names an exported function and what it does instead: "return" (with a status), "hang", "crash", "garbage" (its
 * text is bytes that are no text). With a "gpu" it does so for that one only. Keys that are not known are left alone:
 * other stand-ins read the same file.
 */
#ifndef MXT_TESTS_NVML_MACHINE_H
#define MXT_TESTS_NVML_MACHINE_H

#include <jansson.h>
#include <stdbool.h>

#define MXT_SIM_EXPORT __attribute__((visibility("default")))
#define MXT_SIM_NO_GPU (-1)

/* The machine, read anew: the caller releases it. Ends the process when the file is no machine. */
json_t *mxt_sim_machine_read(void);

/*
 * What a fault makes of a call on a GPU: crashes, hangs, or returns true with *ret_status. *ret_garbage: the call is to
 * succeed with garbage for text.
 */
bool mxt_sim_fault(const json_t *machine, const char *call, int gpu, int *ret_status, bool *ret_garbage);

/* Fills a buffer with bytes that are no text, without a NUL. */
void mxt_sim_garbage(char *text, unsigned size);

#endif
