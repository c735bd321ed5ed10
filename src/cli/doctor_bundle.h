/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor --bundle: all that somebody needs who has not got this machine, in one file.
 */
#ifndef MXT_CLI_DOCTOR_BUNDLE_H
#define MXT_CLI_DOCTOR_BUNDLE_H

#include <jansson.h>

#include "bundle.h"
#include "compiler.h"

struct mxt_doctor_report;
struct mxt_error;

/* Of this machine, or of the recorded one whose environment is given. */
void mxt_doctor_bundle_init(struct mxt_bundle *bundle, char *const *environment);

/* What goes into a bundle beside the files that doctor read through the bundle's tap; pointers are borrowed. */
struct mxt_doctor_bundle_request {
	char *const *environment;
	const struct mxt_doctor_report *report;
	const json_t *nvidia; /* the answer of NVIDIA's driver; NULL: there is none */
	const char *python;   /* as --python says; NULL: the active one */
	bool recorded;        /* a recorded machine has no devices to ask and no log */
	const char *path;     /* of the archive */
};

/*
 * Writes the archive and says so on the command's output. On this machine every GPU device opens once, in a worker of
 * its own: what it tells, or why it does not open, is in the archive.
 */
int mxt_doctor_bundle_write(struct mxt_bundle *bundle, const struct mxt_doctor_bundle_request *request,
			    struct mxt_error *err) MXT_WUR;

#endif
