/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest, made while the user watches, and written beside what it is about: for `manifest create`, and for `train`
 * and `run` at their end.
 */
#ifndef MXT_CLI_MAKE_MANIFEST_H
#define MXT_CLI_MAKE_MANIFEST_H

#include <stddef.h>

#include "compiler.h"

struct mxt_cli;
struct mxt_error;
struct mxt_manifest;
struct mxt_manifest_request;

/*
 * request->watch, environment, now_ns and cache are filled in here. Progress is shown on standard error; a signal ends
 * the work (MXT_E_INTERRUPTED), and nothing is written then. *ret_left_out: how many files the lists for b3sum cannot
 * name.
 */
int mxt_make_manifest(const struct mxt_cli *cli, struct mxt_manifest_request *request,
		      struct mxt_manifest **ret_manifest, size_t *ret_left_out, struct mxt_error *err) MXT_WUR;

#endif
