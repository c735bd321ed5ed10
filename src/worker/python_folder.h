/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the Python part of the program lies: the folder that holds the package mindxtrain_plan. It is
 * ../share/mindxtrain/python from the folder of the running program, installed or in a build tree (where that is a link
 * to the sources).
 */
#ifndef MXT_WORKER_PYTHON_FOLDER_H
#define MXT_WORKER_PYTHON_FOLDER_H

#include "compiler.h"

struct mxt_buf;
struct mxt_error;

/*
 * The folder's path, for the caller to free. MXT_PYTHON_DIR in `environment` (NULL: none) names another one, for tests.
 * MXT_E_PYTHON_FILES when the package is not there.
 */
int mxt_python_folder(char *const *environment, char **ret_folder, struct mxt_error *err) MXT_WUR;

/* Appends the path of a script of the package, such as "worker.py". Errors as above. */
int mxt_python_script(char *const *environment, const char *name, struct mxt_buf *path, struct mxt_error *err) MXT_WUR;

#endif
