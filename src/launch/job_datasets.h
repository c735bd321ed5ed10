/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an Axolotl config takes its data from, as its loader does (axolotl/utils/data/shared.py of 0.19,
 * load_dataset_with_config()): a file or folder that is here, with `data_files` those files instead; else a dataset of
 * the Hub; else something remote.
 *
 * Each is told once, in the order of the config:
 *
 *   {"name": as the config has it, "path": absolute}
 *   {"name", "hub": id, "revision": "main" or what the config says, "cache": folder of the Hub's cache}
 *   {"name", "reason": why its files cannot be told}
 */
#ifndef MXT_LAUNCH_JOB_DATASETS_H
#define MXT_LAUNCH_JOB_DATASETS_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_node;

/*
 * `roots` (n): the config, then what arguments change of it; the last one that has a key counts. `directory`: absolute,
 * where relative paths start; `environment`: the job's, for the Hub's cache. New reference, an array.
 */
int mxt_job_datasets(const struct mxt_yaml_node *const *roots, size_t n, const char *directory,
		     char *const *environment, json_t **ret_datasets, struct mxt_error *err) MXT_WUR;

#endif
