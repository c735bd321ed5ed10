/* SPDX-License-Identifier: Apache-2.0 */
#include "pick_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "python_env.h"
#include "recorded_machine.h"
#include "sysroot.h"
#include "torch_install.h"
#include "torch_library.h"

/* What a person types, and the devices that may be meant, the best first. */
struct choice_row {
	const char *name;
	const char *devices[5]; /* rows of mxt_devices */
};

static const struct choice_row choices[] = {
    {"auto", {"cuda", "hip", "cpu-torch", "cpu"}},
    {"cuda", {"cuda"}},
    {"hip", {"hip"}},
    {"cpu", {"cpu-torch", "cpu"}},
    {"self-test", {"cpu"}},
    {"fake", {"fake"}},
};

static const struct choice_row *choice_find(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(choices); i++)
		if (strcmp(choices[i].name, name) == 0)
			return &choices[i];
	return NULL;
}

void mxt_device_pick_finish(struct mxt_device_pick *pick)
{
	free(pick->torch);
	free(pick->python);
	free(pick->note);
	*pick = (struct mxt_device_pick)MXT_DEVICE_PICK_INIT;
}

int mxt_torch_of_python(const struct mxt_sysroot *root, const struct mxt_python *python, char **ret_folder,
			struct mxt_torch_version *ret_version, struct mxt_error *err)
{
	MXT_CLEANUP_TORCH struct mxt_torch_list list = MXT_TORCH_LIST_INIT;
	int rc = python->interpreter ? mxt_torch_find(root, python, &list, err) : 0;
	if (rc < 0)
		return rc;
	if (list.count == 0) {
		*ret_folder = NULL;
		return 0;
	}
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s%s/torch", root->prefix, list.items[0].folder);
	rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	*ret_version = list.items[0].files;
	*ret_folder = mxt_buf_steal(&path);
	return 0;
}

int mxt_torch_pick(const struct mxt_sysroot *root, char *const *environment, const char *named, char **ret_folder,
		   struct mxt_torch_version *ret_version, struct mxt_python_packages *ret_packages,
		   struct mxt_error *err)
{
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	int rc = mxt_python_find(root, environment, named, &python, err);
	if (rc == 0)
		rc = mxt_python_packages_find(root, &python, ret_packages, err);
	return rc < 0 ? rc : mxt_torch_of_python(root, &python, ret_folder, ret_version, err);
}

/* The Python of this machine with its torch and its packages. */
static int pick_python(struct mxt_device_pick *pick, const struct mxt_machine *machine, const char *named,
		       struct mxt_torch_version *version, struct mxt_error *err)
{
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	int rc = mxt_python_find(&machine->root, machine->environment, named, &python, err);
	if (rc == 0)
		rc = mxt_torch_of_python(&machine->root, &python, &pick->torch, version, err);
	if (rc == 0)
		rc = mxt_python_packages_find(&machine->root, &python, &pick->packages, err);
	if (rc < 0)
		return rc;
	pick->python = mxt_steal_ptr(&python.interpreter);
	return 0;
}

/* Why a device is passed over. */
struct refusal {
	char *why;    /* owned; NULL: it can be used */
	bool notable; /* whoever runs the program should hear of it, whatever is taken instead */
};

static void refusal_finish(struct refusal *refusal)
{
	free(refusal->why);
	*refusal = (struct refusal){.why = NULL};
}

/* A GPU that this build of torch cannot use: worth a word only where there is one. */
static int refuse_build(const struct mxt_device_pick *pick, const struct mxt_sysroot *root,
			const struct mxt_device_ops *ops, const struct mxt_torch_version *version,
			struct refusal *refusal, struct mxt_error *err)
{
	const char *here = strcmp(ops->vendor, "amd") == 0 ? "an AMD GPU is here, but " : "an NVIDIA GPU is here, but ";
	refusal->notable = ops->detect(root, NULL) == 0;
	if (asprintf(&refusal->why,
		     "%storch %s in %s is not built for %s but for %s; install the build that is: "
		     "https://pytorch.org/get-started/locally/",
		     refusal->notable ? here : "", version->version, pick->torch,
		     mxt_torch_backend_name(ops->torch_backend),
		     mxt_torch_backend_name(mxt_torch_backend_of(version))) < 0) {
		refusal->why = NULL;
		return mxt_error_oom(err);
	}
	return 0;
}

