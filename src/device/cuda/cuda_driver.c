/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_driver.h"

#include <errno.h>
#include <stdio.h>

#include "error.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	MXT_DL_ROW(struct mxt_cuda_calls, symbol, required, since)
static const struct mxt_dl_row cuda_rows[] = {
#include "cuda_driver.def"
};
#undef MXT_DL_SYMBOL

/* Statuses of cuInit that say what to do. */
static const struct init_row {
	enum mxt_cuda_status status;
	int rc;
	enum mxt_error_id id;
	const char *text;
} init_rows[] = {
    {MXT_CUDA_NO_DEVICE, -ENODEV, MXT_E_NO_DEVICE,
     "CUDA shows this process no device; look at CUDA_VISIBLE_DEVICES, and in a container at the devices that it was "
     "given"},
    {MXT_CUDA_STUB_LIBRARY, -EIO, MXT_E_NVIDIA_DRIVER,
     "the libcuda.so.1 that is found is the toolkit's stub; take its folder (stubs) out of LD_LIBRARY_PATH"},
    {MXT_CUDA_SYSTEM_NOT_READY, -EIO, MXT_E_NVIDIA_DRIVER,
     "the cards are not ready (CUDA status 802); on a machine with NVSwitch, start nvidia-fabricmanager, of the "
     "driver's own release"},
    {MXT_CUDA_DRIVER_MISMATCH, -EIO, MXT_E_NVIDIA_DRIVER,
     "libcuda.so.1 does not belong to the driver that is loaded (CUDA status 803); take another one out of "
     "LD_LIBRARY_PATH, or reboot after an update"},
};

static int init_error(enum mxt_cuda_status status, struct mxt_error *err)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(init_rows); i++)
		if (init_rows[i].status == status)
			return mxt_error_set(err, init_rows[i].rc, init_rows[i].id, "%s", init_rows[i].text);
	return mxt_error_set(err, -EIO, MXT_E_NVIDIA_DRIVER,
			     "CUDA cannot start (status %d); see what nvidia-smi and dmesg say", (int)status);
}

static int start(struct mxt_cuda_driver *driver, struct mxt_error *err)
{
	enum mxt_cuda_status status = driver->call.cuInit(0);
	if (status == MXT_CUDA_SUCCESS)
		status = driver->call.cuDeviceGetCount(&driver->count);
	if (status == MXT_CUDA_SUCCESS && driver->count <= 0)
		status = MXT_CUDA_NO_DEVICE;
	return status == MXT_CUDA_SUCCESS ? 0 : init_error(status, err);
}

int mxt_cuda_driver_open(struct mxt_cuda_driver *ret_driver, struct mxt_error *err)
{
	static const char *const names[] = {"libcuda.so.1", NULL};
	static const struct mxt_dl_library library = {"NVIDIA's driver library for CUDA", names, cuda_rows,
						      MXT_ARRAY_LEN(cuda_rows), false};
	struct mxt_cuda_driver driver = MXT_CUDA_DRIVER_INIT;
	int rc = mxt_dl_open(&library, &driver.call, &driver.dl, err);
	if (rc == 0)
		rc = start(&driver, err);
	if (rc < 0)
		mxt_dl_close(&driver.dl);
	else
		*ret_driver = driver;
	return rc;
}

void mxt_cuda_driver_close(struct mxt_cuda_driver *driver)
{
	mxt_dl_close(&driver->dl);
	driver->count = 0;
}

static struct mxt_reading reading(enum mxt_cuda_status status, int value)
{
	bool told = status == MXT_CUDA_SUCCESS && value > 0;
	return (struct mxt_reading){told ? (uint64_t)value : 0, told};
}

struct mxt_reading mxt_cuda_driver_version(const struct mxt_cuda_driver *driver)
{
	int version = 0;
	enum mxt_cuda_status status = driver->call.cuDriverGetVersion(&version);
	return reading(status, version);
}

struct mxt_reading mxt_cuda_driver_attribute(const struct mxt_cuda_driver *driver, int ordinal,
					     enum mxt_cuda_attribute attribute)
{
	int device = 0, value = 0;
	enum mxt_cuda_status status = driver->call.cuDeviceGet(&device, ordinal);
	if (status == MXT_CUDA_SUCCESS)
		status = driver->call.cuDeviceGetAttribute(&value, attribute, device);
	return reading(status, value);
}

/* Only the newer function tells a slice from the card that it is cut from. */
bool mxt_cuda_driver_uuid(const struct mxt_cuda_driver *driver, int ordinal, char ret_text[MXT_CUDA_UUID_TEXT])
{
	enum mxt_cuda_status (*get)(struct mxt_cuda_uuid *, int) =
	    driver->call.cuDeviceGetUuid_v2 ? driver->call.cuDeviceGetUuid_v2 : driver->call.cuDeviceGetUuid;
	struct mxt_cuda_uuid uuid = {""};
	int device = 0;
	if (!get || driver->call.cuDeviceGet(&device, ordinal) != MXT_CUDA_SUCCESS ||
	    get(&uuid, device) != MXT_CUDA_SUCCESS)
		return false;
	size_t at = 0;
	for (size_t i = 0; i < sizeof uuid.bytes; i++) {
		bool dash = i == 4 || i == 6 || i == 8 || i == 10;
		(void)snprintf(ret_text + at, MXT_CUDA_UUID_TEXT - at, "%s%02x", dash ? "-" : "",
			       (unsigned)(unsigned char)uuid.bytes[i]);
		at += dash ? 3 : 2;
	}
	return true;
}
