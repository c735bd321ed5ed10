/* SPDX-License-Identifier: Apache-2.0 */
#include "kfd_properties.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

/* A key, and where its value goes in the struct. */
struct key {
	const char *name;
	size_t offset;
};

static const struct key node_keys[] = {
#define MXT_KFD_NODE(key) {#key, offsetof(struct mxt_kfd_node, key)},
#include "kfd_keys.def"
#undef MXT_KFD_NODE
    {NULL, 0},
};

static const struct key bank_keys[] = {
#define MXT_KFD_BANK(key) {#key, offsetof(struct mxt_kfd_bank, key)},
#include "kfd_keys.def"
#undef MXT_KFD_BANK
    {NULL, 0},
};

static const struct key link_keys[] = {
#define MXT_KFD_LINK(key) {#key, offsetof(struct mxt_kfd_link, key)},
#include "kfd_keys.def"
#undef MXT_KFD_LINK
    {NULL, 0},
};

static void store(const struct key *keys, const char *name, size_t len, uint64_t value, void *out)
{
	for (; keys->name; keys++)
		if (strlen(keys->name) == len && strncmp(keys->name, name, len) == 0)
			memcpy((char *)out + keys->offset, &value, sizeof value);
}

/* `out` is a zeroed struct of uint64_t members. */
static int parse(const char *text, const struct key *keys, void *out)
{
	if (!*text)
		return -EINVAL;
	while (*text) {
		size_t len = strcspn(text, " \n");
		uint64_t value = 0;
		const char *end = NULL;
		if (len == 0 || text[len] != ' ' || mxt_parse_u64(text + len + 1, &end, &value) < 0)
			return -EINVAL;
		if (*end != '\n' && *end != '\0')
			return -EINVAL;
		store(keys, text, len, value, out);
		text = *end ? end + 1 : end;
	}
	return 0;
}

int mxt_kfd_node_parse(const char *text, struct mxt_kfd_node *ret_node)
{
	struct mxt_kfd_node node = {0};
	int rc = parse(text, node_keys, &node);
	if (rc == 0)
		*ret_node = node;
	return rc;
}

int mxt_kfd_bank_parse(const char *text, struct mxt_kfd_bank *ret_bank)
{
	struct mxt_kfd_bank bank = {0};
	int rc = parse(text, bank_keys, &bank);
	if (rc == 0)
		*ret_bank = bank;
	return rc;
}

int mxt_kfd_link_parse(const char *text, struct mxt_kfd_link *ret_link)
{
	struct mxt_kfd_link link = {0};
	int rc = parse(text, link_keys, &link);
	if (rc == 0)
		*ret_link = link;
	return rc;
}

const char *mxt_kfd_arch(uint64_t gfx_target_version, char name[MXT_AMD_ARCH])
{
	uint64_t major = gfx_target_version / 10000, minor = gfx_target_version / 100 % 100;
	uint64_t step = gfx_target_version % 100;
	name[0] = '\0';
	if (major > 0 && major < 100 && minor < 16 && step < 16)
		(void)snprintf(name, MXT_AMD_ARCH, "gfx%" PRIu64 "%" PRIx64 "%" PRIx64, major, minor, step);
	return name;
}
