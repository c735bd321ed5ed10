/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a checkpoint's trainer_state.json. */
#include <stdint.h>
#include <stdlib.h>

#include "trainer_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (mxt_trainer_state_step((const char *)data, size) < -1)
		abort();
	return 0;
}
