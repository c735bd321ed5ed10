/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a run's folder (run_folder.h). */
#ifndef MXT_LAUNCH_RUN_FILES_H
#define MXT_LAUNCH_RUN_FILES_H

#define MXT_RUN_PLAN       "plan.json"
#define MXT_RUN_GIVEN      "run.yaml"
#define MXT_RUN_EDITED     "run.axolotl.yaml"
#define MXT_RUN_ACCELERATE "accelerate.yaml"
#define MXT_RUN_ENV        "env.json"
#define MXT_RUN_ARGV       "argv.json"
#define MXT_RUN_LOG        "train.log"
#define MXT_RUN_STATUS     "status.json"
#define MXT_RUN_HANDOFFS   "handoff"
#define MXT_RUN_RANKS      "ranks"

#endif
