/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_bundle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "config.h"
#include "device_file.h"
#include "device_inventory.h"
#include "doctor.h"
#include "doctor_json.h"
#include "doctor_text.h"
#include "error.h"
#include "json.h"
#include "kernel_log.h"
#include "pick_device.h"
#include "python_packages.h"
#include "sysroot_tree.h"
#include "torch_install.h"

#define COLUMNS   100
#define MAX_NAMES 1024
#define LIMIT_NS  (UINT64_C(30) * MXT_NS_PER_S) /* for one device to open: a first one reads libraries of gigabytes */

static const char readme[] =
    "What `mindxtrain doctor --bundle` of version " MXT_VERSION " saw.\n\n"
    "report/   what it said; what GPU devices tell of themselves, or why they do not open; the kernel's log of GPUs\n"
    "machine/  the files that it read: `mindxtrain doctor --sysroot machine`\n\n"
    "Names of the host and of users, UUIDs, serial numbers and long ids are replaced. Look through it before you send\n"
    "it: nobody knows what else names your machine.\n";

void mxt_doctor_bundle_init(struct mxt_bundle *bundle, char *const *environment)
{
	char host[256] = "";
	bool known = gethostname(host, sizeof host - 1) == 0;
	mxt_bundle_init(bundle, known ? host : NULL, environment);
}

static void add_buf(struct mxt_bundle *bundle, const char *name, const struct mxt_buf *buf)
{
	bundle->failed = bundle->failed || buf->failed;
	mxt_bundle_add(bundle, name, mxt_buf_text(buf), buf->len);
}

static int add_report(struct mxt_bundle *bundle, const struct mxt_doctor_bundle_request *request, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf json = MXT_BUF_INIT;
	const struct mxt_doctor_style style = {COLUMNS, false};
	mxt_doctor_text(request->report, &style, &text);
	int rc = mxt_doctor_json(request->report, request->recorded, &json, err);
	add_buf(bundle, "report/doctor.txt", &text);
	add_buf(bundle, "report/doctor.json", &json);
	return rc;
}

static int add_nvidia(struct mxt_bundle *bundle, const json_t *nvidia, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf json = MXT_BUF_INIT;
	int rc = nvidia ? mxt_json_canonical(nvidia, &json, err) : 0;
	if (rc == 0 && nvidia)
		add_buf(bundle, "machine/nvidia.json", &json);
	return rc;
}

/* What the device tells when it is opened, with all checks that it makes then; or why it does not open. */
static int add_device(struct mxt_bundle *bundle, const struct mxt_doctor_bundle_request *request,
		      const struct mxt_device_ops *ops, const char *torch, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *facts = NULL;
	const struct mxt_survey_request survey = {.ops = ops,
						  .target = {.torch = torch},
						  .environment = request->environment,
						  .clock = &mxt_clock_monotonic,
						  .deadline_ns = mxt_now_ns(&mxt_clock_monotonic) + LIMIT_NS,
						  .cancel_fd = -1};
	int rc = mxt_device_survey(&survey, ops->name, &facts, &cause);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	mxt_buf_printf(&name, "report/device-%s.%s", ops->name, rc == 0 ? "json" : "txt");
	if (rc == 0)
		rc = mxt_json_canonical(facts, &text, err);
	else
		rc = 0, mxt_buf_printf(&text, "%s\n", mxt_error_text(&cause));
	if (rc == 0)
		add_buf(bundle, mxt_buf_text(&name), &text);
	return rc;
}

static int add_devices(struct mxt_bundle *bundle, const struct mxt_doctor_bundle_request *request,
		       struct mxt_error *err)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	MXT_CLEANUP_FREE char *torch = NULL;
	struct mxt_torch_version version = {.version = ""};
	struct mxt_python_packages packages = {.versions = {""}};
	int rc = mxt_torch_pick(&live, request->environment, request->python, &torch, &version, &packages, err);
	for (const struct mxt_device_ops *const *ops = mxt_devices; rc == 0 && torch && *ops; ops++)
		if ((*ops)->vendor && (*ops)->needs_torch && (*ops)->torch_backend == mxt_torch_backend_of(&version))
			rc = add_device(bundle, request, *ops, torch, err);
	return rc;
}

/* machine/device-files, as a recorded machine has it (device_file.h). */
static void add_device_files(struct mxt_bundle *bundle)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	enum mxt_device_access access = MXT_DEVICE_ABSENT;
	if (mxt_device_file_access(&live, "/dev/kfd", &access) == 0 && access != MXT_DEVICE_ABSENT)
		mxt_buf_printf(&text, "%s /dev/kfd\n", mxt_device_access_name(access));
	if (mxt_sysroot_list(&live, "/dev/dri", MAX_NAMES, &names, NULL) == -ENOMEM)
		bundle->failed = true;
	for (size_t i = 0; i < names.count; i++) {
		MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
		mxt_buf_printf(&path, "/dev/dri/%s", names.names[i]);
		if (mxt_device_file_access(&live, mxt_buf_text(&path), &access) == 0)
			mxt_buf_printf(&text, "%s %s\n", mxt_device_access_name(access), mxt_buf_text(&path));
	}
	add_buf(bundle, "machine/device-files", &text);
}

static int add_live(struct mxt_bundle *bundle, const struct mxt_doctor_bundle_request *request, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf log = MXT_BUF_INIT;
	add_device_files(bundle);
	mxt_kernel_log_gpus(&log);
	add_buf(bundle, "report/kernel.log", &log);
	return add_devices(bundle, request, err);
}

int mxt_doctor_bundle_write(struct mxt_bundle *bundle, const struct mxt_doctor_bundle_request *request,
			    struct mxt_error *err)
{
	size_t count = 0;
	mxt_bundle_add(bundle, "README", readme, sizeof readme - 1);
	mxt_bundle_add_environment(bundle, request->environment);
	int rc = add_report(bundle, request, err);
	if (rc == 0)
		rc = add_nvidia(bundle, request->nvidia, err);
	if (rc == 0 && !request->recorded)
		rc = add_live(bundle, request, err);
	if (rc == 0)
		rc = mxt_bundle_write(bundle, request->path, &count, err);
	if (rc == 0)
		(void)fprintf(stderr, "mindxtrain: %zu files in %s; look through it before you send it\n", count,
			      request->path);
	return rc;
}
