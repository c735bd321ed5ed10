/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said about an environment and about files that set variables. The input up to its first empty line is an
 * environment, one item a line; the rest is such a file. Nothing that is said may hold a control character.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "job_tuning.h"
#include "setting_files.h"
#include "sysroot.h"
#include "variable_advice.h"

#define MAX_ITEMS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
	for (const char *c = text; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			abort();
}

static void take(void *context, const struct mxt_advice *advice)
{
	(void)context;
	if (!advice)
		return;
	check_text(advice->what);
	check_text(advice->wrong);
	check_text(advice->todo);
}

/* Cuts the items out of `text`; returns what stands behind them. */
static char *cut_items(char *text, char *items[MAX_ITEMS + 1])
{
	size_t n = 0;
	while (*text && *text != '\n' && n < MAX_ITEMS) {
		items[n++] = text;
		text += strcspn(text, "\n");
		if (*text)
			*text++ = '\0';
	}
	items[n] = NULL;
	return text;
}

static void look(char *const *environment, const char *file)
{
	static const struct mxt_sysroot nowhere = {.prefix = "/nonexistent"};
	static const struct mxt_reader_versions versions = {"2.11.0", "2.28.9", "2.27.7"};
	static const enum mxt_gpu_stack stacks[] = {MXT_STACK_ROCM, MXT_STACK_CUDA};
	const struct mxt_advice_sink sink = {take, NULL};
	mxt_variable_advise(environment, &versions, &sink);
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
		const struct mxt_setting_files files = {&nowhere, environment, NULL, stacks[i]};
		mxt_visible_devices_advise(environment, stacks[i], 8, &sink);
		mxt_setting_text_advise(&files, "/etc/nccl.conf", "NCCL", file, &sink);
	}
	for (size_t i = 0; i < mxt_job_tuning_count(); i++)
		(void)mxt_job_tuning_asked(mxt_job_tuning_at(i), environment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *items[MAX_ITEMS + 1];
	char *text = size ? strndup((const char *)data, size) : NULL;
	if (text) {
		const char *file = cut_items(text, items);
		look(items, file);
	}
	free(text);
	return 0;
}
