/* SPDX-License-Identifier: Apache-2.0 */
#include "model_source.h"

#include <errno.h>

#include "error.h"
#include "model_preset.h"

int mxt_model_source_read(const char *name, char *const *environment, struct mxt_workload *workload,
			  struct mxt_error *err)
{
	(void)environment;
	const struct mxt_model *preset = mxt_model_preset_find(name);
	if (!preset)
		preset = mxt_model_preset_of_hub_id(name);
	if (!preset)
		return mxt_error_set(err, -ENOENT, MXT_E_MODEL_NOT_FOUND, "%s is not a preset", name);
	workload->model = *preset;
	return 0;
}
