/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer_state.json, which transformers leaves in every checkpoint: by its first bytes and its last, since the history
 * that it holds grows with the training. transformers writes it with sorted keys (trainer_callback.py,
 * TrainerState.save_to_json()), so that global_step is before the history.
 */
#ifndef MXT_LAUNCH_TRAINER_STATE_H
#define MXT_LAUNCH_TRAINER_STATE_H

#include <stddef.h>
#include <stdint.h>

#define MXT_TRAINER_STATE_HEAD 16384

/* The step that the first bytes of a file name; -1: none. Any bytes will do. */
int64_t mxt_trainer_state_step(const char *head, size_t len);

/* Of a file: -1 also when it cannot be read or does not end as an object does (torn). */
int64_t mxt_trainer_state_read(const char *path);

#endif
