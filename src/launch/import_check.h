/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can a Python import modules? It is run (python/mindxtrain_plan/import_check.py), under the environment that the
 * training will have, since nothing else shows that a compiled package fits its torch.
 */
#ifndef MXT_LAUNCH_IMPORT_CHECK_H
#define MXT_LAUNCH_IMPORT_CHECK_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_remarks;

#define MXT_IMPORT_LIMIT_S 600 /* a first import compiles Python, and may come over a network */

/* `modules`: NULL-ended. What cannot be imported is a remark, MXT_E_LAUNCH_PACKAGE. From the main thread only. */
int mxt_import_check(const char *python, char *const *environment, const char *const *modules,
		     struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

/* What the script answered, as untrusted: any bytes will do. Remarks as above. */
void mxt_import_check_read(const char *python, const char *answer, size_t len, struct mxt_remarks *remarks);

#endif
