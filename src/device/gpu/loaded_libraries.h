/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of the libraries that matter this process really loaded: a witness against another library of the same
 * name that got in between.
 */
#ifndef MXT_GPU_LOADED_LIBRARIES_H
#define MXT_GPU_LOADED_LIBRARIES_H

#include <jansson.h>

/*
 * {"cublas": "/…/libcublas.so.13", …} or {"hip": "/…/libamdhip64.so", …}: those that are loaded. New reference; NULL
 * when memory ran out.
 */
json_t *mxt_loaded_libraries(void);

#endif
