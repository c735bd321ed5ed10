/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How pins reach the library that computes: which file, which variables, by the versions of those who read them.
 *
 * torch from 2.9 on reads them itself (tunableop_csv.h). Under an older one, whose file cannot be written from outside,
 * hipBLASLt from 0.12 on does (hipblaslt_override.h). rocBLAS's own file (ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH) is not
 * used: it numbers solutions in another way than the library's interface, and ignores what it does not know; where
 * rocBLAS is pinned, torch's file does it. No other library reads pins.
 */
#ifndef MXT_CORE_PIN_FORM_H
#define MXT_CORE_PIN_FORM_H

#include <jansson.h>
#include <stdbool.h>

#include "buf.h"

struct mxt_gemm;
struct mxt_pin;

enum mxt_pin_form { MXT_PIN_FORM_NONE, MXT_PIN_FORM_TUNABLEOP, MXT_PIN_FORM_HIPBLASLT, MXT_PIN_FORM_COUNT };

/*
 * `torch` as in decision.stack, `library` as in decision.gemm, `built` as decision.gemm.built (NULL: not known). NONE:
 * nothing there reads pins, or a build's name cannot stand in their file.
 */
enum mxt_pin_form mxt_pin_form(const char *torch, const char *library, const json_t *built);

/*
 * Puts into `env`, an object of strings, what makes its reader read it, and takes out what would hide solutions from
 * it. 0, or -ENOMEM.
 */
int mxt_pin_form_export(enum mxt_pin_form form, json_t *env);

/*
 * What the environment `env` is for: the form all of whose variables it sets, NONE where it sets none that names pins,
 * COUNT where it sets some of them only, of several forms, or hides solutions from the reader.
 */
enum mxt_pin_form mxt_pin_form_of_env(const json_t *env);

/*
 * What TunableOp calls HIP's version, in decision.gemm.built: 702 of "7.2.26015-fc0010cf6a", as decision.stack has the
 * HIP that torch was built with. "" where it is not known.
 */
#define MXT_PIN_HIP_NUMBER 8
void mxt_pin_hip_number(const char *version, char number[MXT_PIN_HIP_NUMBER]);

/*
 * True when torch would tune under such an environment, in the first call of every shape: TunableOp is on, and does so
 * unless it is told not to.
 */
bool mxt_pin_env_tunes(const json_t *env);

/* Can this product be pinned to this solution of `library`? And what it is found by: see the writers' headers. */
bool mxt_pin_form_can_pin(enum mxt_pin_form form, const char *library, const struct mxt_pin *pin);
void mxt_pin_form_key(enum mxt_pin_form form, const struct mxt_gemm *product, struct mxt_buf *buf);

#endif
