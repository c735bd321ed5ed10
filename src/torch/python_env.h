/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python that would train, and the folders that it imports from, by files only: nothing is run and nothing is
 * imported. Paths are those of the machine, without the sysroot's prefix.
 */
#ifndef MXT_TORCH_PYTHON_ENV_H
#define MXT_TORCH_PYTHON_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_sysroot;

struct mxt_python {
	char *interpreter;    /* owned: as it was named or found; NULL: there is none */
	char *program;        /* owned: the same with links and pyenv's wrappers followed */
	const char *found_by; /* static: "--python", "VIRTUAL_ENV", "CONDA_PREFIX" or "PATH" */
	char version[24];     /* "3.11" or "3.11.7"; "" when no file tells */
	bool script;          /* still a script: what it starts cannot be told without running it */
	bool virtual_environment;
	char **folders; /* owned: where imports are looked for, in Python's order, those that exist */
	size_t n_folders;
};

#define MXT_PYTHON_INIT                                                                                                \
	{                                                                                                              \
		.interpreter = NULL                                                                                    \
	}
#define MXT_CLEANUP_PYTHON MXT_CLEANUP(mxt_python_finish)

/*
 * `named` is the value of --python (MXT_E_NO_PYTHON when nothing is there), or NULL. No Python at all is not an error.
 * `environment` may be NULL: then only `named` can be found.
 */
int mxt_python_find(const struct mxt_sysroot *root, char *const *environment, const char *named,
		    struct mxt_python *ret_python, struct mxt_error *err) MXT_WUR;

void mxt_python_finish(struct mxt_python *python);

#endif
