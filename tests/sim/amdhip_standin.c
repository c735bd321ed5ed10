/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for AMD's HIP runtime, libamdhip64 (hip_runtime_api.h of ROCm 5.7, 6.4 and 7.2), as far as gpu_calls.c
 * does not hold it. SIM_HIP_VERSION is major * 10000000 + minor * 100000 + patch; version 5 has the properties only in
 * their old layout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_properties.h"
#include "sim_runtime.h"
#include "sim_scenario.h"
#include "sim_visible.h"

#define HAS_R0600 (SIM_HIP_VERSION >= 60000000)
#define IS_HIP_7  (SIM_HIP_VERSION >= 70000000)

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_HANDLE = 400 };
enum { LINK_XGMI = 4 };

struct hip_stream {
	unsigned flags;
};

MXT_SIM_EXPORT int hipInit(unsigned flags);
MXT_SIM_EXPORT int hipDeviceGetAttribute(int *value, int attribute, int device);
#if HAS_R0600
MXT_SIM_EXPORT int hipGetDevicePropertiesR0600(void *properties, int device);
#endif
MXT_SIM_EXPORT int hipGetDeviceProperties(void *properties, int device);
MXT_SIM_EXPORT int hipDeviceTotalMem(size_t *bytes, int device);
MXT_SIM_EXPORT int hipDeviceGetName(char *name, int len, int device);
MXT_SIM_EXPORT int hipDeviceGetPCIBusId(char *address, int len, int device);
MXT_SIM_EXPORT int hipRuntimeGetVersion(int *version);
MXT_SIM_EXPORT int hipDriverGetVersion(int *version);
MXT_SIM_EXPORT int hipDeviceReset(void);
MXT_SIM_EXPORT int hipHostMalloc(void **memory, size_t bytes, unsigned flags);
MXT_SIM_EXPORT int hipHostFree(void *memory);
MXT_SIM_EXPORT int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct hip_stream *stream);
MXT_SIM_EXPORT int hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
				      struct hip_stream *stream);
MXT_SIM_EXPORT int hipStreamCreate(struct hip_stream **stream);
MXT_SIM_EXPORT int hipStreamCreateWithFlags(struct hip_stream **stream, unsigned flags);
MXT_SIM_EXPORT int hipStreamSynchronize(struct hip_stream *stream);
MXT_SIM_EXPORT int hipStreamDestroy(struct hip_stream *stream);
MXT_SIM_EXPORT int hipDeviceCanAccessPeer(int *can, int device, int peer);
MXT_SIM_EXPORT int hipDeviceEnablePeerAccess(int peer, unsigned flags);
MXT_SIM_EXPORT int hipExtGetLinkTypeAndHopCount(int first, int second, uint32_t *type, uint32_t *hops);
MXT_SIM_EXPORT int hipDeviceGetP2PAttribute(int *value, int attribute, int from, int to);

/* Of gpu_calls.c. */
int hipGetDeviceCount(int *count);
int hipDeviceSynchronize(void);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);

static const struct mxt_sim_device *described(void)
{
	return &mxt_sim_scenario()->device;
}

/* A device by number in HIP: its number in the machine, or -1. */
static int card_of(int device)
{
	struct mxt_sim_visible visible = mxt_sim_visible(described()->count);
	return device >= 0 && device < visible.count ? visible.cards[device] : -1;
}

/* What an answer about a device begins with. */
static int ask(int device)
{
	int count, status = hipGetDeviceCount(&count);
	if (status)
		return status;
	return card_of(device) < 0 ? INVALID_DEVICE : SUCCESS;
}

int hipInit(unsigned flags)
{
	int count;
	return flags ? INVALID_VALUE : hipGetDeviceCount(&count);
}

static int clamped(int64_t value)
{
	return value > INT32_MAX ? INT32_MAX : (int)value;
}

/* The numbers are those of hipDeviceAttribute_t. */
int hipDeviceGetAttribute(int *value, int attribute, int device)
{
	const struct mxt_sim_device *card = described();
	struct mxt_sim_pci pci = mxt_sim_pci_of(card, card_of(device));
	const struct {
		int attribute, value;
	} rows[] = {
		{0, 1}, /* EccEnabled */
		{5, 2100000},
		{6, card->compute_mode},
		{16, 0}, /* Integrated */
		{19, (int)card->l2_bytes},
		{23, card->major},
		{57, 2048},
		{59, 8192},
		{60, 1300000},
		{61, card->minor},
		{63, card->multiprocessors},
		{67, pci.bus},
		{68, pci.device},
		{69, pci.domain},
		{74, 65536},
		{76, 65536},
		{83, INT32_MAX},
		{84, clamped(card->memory_bytes)},
		{87, 64},
		{10002, 65536},
		{10011, 1},
		{10012, 1},
		{10015, card->multiprocessors},
		{10017, 100000},
#if IS_HIP_7
		{10018, 8}, /* NumberOfXccs */
		{10020, 0x74a1},
#endif
	};
	int status = ask(device);
	if (status)
		return status;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].attribute == attribute) {
			*value = rows[i].value;
			return SUCCESS;
		}
	return INVALID_VALUE;
}

