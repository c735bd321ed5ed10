/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files of the simulated device. */
#include <stdint.h>
#include <stdlib.h>

#include "error.h"
#include "fake/fake_inventory.h"
#include "fake/fake_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_input_error(const struct mxt_error *err)
{
	if (mxt_error_class_of(err->id) != MXT_CLASS_INPUT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_fake_scenario scenario = {.root = NULL};
	struct mxt_inventory inventory = {.platform = NULL};
	int rc = mxt_fake_scenario_parse("fuzz", (const char *)data, size, &scenario, &err);
	if (rc == 0)
		rc = mxt_fake_inventory_parse(scenario.inventory, &inventory, &err);
	if (rc < 0)
		require_input_error(&err);
	mxt_inventory_finish(&inventory);
	mxt_fake_scenario_finish(&scenario);
	mxt_error_clear(&err);
	return 0;
}
