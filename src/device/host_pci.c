/* SPDX-License-Identifier: Apache-2.0 */
#include "host_pci.h"

#include <errno.h>

#include "buf.h"
#include "error.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define DEVICES     "/sys/bus/pci/devices"
#define MAX_DEVICES 65536

static const struct {
	uint64_t id;
	const char *name;
} vendors[MXT_GPU_VENDOR_COUNT] = {[MXT_GPU_NVIDIA] = {0x10de, "NVIDIA"}, [MXT_GPU_AMD] = {0x1002, "AMD"}};

const char *mxt_gpu_vendor_name(enum mxt_gpu_vendor vendor)
{
	return vendors[vendor].name;
}

static bool is_gpu_class(uint64_t class)
{
	return class >> 16 == 0x03 || class >> 16 == 0x12;
}

static int read_number(const struct mxt_sysroot *root, const char *device, const char *name, uint64_t *ret_value)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, DEVICES "/%s/%s", device, name);
	int rc = mxt_buf_status(&path, NULL);
	return rc < 0 ? rc : mxt_sysroot_read_u64(root, mxt_buf_text(&path), ret_value, NULL);
}

static int count_device(const struct mxt_sysroot *root, const char *device, struct mxt_pci_gpus *gpus)
{
	uint64_t class = 0, vendor = 0;
	int rc = read_number(root, device, "class", &class);
	if (rc == 0 && is_gpu_class(class))
		rc = read_number(root, device, "vendor", &vendor);
	for (size_t i = 0; rc == 0 && i < MXT_GPU_VENDOR_COUNT; i++)
		gpus->count[i] += vendors[i].id == vendor;
	return rc == -ENOMEM ? rc : 0;
}

int mxt_pci_gpus_read(const struct mxt_sysroot *root, struct mxt_pci_gpus *ret_gpus, struct mxt_error *err)
{
	struct mxt_pci_gpus gpus = {false, {0}};
	MXT_CLEANUP_NAMES struct mxt_name_list devices = MXT_NAME_LIST_INIT;
	int rc = mxt_sysroot_list(root, DEVICES, MAX_DEVICES, &devices, NULL);
	gpus.reported = rc == 0;
	if (rc < 0 && rc != -ENOMEM)
		rc = 0;
	for (size_t i = 0; rc == 0 && i < devices.count; i++)
		rc = count_device(root, devices.names[i], &gpus);
	if (rc < 0)
		return mxt_error_oom(err);
	*ret_gpus = gpus;
	return 0;
}

int mxt_pci_gpu_here(const struct mxt_sysroot *root, enum mxt_gpu_vendor vendor, const char *device_file,
		     struct mxt_error *err)
{
	struct mxt_pci_gpus gpus = {.reported = false};
	bool on_bus = mxt_pci_gpus_read(root, &gpus, NULL) == 0 && gpus.count[vendor] > 0;
	if (on_bus || mxt_sysroot_exists(root, device_file))
		return 0;
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "no %s GPU is here", mxt_gpu_vendor_name(vendor));
}
