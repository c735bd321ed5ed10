/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One card, or one MIG slice of it, as NVML describes it: a JSON object whose keys nvml_device.h lists. What NVML does
 * not tell is left out. Only in worker processes.
 */
#ifndef MXT_CUDA_NVML_CARD_H
#define MXT_CUDA_NVML_CARD_H

#include <jansson.h>

struct mxt_error;
struct mxt_nvml;
struct mxt_nvml_device;

/*
 * The card of that NVML index: new reference. One that does not answer (it fell off the bus) has the key `fault` with
 * the reason, and whatever it told before. Memory is the only error.
 */
int mxt_nvml_card(const struct mxt_nvml *nvml, unsigned index, json_t **ret_card, struct mxt_error *err);

/* Appends the slices that a card is cut into to the array `devices`; each holds the card's own facts too. */
int mxt_nvml_slices(const struct mxt_nvml *nvml, unsigned index, const json_t *card, json_t *devices,
		    struct mxt_error *err);

/* Text of a driver's library: printable, one line, cut to what is sensible. NULL when memory ran out. */
json_t *mxt_nvml_text(const char *text, size_t size);

#endif
