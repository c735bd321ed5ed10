/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_packages.h"

#include <string.h>

#include "import_check.h"
#include "python_packages.h"
#include "release.h"
#include "remarks.h"

/* The oldest versions that this was tried with. */
struct need {
	const char *package;
	unsigned major, minor;
	const char *remedy;
};

static const struct need accelerate = {"accelerate", 0, 26, "pip install -U accelerate, or --launcher torchrun"};
static const struct need axolotl = {"axolotl", 0, 4,
				    "pip install -U axolotl, and see that torch is the plan's afterwards"};

static void check_package(const struct mxt_python_packages *packages, const char *python, const struct need *need,
			  struct mxt_remarks *remarks)
{
	const char *version = mxt_python_package_version(packages, need->package);
	if (!version)
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_PACKAGE, MXT_ALLOW_NOTHING, "%s has no %s: %s", python,
				  need->package, need->remedy);
	else if (!mxt_release_at_least(version, need->major, need->minor))
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_PACKAGE, MXT_ALLOW_NOTHING,
				  "%s has %s %s, and %u.%u is the oldest that can be used: %s", python, need->package,
				  version, need->major, need->minor, need->remedy);
}

void mxt_launch_packages_check(const struct mxt_python_packages *packages, const struct mxt_command_request *request,
			       struct mxt_remarks *remarks)
{
	if (!packages)
		return;
	if (request->launcher == MXT_LAUNCHER_ACCELERATE)
		check_package(packages, request->python, &accelerate, remarks);
	check_package(packages, request->python, &axolotl, remarks);
}

static const char *const launcher_modules[] = {
    [MXT_LAUNCHER_ACCELERATE] = "accelerate.commands.launch",
    [MXT_LAUNCHER_TORCHRUN] = "torch.distributed.run",
    [MXT_LAUNCHER_PYTHON] = NULL,
};

/* Distributions whose module has another name. */
static const char *const module_names[][2] = {
    {"amd_aiter", "aiter"},
    {"flash_attn_3", "flash_attn_interface"},
    {"flash_attn_4", "flash_attn.cute"},
};

static const char *module_of(const char *package)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(module_names); i++)
		if (strcmp(package, module_names[i][0]) == 0)
			return module_names[i][1];
	return package;
}

int mxt_launch_imports_check(const struct mxt_command_request *request, char *const *environment, const char *package,
			     struct mxt_remarks *remarks, struct mxt_error *err)
{
	const char *modules[4] = {NULL};
	size_t count = 0;
	if (launcher_modules[request->launcher])
		modules[count++] = launcher_modules[request->launcher];
	if (package)
		modules[count++] = module_of(package);
	modules[count] = "axolotl.cli.train";
	return mxt_import_check(request->python, environment, modules, remarks, err);
}
