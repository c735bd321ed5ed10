/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a Python imports from: PYTHONPATH, then the folders that the `site` module adds, for virtual environments,
 * plain installations, and the layouts of Debian and Fedora. Editable installs (.pth files) are not followed.
 */
#ifndef MXT_TORCH_PYTHON_FOLDERS_H
#define MXT_TORCH_PYTHON_FOLDERS_H

#include <stdbool.h>

struct mxt_python;
struct mxt_sysroot;

/* What pyvenv.cfg says; any text parses. */
struct mxt_pyvenv {
	char version[24]; /* "" when not told */
	bool system_packages;
};
void mxt_pyvenv_parse(const char *text, struct mxt_pyvenv *ret_pyvenv);

/* Fills version, virtual_environment and folders of a Python whose interpreter and program are known. 0 or -ENOMEM. */
int mxt_python_find_folders(const struct mxt_sysroot *root, char *const *environment, struct mxt_python *python);

#endif
