/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_scenario.h"

#define TEXTS 256

/* Buses of the cards of one recorded machine. */
static const int buses[] = {0x0c, 0x22, 0x38, 0x5c, 0x9f, 0xaf, 0xbf, 0xdf};

struct mxt_sim_pci mxt_sim_pci_of(const struct mxt_sim_device *device, int card)
{
	const char *given = json_string_value(json_array_get(device->pci, (size_t)card));
	struct mxt_sim_pci pci = {.bus = buses[(unsigned)card % 8], .domain = card / 8};
	char *end = NULL;
	if (given) { /* "0000:0c:00.0" */
		pci.domain = (int)strtol(given, &end, 16);
		pci.bus = (int)strtol(*end ? end + 1 : end, &end, 16);
		pci.device = (int)strtol(*end ? end + 1 : end, &end, 16);
	}
	return pci;
}

enum layout { R0600, R0000, LAYOUT_COUNT };

static void put(void *to, size_t offset, size_t bytes, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;
	if (bytes == sizeof narrow)
		memcpy((char *)to + offset, &narrow, sizeof narrow);
	else
		memcpy((char *)to + offset, &value, sizeof value);
}

static void fill(const struct mxt_sim_device *device, int card, enum layout layout, void *to)
{
	static const size_t name_at[LAYOUT_COUNT] = {0, 0}, arch_at[LAYOUT_COUNT] = {1160, 396};
	struct mxt_sim_pci pci = mxt_sim_pci_of(device, card);
	const struct {
		size_t at[LAYOUT_COUNT], bytes;
		uint64_t value;
	} rows[] = {
	    {{288, 256}, 8, (uint64_t)device->memory_bytes},    /* totalGlobalMem */
	    {{296, 264}, 8, 65536},                             /* sharedMemPerBlock */
	    {{304, 272}, 4, 65536},                             /* regsPerBlock */
	    {{308, 276}, 4, 64},                                /* warpSize */
	    {{320, 280}, 4, 1024},                              /* maxThreadsPerBlock */
	    {{348, 308}, 4, 2100000},                           /* clockRate, kHz */
	    {{360, 328}, 4, (uint64_t)device->major},           /* major */
	    {{364, 332}, 4, (uint64_t)device->minor},           /* minor */
	    {{388, 336}, 4, (uint64_t)device->multiprocessors}, /* multiProcessorCount */
	    {{576, 360}, 4, 1},                                 /* concurrentKernels */
	    {{584, 368}, 4, (uint64_t)pci.bus},                 /* pciBusID */
	    {{588, 372}, 4, (uint64_t)pci.device},              /* pciDeviceID */
	    {{592, 364}, 4, (uint64_t)pci.domain},              /* pciDomainID */
	    {{608, 312}, 4, 1300000},                           /* memoryClockRate, kHz */
	    {{612, 316}, 4, 8192},                              /* memoryBusWidth, bits */
	    {{616, 340}, 4, (uint64_t)device->l2_bytes},        /* l2CacheSize */
	    {{624, 344}, 4, 2048},                              /* maxThreadsPerMultiProcessor */
	    {{1416, 376}, 8, 65536},                            /* maxSharedMemoryPerMultiProcessor */
	    {{1464, 764}, 4, 1},                                /* isLargeBar */
	    {{1468, 768}, 4, 1},                                /* asicRevision */
	};
	memset(to, 0, layout == R0600 ? MXT_SIM_R0600_BYTES : MXT_SIM_R0000_BYTES);
	(void)snprintf((char *)to + name_at[layout], TEXTS, "%s", device->name);
	(void)snprintf((char *)to + arch_at[layout], TEXTS, "%s", device->arch);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		put(to, rows[i].at[layout], rows[i].bytes, rows[i].value);
}

void mxt_sim_properties_r0600(const struct mxt_sim_device *device, int card, void *to)
{
	fill(device, card, R0600, to);
}

void mxt_sim_properties_r0000(const struct mxt_sim_device *device, int card, void *to)
{
	fill(device, card, R0000, to);
}
