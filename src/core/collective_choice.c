/* SPDX-License-Identifier: Apache-2.0 */
#include "collective_choice.h"

#include <string.h>

#include "compiler.h"
#include "json.h"
#include "release.h"

#define RELEASE(major, minor)                                                                                          \
	{                                                                                                              \
		(major), (minor)                                                                                       \
	}

#define SETTINGS(name, value, other, its_value)                                                                        \
	{                                                                                                              \
		{(name), (value)},                                                                                     \
		{                                                                                                      \
			(other), (its_value)                                                                           \
		}                                                                                                      \
	}

static const struct mxt_collective_choice choices[] = {
#define MXT_COLLECTIVE_CHOICE(name, settings, since, until, documented, source)                                        \
	{name, settings, since, until, documented, source},
#include "collective_choices.def"
#undef MXT_COLLECTIVE_CHOICE
};

enum {
	DOCUMENTED = 0
#define MXT_COLLECTIVE_CHOICE(name, settings, since, until, documented, source) +((documented) ? 1 : 0)
#include "collective_choices.def"
#undef MXT_COLLECTIVE_CHOICE
};
_Static_assert(DOCUMENTED == 1, "one row ships where nothing was measured");

const char *const mxt_collective_variables[] = {"GPU_MAX_HW_QUEUES", "NCCL_MIN_NCHANNELS", "TORCH_NCCL_HIGH_PRIORITY",
						NULL};

/* What the rows were written for: the whole chip of MI300X and MI325X. Others have fewer channels, or other limits. */
#define ARCH  "gfx942"
#define UNITS 304

size_t mxt_collective_choice_count(void)
{
	return MXT_ARRAY_LEN(choices);
}

const struct mxt_collective_choice *mxt_collective_choice_at(size_t i)
{
	return &choices[i];
}

const struct mxt_collective_choice *mxt_collective_choice_documented(void)
{
	size_t i = 0;
	while (!choices[i].documented)
		i++;
	return &choices[i];
}

json_t *mxt_collective_choice_env(const struct mxt_collective_choice *choice)
{
	json_t *env = json_object();
	for (size_t i = 0; env && i < MXT_ARRAY_LEN(choice->settings); i++) {
		const struct mxt_collective_setting *setting = &choice->settings[i];
		if (json_object_set_new(env, setting->name, json_string(setting->value)) == 0)
			continue;
		json_decref(env);
		return NULL;
	}
	return env;
}

void mxt_collective_choice_settings(const struct mxt_collective_choice *choice, struct mxt_buf *buf)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(choice->settings); i++)
		mxt_buf_printf(buf, "%s%s=%s", i ? " " : "", choice->settings[i].name, choice->settings[i].value);
}

void mxt_collective_choice_versions(const struct mxt_collective_choice *choice, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "ROCm %u.%u to %u.%u", choice->since.major, choice->since.minor, choice->until.major,
		       choice->until.minor);
}

static bool in_range(const struct mxt_collective_choice *choice, const char *rocm)
{
	return mxt_release_at_least(rocm, choice->since.major, choice->since.minor) &&
	       !mxt_release_at_least(rocm, choice->until.major, choice->until.minor + 1);
}

bool mxt_collective_choice_applies(const struct mxt_collective_choice *choice, const json_t *platform,
				   const json_t *stack, struct mxt_buf *why)
{
	const char *arch = json_string_value(json_object_get(platform, "arch"));
	const char *rocm = json_string_value(json_object_get(stack, "hip"));
	json_int_t units = mxt_json_integer(platform, "units");
	bool same = arch && strcmp(arch, ARCH) == 0 && units == UNITS;
	if (same && rocm && in_range(choice, rocm))
		return true;
	if (same)
		mxt_buf_printf(why, "this torch is built with ROCm %s", rocm ? rocm : "of an unknown version");
	else
		mxt_buf_printf(why, "these GPUs are %s with %d compute units, not " ARCH " with %d",
			       arch ? arch : "unknown", (int)units, UNITS);
	return false;
}
