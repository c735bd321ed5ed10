/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_library.h"

#include "json.h"
#include "loaded_libraries.h"

/* Of ROCm 7, 6 and 5. */
static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};

/* By its path: the loader's folders may hold another one of the same name. */
int mxt_hip_library_open(int device, struct mxt_gpu_runtime *ret_runtime, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *loaded = mxt_loaded_libraries();
	if (!loaded)
		return mxt_error_oom(err);
	const char *const found[] = {json_string_value(json_object_get(loaded, "hip")), NULL};
	return mxt_gpu_runtime_open(&mxt_hip_runtime, found[0] ? found : names, device, ret_runtime, err);
}
