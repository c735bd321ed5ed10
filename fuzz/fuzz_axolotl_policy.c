/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of an Axolotl config before a training: the lines of the input that begin with "--" are arguments, the
 * rest is the config. No remark may be more than one line, or show what it should not.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "axolotl_package.h"
#include "axolotl_policy.h"
#include "buf.h"
#include "cleanup.h"
#include "remarks.h"

#define MAX_ARGUMENTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cuts the arguments at the front off; where the config begins. */
static char *take_arguments(char *text, char **arguments)
{
	size_t count = 0;
	while (count < MAX_ARGUMENTS - 1 && strncmp(text, "--", 2) == 0 && text[2] != '-' && text[2] != '\n') {
		char *end = strchr(text, '\n');
		if (!end)
			break;
		*end = '\0';
		arguments[count++] = text;
		text = end + 1;
	}
	return text;
}

static void judge(const struct mxt_remarks *remarks)
{
	for (size_t i = 0; i < remarks->count; i++)
		for (const char *at = remarks->items[i].text; *at; at++)
			if ((unsigned char)*at < 0x20)
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_FREE char *text = malloc(size + 1);
	char *arguments[MAX_ARGUMENTS] = {NULL};
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	struct mxt_axolotl_facts facts = MXT_AXOLOTL_FACTS_INIT;
	MXT_CLEANUP(mxt_remarks_finish) struct mxt_remarks remarks = MXT_REMARKS_INIT;
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	const char *config = take_arguments(text, arguments);
	const struct mxt_axolotl_policy_request request = {.name = "run.yaml",
							   .bytes = config,
							   .len = (size_t)(text + size - config),
							   .package = &none,
							   .torch = "2.6.0",
							   .arguments = arguments};
	if (mxt_axolotl_policy(&request, &remarks, &facts, NULL) < 0)
		return 0;
	judge(&remarks);
	mxt_axolotl_facts_finish(&facts);
	return 0;
}
