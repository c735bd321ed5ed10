/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a run's folder: launch fills it, manifest reads it. docs/launching.md says what they hold. */
#ifndef MXT_CORE_RUN_FILES_H
#define MXT_CORE_RUN_FILES_H

#define MXT_RUN_PLAN       "plan.json"
#define MXT_RUN_GIVEN      "run.yaml"
#define MXT_RUN_EDITED     "run.axolotl.yaml"
#define MXT_RUN_ACCELERATE "accelerate.yaml"
#define MXT_RUN_ENV        "env.json"
#define MXT_RUN_ARGV       "argv.json"
#define MXT_RUN_LOG        "train.log"
#define MXT_RUN_STATUS     "status.json"
#define MXT_RUN_JOB        "job.json"    /* what it was started with and on: mindxtrain.job/1 */
#define MXT_RUN_LEDGER     "ledger.json" /* which kernels ran, where that was recorded */
#define MXT_RUN_MANIFEST   "manifest.json"
#define MXT_RUN_SIGNATURE  MXT_RUN_MANIFEST ".sig"
#define MXT_RUN_HANDOFFS   "handoff"
#define MXT_RUN_RANKS      "ranks"

#endif
