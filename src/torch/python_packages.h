/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packages of a Python that decide which kernels a training runs (python_packages.def), by names of folders only:
 * nothing is run, nothing is imported, and that a package is there does not say that it works.
 *
 * A package is its record, NAME-VERSION.dist-info (wheels, editable installs), NAME-VERSION-pyX.Y.egg-info or .egg
 * (setup.py install), in the first of the Python's folders that has one: what importlib.metadata finds.
 */
#ifndef MXT_TORCH_PYTHON_PACKAGES_H
#define MXT_TORCH_PYTHON_PACKAGES_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_python;
struct mxt_sysroot;

#define MXT_PACKAGE_TEXT 48
#define MXT_PACKAGE_MAX  16 /* rows that fit; python_packages.c holds the table against it */

/* Plain data, by row of the table. Zeroed: no package. */
struct mxt_python_packages {
	char versions[MXT_PACKAGE_MAX][MXT_PACKAGE_TEXT]; /* "2.8.3"; "" where it is not there */
};

size_t mxt_python_package_count(void);
const char *mxt_python_package_name(size_t i); /* sorted */

/* The version of the package of that name; NULL when it is not there, or no row has this name. */
const char *mxt_python_package_version(const struct mxt_python_packages *packages, const char *name);

/*
 * Takes a name of the Python's folders in: when it is the record of a package of the table that has no version yet,
 * that gets it. Any text will do.
 */
void mxt_python_packages_take(struct mxt_python_packages *packages, const char *file_name);

/* 0 or -ENOMEM: a folder that cannot be read holds nothing. A Python that is none (no folders) has no packages. */
int mxt_python_packages_find(const struct mxt_sysroot *root, const struct mxt_python *python,
			     struct mxt_python_packages *ret_packages, struct mxt_error *err) MXT_WUR;

#endif
