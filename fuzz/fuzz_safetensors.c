/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a safetensors file; the file is as long as the input. */
#include <stdint.h>
#include <stdlib.h>

#include "safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_SAFETENSORS struct mxt_safetensors *header = NULL;
	if (mxt_safetensors_parse("input", data, size, size, &header, NULL) < 0)
		return 0;
	uint64_t end = 0;
	for (size_t i = 0; i < mxt_safetensors_count(header); i++) {
		const struct mxt_tensor *tensor = mxt_safetensors_tensor(header, i);
		if (tensor->begin < 8 || (i > 0 && tensor->begin != end) || tensor->end < tensor->begin)
			abort();
		end = tensor->end;
	}
	if (mxt_safetensors_count(header) > 0 && end != size)
		abort();
	return 0;
}
