/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of the libraries that matter this process really loaded: a witness against another library of the same
 * name that got in between.
 */
#ifndef MXT_GPU_LOADED_LIBRARIES_H
#define MXT_GPU_LOADED_LIBRARIES_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_dl;
struct mxt_dl_row;
struct mxt_error;

/*
 * {"cublas": "/…/libcublas.so.13", …} or {"hip": "/…/libamdhip64.so", …}: those that are loaded. New reference; NULL
 * when memory ran out.
 */
json_t *mxt_loaded_libraries(void);

/*
 * Opens the one of them that is called `name` there, by the path of what is loaded: the loader's folders may hold
 * another one of the same name. As mxt_dl_open(); -ENOSYS (MXT_E_LIBRARY_ABSENT) when torch did not load it.
 */
int mxt_loaded_library_open(const char *name, const char *title, const struct mxt_dl_row *rows, size_t n_rows,
			    void *table, struct mxt_dl *ret_library, struct mxt_error *err) MXT_WUR;

#endif
