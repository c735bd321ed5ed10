/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "amd_model.h"
#include "error.h"
#include "first_contact.h"
#include "gpu_runtime.h"

/* More than either layout takes (1472 and 792 bytes): a later release that adds to the end overruns nothing. */
#define PROPERTIES_BYTES 4096
#define POISON           0xa5 /* what HIP does not write is no text, no size and no count */

enum { LAYOUT_NEW, LAYOUT_OLD, LAYOUT_COUNT };

struct field_row {
	size_t to, bytes;
	size_t from[LAYOUT_COUNT];
};

static const struct field_row fields[] = {
#define MXT_HIP_FIELD(member, bytes, new_offset, old_offset, header_name)                                              \
	{offsetof(struct mxt_hip_identity, member), bytes, {new_offset, old_offset}},
#include "hip_layout.def"
#undef MXT_HIP_FIELD
};

/* An empty one is one: a device's name is empty where libdrm found no list of names, or one without it. */
static bool is_text(const char text[MXT_HIP_TEXT])
{
	size_t len = strnlen(text, MXT_HIP_TEXT);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return len < MXT_HIP_TEXT;
}

#define LAYOUT_ASSUMPTION "HIP describes a device in the layout that its header has"

/* What is no text is not printed either. */
static int check(const struct mxt_hip_identity *identity, struct mxt_error *err)
{
	if (!is_text(identity->name))
		return mxt_first_contact_failed(
		    err, LAYOUT_ASSUMPTION, "in layout %s the device's name is no printable text", identity->layout);
	if (!is_text(identity->arch) || strncmp(identity->arch, "gfx", 3) != 0)
		return mxt_first_contact_failed(err, LAYOUT_ASSUMPTION,
						"in layout %s the architecture of %s does not begin with \"gfx\"",
						identity->layout, identity->name);
	if (identity->warp_size != 32 && identity->warp_size != 64)
		return mxt_first_contact_failed(err, LAYOUT_ASSUMPTION,
						"in layout %s %s (%s) has waves of %u work items, not of 32 or 64",
						identity->layout, identity->name, identity->arch, identity->warp_size);
	return 0;
}

int mxt_hip_identity_read(const struct mxt_gpu_runtime *runtime, struct mxt_hip_identity *ret_identity,
			  struct mxt_error *err)
{
	const struct mxt_gpu_calls *call = &runtime->call;
	struct mxt_hip_identity identity = {.layout = call->hip_properties_new ? "R0600" : "R0000"};
	int layout = call->hip_properties_new ? LAYOUT_NEW : LAYOUT_OLD;
	_Alignas(16) unsigned char told[PROPERTIES_BYTES];
	memset(told, POISON, sizeof told);
	enum mxt_gpu_status status =
	    layout == LAYOUT_NEW
		? call->hip_properties_new((struct mxt_hip_properties_new *)(void *)told, runtime->device)
		: call->hip_properties_old((struct mxt_hip_properties_old *)(void *)told, runtime->device);
	int rc = mxt_gpu_result(runtime, status, "describe the device", err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < MXT_ARRAY_LEN(fields); i++)
		memcpy((char *)&identity + fields[i].to, told + fields[i].from[layout], fields[i].bytes);
	rc = check(&identity, err);
	if (rc < 0)
		return rc;
	if (identity.name[0] == '\0')
		memcpy(identity.name, identity.arch, sizeof identity.name);
	*ret_identity = identity;
	return 0;
}

uint64_t mxt_hip_llc_bytes(const struct mxt_hip_identity *identity)
{
	static const char *const with_cache[] = {"gfx942", "gfx950"};
	size_t len = strcspn(identity->arch, ":");
	for (size_t i = 0; i < MXT_ARRAY_LEN(with_cache); i++)
		if (strlen(with_cache[i]) == len && strncmp(with_cache[i], identity->arch, len) == 0)
			return MXT_AMD_INFINITY_CACHE_BYTES;
	return identity->l2_bytes;
}