/* `asked_for`: no other device would be taken, so that a GPU that is not seen may still be tried. */
static int consider(const struct mxt_device_pick *pick, const struct mxt_sysroot *root,
		    const struct mxt_device_ops *ops, const struct mxt_torch_version *version, bool asked_for,
		    struct refusal *refusal, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	if (!ops->needs_torch)
		return 0;
	int rc = mxt_torch_check_version(version, pick->torch, &why);
	if (rc == 0 && ops->vendor && mxt_torch_backend_of(version) != ops->torch_backend)
		return refuse_build(pick, root, ops, version, refusal, err);
	refusal->notable = rc < 0 && !ops->vendor;
	if (rc == 0 && !asked_for)
		rc = ops->detect(root, &why);
	if (rc == 0)
		return 0;
	refusal->why = strdup(mxt_error_text(&why));
	return refusal->why ? 0 : mxt_error_oom(err);
}

static void keep_note(struct mxt_device_pick *pick, struct refusal *refusal)
{
	if (refusal->notable && !pick->note)
		pick->note = mxt_steal_ptr(&refusal->why);
	refusal_finish(refusal);
}

static int choose(struct mxt_device_pick *pick, const struct mxt_sysroot *root, const struct choice_row *row,
		  const struct mxt_torch_version *version, struct mxt_error *err)
{
	struct refusal refusal = {.why = NULL};
	for (size_t i = 0; row->devices[i]; i++) {
		const struct mxt_device_ops *ops = mxt_device_find(row->devices[i]);
		bool last = !row->devices[i + 1];
		if (!ops)
			continue;
		int rc = consider(pick, root, ops, version, last, &refusal, err);
		if (rc < 0)
			return rc;
		if (!refusal.why) {
			pick->ops = ops;
			return 0;
		}
		if (!last)
			keep_note(pick, &refusal);
	}
	int rc = mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "--device %s: %s", row->name,
			       refusal.why ? refusal.why : "this program was built without it");
	refusal_finish(&refusal);
	return rc;
}

/* Stand-ins say so beside their libraries; a worker that loads them finds it in the libraries, too. */
static int mark_simulated(struct mxt_device_pick *pick, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	pick->simulated = pick->ops->simulated;
	if (!pick->target.torch)
		return 0;
	mxt_buf_printf(&path, "%s/lib/" MXT_TORCH_STAND_IN, pick->target.torch);
	int rc = mxt_buf_status(&path, err);
	pick->simulated = pick->simulated || (rc == 0 && access(mxt_buf_text(&path), F_OK) == 0);
	return rc;
}

int mxt_device_pick_init(struct mxt_device_pick *pick, const struct mxt_machine *machine, const char *device,
			 const char *python, struct mxt_error *err)
{
	const struct choice_row *row = choice_find(device ? device : "auto");
	*pick = (struct mxt_device_pick)MXT_DEVICE_PICK_INIT;
	if (!row)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "unknown device '%s'; this version knows auto, cuda, hip, cpu and self-test",
				     device);
	struct mxt_torch_version version = {.version = ""};
	int rc = pick_python(pick, machine, python, &version, err);
	if (rc == 0)
		rc = choose(pick, &machine->root, row, &version, err);
	if (rc == 0 && pick->ops->needs_torch) {
		pick->target.torch = pick->torch;
		pick->target.python = pick->python;
	}
	return rc == 0 ? mark_simulated(pick, err) : rc;
}
