/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers of a model slide (transformers 5.24, the models' configuration_*.py): layer_types says it for each; else
 * every n-th layer is full (sliding_window_pattern, or the family's own n), or the first max_window_layers are.
 */
#ifndef MXT_CORE_MODEL_WINDOW_H
#define MXT_CORE_MODEL_WINDOW_H

struct mxt_model;
struct mxt_model_reader;

/* Fills model->sliding_layers; takes the window away where no layer has it. layers and sliding_window are known. */
void mxt_model_window(const struct mxt_model_reader *r, struct mxt_model *model);

#endif
