/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launch that was started has to say to a person at its end: how it ended, where its output is, what it wrote,
 * and whether it ran as planned. All of it is in status.json, too.
 */
#ifndef MXT_CLI_LAUNCH_REPORT_H
#define MXT_CLI_LAUNCH_REPORT_H

#include <stdio.h>

struct mxt_error;
struct mxt_launch;
struct mxt_launch_result;
struct mxt_manifest;

/* "mindxtrain: KIND: TEXT": one line, whatever is in the text. Without a kind: "". */
void mxt_launch_print_line(FILE *out, const char *kind, const char *text);

/* Nothing for a command that was not started. */
void mxt_launch_print_result(FILE *out, const struct mxt_launch *launch, const struct mxt_launch_result *result);

/* The ids of the manifest that was made of the run; or why there is none, and how to get it. */
void mxt_launch_print_manifest(FILE *out, const struct mxt_manifest *manifest);
void mxt_launch_print_no_manifest(FILE *out, const char *folder, const struct mxt_error *cause);

#endif
