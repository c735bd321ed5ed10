/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_provider.h"

#include <string.h>

#include "compiler.h"

static const struct mxt_attention_provider providers[] = {
#define MXT_ATTENTION_PROVIDER(name, kind, package, vendor, since_torch, isolates, takes_window, deterministic)        \
	{name, MXT_ATTENTION_##kind, package, vendor, since_torch, isolates, takes_window, deterministic},
#include "attention_providers.def"
#undef MXT_ATTENTION_PROVIDER
};

size_t mxt_attention_provider_count(void)
{
	return MXT_ARRAY_LEN(providers);
}

const struct mxt_attention_provider *mxt_attention_provider_at(size_t i)
{
	return &providers[i];
}

const struct mxt_attention_provider *mxt_attention_provider_find(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(providers); i++)
		if (strcmp(providers[i].name, name) == 0)
			return &providers[i];
	return NULL;
}
