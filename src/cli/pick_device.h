/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From --device and --python to a device and the torch that it computes through.
 */
#ifndef MXT_CLI_PICK_DEVICE_H
#define MXT_CLI_PICK_DEVICE_H

#include "compiler.h"
#include "device_ops.h"
#include "python_packages.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_machine;
struct mxt_python;
struct mxt_sysroot;

struct mxt_device_pick {
	const struct mxt_device_ops *ops;
	struct mxt_device_target target;     /* its torch and python are owned by the pick */
	char *torch;                         /* owned; NULL: none */
	char *python;                        /* owned: the interpreter that trains; NULL: none */
	struct mxt_python_packages packages; /* of that Python */
	bool simulated;                      /* the device, or its torch, stands in for hardware */
	char *note;                          /* owned; what the user should know about the pick; NULL: nothing */
};
#define MXT_DEVICE_PICK_INIT                                                                                           \
	{                                                                                                              \
		.ops = NULL                                                                                            \
	}
#define MXT_CLEANUP_PICK MXT_CLEANUP(mxt_device_pick_finish)

/*
 * --device: "auto" (or nothing), "cuda", "cpu" (torch on the host, or the built-in self-test where there is no torch
 * that can be measured), "self-test", or a simulated device's name. MXT_E_USAGE for another name, MXT_E_NO_PYTHON for a
 * --python that is none, MXT_E_NO_DEVICE when the device needs a torch and there is none.
 */
int mxt_device_pick_init(struct mxt_device_pick *pick, const struct mxt_machine *machine, const char *device,
			 const char *python, struct mxt_error *err) MXT_WUR;
void mxt_device_pick_finish(struct mxt_device_pick *pick);

/*
 * The torch that a Python would import: its package's folder, for the caller to free, and its version; NULL when there
 * is none, and then the version is left alone. *ret_packages: what else that Python has. `named` is --python, or NULL;
 * below a record's root the folder is the one in the record.
 */
int mxt_torch_pick(const struct mxt_sysroot *root, char *const *environment, const char *named, char **ret_folder,
		   struct mxt_torch_version *ret_version, struct mxt_python_packages *ret_packages,
		   struct mxt_error *err) MXT_WUR;

/* The same for a Python that was found. */
int mxt_torch_of_python(const struct mxt_sysroot *root, const struct mxt_python *python, char **ret_folder,
			struct mxt_torch_version *ret_version, struct mxt_error *err) MXT_WUR;

#endif
