/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of ssh-keygen(1) for its signatures (-Y): what it reads and prints stays in memory.
 */
#ifndef MXT_MANIFEST_SSH_KEYGEN_H
#define MXT_MANIFEST_SSH_KEYGEN_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_buf;
struct mxt_error;

struct mxt_ssh_keygen {
	const char *const *argv; /* "ssh-keygen", "-Y", ...; NULL-ended */
	char *const *environment;
	int input_fd;        /* its standard input; -1: /dev/null */
	int extra_fd;        /* what it can open as MXT_SSH_KEYGEN_EXTRA; -1: /dev/null */
	int cancel_fd;       /* ends it when it becomes readable; -1: none */
	bool takes_terminal; /* input_fd is standard input, a terminal: it may ask for a passphrase, and has minutes */
};

#define MXT_SSH_KEYGEN_EXTRA "/dev/fd/3"

/*
 * Appends what it prints. MXT_E_SIGN_TOOL when it is missing, too old, killed or too slow; -EREMOTEIO (MXT_E_SCRIPT)
 * when it says no, with its last words; -ECANCELED (MXT_E_CANCELLED) when it was interrupted at the terminal or
 * by `cancel_fd`.
 */
int mxt_ssh_keygen_run(const struct mxt_ssh_keygen *run, struct mxt_buf *output, struct mxt_error *err) MXT_WUR;

/* A file in memory with these bytes, at its start. The caller closes it. */
int mxt_ssh_keygen_memory(const void *bytes, size_t len, int *ret_fd, struct mxt_error *err) MXT_WUR;

#endif