#if HAS_R0600
int hipGetDevicePropertiesR0600(void *properties, int device)
{
	int status = properties ? ask(device) : INVALID_VALUE;
	if (status == SUCCESS)
		mxt_sim_properties_r0600(described(), card_of(device), properties);
	return status;
}
#endif

int hipGetDeviceProperties(void *properties, int device)
{
	int status = properties ? ask(device) : INVALID_VALUE;
	if (status == SUCCESS)
		mxt_sim_properties_r0000(described(), card_of(device), properties);
	return status;
}

int hipDeviceTotalMem(size_t *bytes, int device)
{
	int status = ask(device);
	if (status == SUCCESS)
		*bytes = (size_t)described()->memory_bytes;
	return status;
}

static int answer(char *to, int len, const char *what)
{
	if (!to || len <= 0)
		return INVALID_VALUE;
	(void)snprintf(to, (size_t)len, "%s", what);
	return SUCCESS;
}

int hipDeviceGetName(char *name, int len, int device)
{
	int status = ask(device);
	return status ? status : answer(name, len, described()->name);
}

int hipDeviceGetPCIBusId(char *address, int len, int device)
{
	char name[32];
	int status = ask(device);
	if (status)
		return status;
	struct mxt_sim_pci pci = mxt_sim_pci_of(described(), card_of(device));
	(void)snprintf(name, sizeof name, "%04x:%02x:%02x.0", (unsigned)pci.domain & 0xffff, (unsigned)pci.bus & 0xff,
		       (unsigned)pci.device & 0xff);
	return answer(address, len, name);
}

int hipRuntimeGetVersion(int *version)
{
	int wanted = described()->runtime_version;
	*version = wanted < 0 ? SIM_HIP_VERSION : wanted;
	return SUCCESS;
}

int hipDriverGetVersion(int *version)
{
	return hipRuntimeGetVersion(version);
}

int hipDeviceReset(void)
{
	return hipDeviceSynchronize();
}

int hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
	(void)flags;
	int status = mxt_sim_device_status();
	if (status)
		return status;
	*memory = malloc(bytes + 1);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

int hipHostFree(void *memory)
{
	free(memory);
	return SUCCESS;
}

/*
 * One stream after the other: what is said to go on by itself is done at once. There is no hipMemsetAsync, which only
 * serves to keep a device busy.
 */
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct hip_stream *stream)
{
	(void)stream;
	return hipMemcpy(to, from, bytes, kind);
}

int hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
		       struct hip_stream *stream)
{
	(void)stream;
	int status = ask(to_device) ? ask(to_device) : ask(from_device);
	return status ? status : hipMemcpy(to, from, bytes, 3);
}

int hipStreamCreate(struct hip_stream **stream)
{
	return hipStreamCreateWithFlags(stream, 0);
}

int hipStreamCreateWithFlags(struct hip_stream **stream, unsigned flags)
{
	int status = stream && flags <= 1 ? mxt_sim_device_status() : INVALID_VALUE;
	if (status)
		return status;
	*stream = calloc(1, sizeof **stream);
	if (!*stream)
		return OUT_OF_MEMORY;
	(*stream)->flags = flags;
	return SUCCESS;
}

int hipStreamSynchronize(struct hip_stream *stream)
{
	(void)stream;
	return hipDeviceSynchronize();
}

int hipStreamDestroy(struct hip_stream *stream)
{
	free(stream);
	return stream ? SUCCESS : INVALID_HANDLE;
}

static int ask_pair(int first, int second)
{
	int status = ask(first);
	return status ? status : ask(second);
}

int hipDeviceCanAccessPeer(int *can, int device, int peer)
{
	int status = ask_pair(device, peer);
	if (status == SUCCESS)
		*can = device != peer;
	return status;
}

int hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
	return flags ? INVALID_VALUE : ask(peer);
}

/* hsa_amd_link_info_type_t, which is not how sysfs numbers links. */
int hipExtGetLinkTypeAndHopCount(int first, int second, uint32_t *type, uint32_t *hops)
{
	int status = first == second ? INVALID_VALUE : ask_pair(first, second);
	if (status)
		return status;
	*type = LINK_XGMI;
	*hops = 1;
	return SUCCESS;
}

/* hipDeviceP2PAttr: rank, access, atomics, arrays. */
int hipDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
	int status = from == to || attribute < 0 || attribute > 3 ? INVALID_VALUE : ask_pair(from, to);
	if (status == SUCCESS)
		*value = attribute == 0 ? 0 : 1;
	return status;
}
