/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the caller's environment would change how accelerate, torchrun and Axolotl are started, and what only one of
 * the ways to start Axolotl sets.
 */
#ifndef MXT_LAUNCH_ENV_LAUNCHERS_H
#define MXT_LAUNCH_ENV_LAUNCHERS_H

#include "compiler.h"

struct mxt_env_changes;
struct mxt_env_request;
struct mxt_error;
struct mxt_remarks;

/*
 * Removes what another launcher left: PET_* are options of torchrun, and accelerate reads them, too; RANK and the like
 * make one plain process wait for others; ACCELERATE_* turn on what the config does not ask for.
 */
int mxt_env_remove_foreign(const struct mxt_env_request *request, struct mxt_env_changes *changes,
			   struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

/*
 * accelerate writes every name in capital letters when it starts several processes: omp_num_threads, which nobody
 * reads, would become the OMP_NUM_THREADS that a plan sets or removes. Such names are removed. Others that differ from
 * a name of the environment by case only, and hold something else, are told.
 */
int mxt_env_remove_twins(const struct mxt_env_request *request, struct mxt_env_changes *changes,
			 struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

/*
 * What the command `axolotl` sets where it is not set, and `-m axolotl.cli.train` does not: how torch keeps memory. So
 * a run has the memory that people know from `axolotl train`. Where the caller says anything about it, nothing is done.
 */
int mxt_env_set_axolotl(const struct mxt_env_request *request, struct mxt_env_changes *changes,
			struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

#endif
