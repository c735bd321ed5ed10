/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes out of texts what tells whose machine they are of, before they are sent to strangers: names of the host and of
 * users, home folders, UUIDs, serial numbers, long hexadecimal ids (containers, machines), MAC addresses, and the
 * unique ids of AMD's GPUs. What was equal stays equal: each gets a number of its own, so that a recorded machine still
 * fits together.
 */
#ifndef MXT_DOCTOR_ANONYMOUS_H
#define MXT_DOCTOR_ANONYMOUS_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define MXT_ANONYMOUS_NAMES 16

struct mxt_anonymous {
	char *host;                       /* owned; NULL: none */
	char *users[MXT_ANONYMOUS_NAMES]; /* owned */
	size_t n_users;
	char **ids; /* owned: identifiers that were met, in lower case; the place of one gives its number */
	size_t n_ids;
	bool failed; /* memory ran out: what comes out must not be used */
};

#define MXT_CLEANUP_ANONYMOUS MXT_CLEANUP(mxt_anonymous_finish)

/*
 * `host` may be NULL. Users are those that own a folder in /home, as `environment` (NULL-ended) names it: HOME, USER,
 * LOGNAME, SUDO_USER. root is nobody.
 */
void mxt_anonymous_init(struct mxt_anonymous *anonymous, const char *host, char *const *environment);
void mxt_anonymous_finish(struct mxt_anonymous *anonymous);

/*
 * Appends what becomes of `len` bytes of the file `path`, or of the path itself (path NULL). A library's bytes are left
 * alone.
 */
void mxt_anonymous_text(struct mxt_anonymous *anonymous, const char *path, const char *bytes, size_t len,
			struct mxt_buf *out);

#endif
