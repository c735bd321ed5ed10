/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AMD's GPUs of a machine, from files of the kernel alone: no ROCm library is loaded, and nothing is opened. Sources:
 * Linux drivers/gpu/drm/amd (kfd_topology.c, amdgpu_gfx.c), checked against recorded machines.
 *
 * A GPU here is what HIP calls a device: a whole card in the mode SPX, a partition of one in DPX, QPX and CPX. HIP
 * numbers them in the order of the driver's nodes. Nothing of this was seen on hardware by us: the worker compares it
 * with what HIP itself tells.
 */
#ifndef MXT_HIP_AMD_MACHINE_H
#define MXT_HIP_AMD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "device_file.h"
#include "kfd_properties.h"
#include "reading.h"

struct mxt_error;
struct mxt_sysroot;

#define MXT_AMD_TEXT   48
#define MXT_AMD_REASON 200
#define MXT_AMD_MODE   8 /* "SPX", "NPS1" */
#define MXT_AMD_PCI    16

struct mxt_amd_gpu {
	uint32_t ordinal;   /* among all that the kernel shows, before any *_VISIBLE_DEVICES */
	uint32_t node;      /* of KFD */
	uint32_t card;      /* from 0 in the order of the nodes; the partitions of a card share it */
	uint32_t partition; /* of its card, from 0 */

	char arch[MXT_AMD_ARCH]; /* "gfx942"; "" when the driver tells none */
	char name[MXT_AMD_TEXT]; /* "AMD Instinct MI300X"; "AMD GPU 0x740f" where the id is not known to us */
	char pci[MXT_AMD_PCI];   /* of the card: "0000:05:00.0" */
	uint32_t device_id;      /* 0x74a1 */
	bool known;              /* the device id is in amd_models.def */
	uint64_t unique_id;      /* of the card; 0: none. The UUID of ROCm is "GPU-%016x" of it */
	uint64_t hive_id;        /* equal where xGMI connects cards; 0: none */

	uint32_t units, card_units; /* compute units: of this GPU, and of its card as far as it is shown */
	uint32_t xccs, card_xccs;   /* compute dies; 0 where the driver does not tell */
	uint32_t partitions;        /* GPUs that the kernel shows of this card; 1: not partitioned */
	uint64_t memory_bytes, card_memory_bytes; /* 0 where the driver does not tell */
	char compute_partition[MXT_AMD_MODE];     /* "SPX", "CPX", ...; worked out of the dies where no file tells it */
	bool compute_partition_told;              /* a file told it */
	char memory_partition[MXT_AMD_MODE];      /* "NPS1", "NPS4"; "" where no file tells it */

	uint32_t max_mhz; /* 0: not told */
	uint32_t memory_mhz;
	uint32_t xgmi_links; /* other cards that this GPU has a direct link to */

	uint32_t render_minor;         /* /dev/dri/renderD128 */
	enum mxt_device_access render; /* may it be opened */

	/* Upper bounds of this GPU; 0 when not known. A partition may use the memory bandwidth of its whole card. */
	double peak_bf16_flops, peak_fp32_flops; /* FLOP/s */
	double peak_bytes;                       /* bytes/s */
};

enum mxt_amd_mesh {
	MXT_AMD_MESH_NONE,   /* fewer than two cards */
	MXT_AMD_MESH_FULL,   /* every card has a direct xGMI link to every other */
	MXT_AMD_MESH_BROKEN, /* it has not */
};

struct mxt_amd_machine {
	bool driver;                       /* amdgpu's compute driver shows a topology */
	char driver_version[MXT_AMD_TEXT]; /* of AMD's own package; "" where the kernel's is used */
	enum mxt_device_access kfd;        /* may /dev/kfd be opened */
	struct mxt_reading numa_balancing; /* kernel.numa_balancing */
	uint32_t n_closed;                 /* GPUs that the kernel hides from this process (container) */
	uint32_t n_damaged;                /* nodes that could not be understood */

	struct mxt_amd_gpu *gpus; /* owned: what a job sees, in HIP's order */
	size_t n_gpus;
	uint32_t n_cards; /* cards that these are of */

	size_t shown_gpus; /* GPUs and cards that the kernel shows, *_VISIBLE_DEVICES aside */
	uint32_t shown_cards;
	const char *hidden_by; /* static: the variable that hides some; NULL: none */

	enum mxt_amd_mesh mesh;           /* among the n_cards */
	uint32_t missing_links;           /* pairs of cards without a direct link, when BROKEN */
	char mesh_reason[MXT_AMD_REASON]; /* what breaks it, with the first such pair; "" else */
};

#define MXT_AMD_MACHINE_INIT                                                                                           \
	{                                                                                                              \
		.driver = false                                                                                        \
	}
#define MXT_CLEANUP_AMD_MACHINE MXT_CLEANUP(mxt_amd_machine_finish)

/*
 * `environment` is the job's: NULL or an ended list. A machine without a driver or GPUs is no failure, and neither is
 * what cannot be read: -ENOMEM is the only one.
 */
int mxt_amd_machine_read(const struct mxt_sysroot *root, char *const *environment, struct mxt_amd_machine *ret_machine,
			 struct mxt_error *err) MXT_WUR;
void mxt_amd_machine_finish(struct mxt_amd_machine *machine);

/* Whether its mode says that it is a part of its card; false where the mode is not told. */
bool mxt_amd_gpu_is_partition(const struct mxt_amd_gpu *gpu);

/* Whether the GPU at a place of the list is the first one of its card there, and so stands for the card. */
bool mxt_amd_machine_is_first(const struct mxt_amd_machine *machine, size_t place);

/*
 * The GPU that HIP calls `ordinal`, when a job could use it. Else -ENODEV: MXT_E_NO_DEVICE (none at all, hidden, or not
 * so many), MXT_E_AMD_DRIVER (no driver, or one that shows none of the cards), MXT_E_AMD_ACCESS (device files that may
 * not be opened); each with what to do.
 */
int mxt_amd_machine_find(const struct mxt_amd_machine *machine, unsigned ordinal, const struct mxt_amd_gpu **ret_gpu,
			 struct mxt_error *err) MXT_WUR;

/* Why a device file that is not open cannot be, and what to do; static. NULL when it is open or not recorded. */
const char *mxt_amd_access_remedy(enum mxt_device_access access);

#endif
