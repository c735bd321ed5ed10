/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doctor saw, as one tar archive to be sent with a report: the files that it read, under machine/ (a recorded
 * machine for `doctor --sysroot`, as far as reading shows one), and what it and others said, under report/. Names of
 * the host and of users, UUIDs and serial numbers are replaced (anonymous.h).
 */
#ifndef MXT_DOCTOR_BUNDLE_H
#define MXT_DOCTOR_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "anonymous.h"
#include "compiler.h"
#include "sysroot.h"

struct mxt_error;

#define MXT_BUNDLE_FILE_MAX ((size_t)256 << 10) /* of one file; the rest is left out */

struct mxt_bundle_file {
	char *name;  /* owned: of the archive, before names are replaced */
	char *bytes; /* owned; NULL: only seen */
	size_t len;
};

struct mxt_bundle {
	struct mxt_anonymous anonymous;
	struct mxt_bundle_file *files; /* owned */
	size_t n_files, capacity;
	bool failed; /* memory ran out */
};

#define MXT_CLEANUP_BUNDLE MXT_CLEANUP(mxt_bundle_finish)

/* As mxt_anonymous_init(). */
void mxt_bundle_init(struct mxt_bundle *bundle, const char *host, char *const *environment);
void mxt_bundle_finish(struct mxt_bundle *bundle);

/* What a sysroot is given so that what is read through it gets into the bundle, which must outlive it. */
struct mxt_sysroot_tap mxt_bundle_tap(struct mxt_bundle *bundle);

/* Adds a file of this name ("report/doctor.txt"). Memory that runs out shows when the bundle is written. */
void mxt_bundle_add(struct mxt_bundle *bundle, const char *name, const char *bytes, size_t len);

/* Adds machine/environ: variables that choose kernels, and those that lead to a Python; nothing else of a user's. */
void mxt_bundle_add_environment(struct mxt_bundle *bundle, char *const *environment);

/* Replaces `path` by the archive; *ret_count: how many files are in it. */
int mxt_bundle_write(struct mxt_bundle *bundle, const char *path, size_t *ret_count, struct mxt_error *err) MXT_WUR;

#endif
