/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NVIDIA's driver libraries tell, for doctor: asked of a short-lived worker, or read from a record. The answer is
 * one JSON object: the surveyor's facts (nvml_device.h), or why there are none (nvidia_answer.h).
 */
#ifndef MXT_CLI_NVIDIA_ASK_H
#define MXT_CLI_NVIDIA_ASK_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_sysroot;

/* New reference. Waits at most a few seconds; a worker that crashes or hangs is an answer, not an error. */
int mxt_nvidia_ask(char *const *environment, json_t **ret_answer, struct mxt_error *err) MXT_WUR;

/* The file /nvidia.json of a record: new reference, or NULL when it has none. */
int mxt_nvidia_recall(const struct mxt_sysroot *root, json_t **ret_answer, struct mxt_error *err) MXT_WUR;

#endif
