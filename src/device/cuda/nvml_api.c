/* SPDX-License-Identifier: Apache-2.0 */
#include "nvml_api.h"

#include <errno.h>

#include "error.h"
#include "printable.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	MXT_DL_ROW(struct mxt_nvml_calls, symbol, required, since)
static const struct mxt_dl_row nvml_rows[] = {
#include "nvml.def"
};
#undef MXT_DL_SYMBOL

const char *mxt_nvml_status_text(const struct mxt_nvml *nvml, enum mxt_nvml_status status)
{
	const char *text = nvml->call.nvmlErrorString(status);
	return text ? text : "unknown status";
}

/* What nvmlInit_v2 answers where there is nothing to describe, and where something is wrong. */
static int init_error(const struct mxt_nvml *nvml, enum mxt_nvml_status status, struct mxt_error *err)
{
	char text[MXT_PRINTABLE_SIZE];
	mxt_printable(mxt_nvml_status_text(nvml, status), text);
	if (status == MXT_NVML_DRIVER_NOT_LOADED || status == MXT_NVML_LIBRARY_NOT_FOUND)
		return mxt_error_set(
		    err, -ENODEV, MXT_E_NO_DEVICE,
		    "NVIDIA's driver is not loaded (NVML status %d, %s); in a container, start it with "
		    "the host's GPUs",
		    (int)status, text);
	if (status == MXT_NVML_VERSION_MISMATCH)
		return mxt_error_set(err, -EIO, MXT_E_NVIDIA_DRIVER,
				     "NVIDIA's kernel driver and its libraries are of two releases (NVML status %d, "
				     "%s); reboot, or unload and load the nvidia modules",
				     (int)status, text);
	return mxt_error_set(err, -EIO, MXT_E_NVIDIA_DRIVER,
			     "NVML cannot start (status %d, %s); see what nvidia-smi and dmesg say", (int)status, text);
}

int mxt_nvml_open(struct mxt_nvml *ret_nvml, struct mxt_error *err)
{
	static const char *const names[] = {"libnvidia-ml.so.1", NULL};
	static const struct mxt_dl_library library = {"NVIDIA's driver library NVML", names, nvml_rows,
						      MXT_ARRAY_LEN(nvml_rows), false};
	struct mxt_nvml nvml = MXT_NVML_INIT;
	int rc = mxt_dl_open(&library, &nvml.call, &nvml.dl, err);
	if (rc < 0)
		return rc;
	enum mxt_nvml_status status = nvml.call.nvmlInit_v2();
	if (status != MXT_NVML_SUCCESS) {
		rc = init_error(&nvml, status, err);
		mxt_dl_close(&nvml.dl);
		return rc;
	}
	*ret_nvml = nvml;
	return 0;
}

void mxt_nvml_close(struct mxt_nvml *nvml)
{
	if (!nvml->dl.handle)
		return;
	(void)nvml->call.nvmlShutdown();
	mxt_dl_close(&nvml->dl);
}
