/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration file of accelerate for one launch. Without a file of its own accelerate silently takes a default
 * one from the caller's home, with whatever number of processes, compilation and debugging that holds
 * (accelerate/commands/launch.py, accelerate/commands/config/config_args.py).
 */
#ifndef MXT_LAUNCH_ACCELERATE_CONFIG_H
#define MXT_LAUNCH_ACCELERATE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct mxt_buf;
struct mxt_nodes;

struct mxt_accelerate_config {
	const struct mxt_nodes *nodes;
	int64_t processes;     /* of all nodes */
	bool on_host;          /* no GPUs */
	const char *precision; /* "bf16", "fp16", "no" */
};

/* Appends the file: YAML, one key a line. */
void mxt_accelerate_config_write(const struct mxt_accelerate_config *config, struct mxt_buf *buf);

/* What accelerate calls the dtype of a training: "bfloat16" is "bf16". */
const char *mxt_accelerate_precision(const char *dtype);

#endif
