/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be there for a launch: packages of the Python that trains.
 */
#ifndef MXT_LAUNCH_LAUNCH_PACKAGES_H
#define MXT_LAUNCH_LAUNCH_PACKAGES_H

#include "command_line.h"
#include "compiler.h"

struct mxt_error;
struct mxt_python_packages;
struct mxt_remarks;

/*
 * By files, in milliseconds: accelerate and axolotl are installed and new enough. What is not is a remark,
 * MXT_E_LAUNCH_PACKAGE. `packages` NULL: not known, and nothing is said.
 */
void mxt_launch_packages_check(const struct mxt_python_packages *packages, const struct mxt_command_request *request,
			       struct mxt_remarks *remarks);

/*
 * By running the interpreter, in seconds, under the environment that the training will have: axolotl.cli.train and the
 * launcher's module can be imported, and so can the package that the planned attention needs (`package`, NULL: none).
 * A remark MXT_E_LAUNCH_PACKAGE with the last line of the traceback.
 */
int mxt_launch_imports_check(const struct mxt_command_request *request, char *const *environment, const char *package,
			     struct mxt_remarks *remarks, struct mxt_error *err) MXT_WUR;

#endif
