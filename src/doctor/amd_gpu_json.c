/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_gpu_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "amd_machine.h"
#include "compiler.h"
#include "json.h"

#define LARGEST ((UINT64_C(1) << 53) - 1) /* integer that every JSON library reads */

/* What is 0 is not told. */
static int put_numbers(json_t *out, const struct mxt_amd_gpu *gpu)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
	    {"units", gpu->units},
	    {"card_units", gpu->card_units},
	    {"xccs", gpu->xccs},
	    {"card_xccs", gpu->card_xccs},
	    {"memory_bytes", gpu->memory_bytes},
	    {"card_memory_bytes", gpu->card_memory_bytes},
	    {"max_mhz", gpu->max_mhz},
	    {"max_memory_mhz", gpu->memory_mhz},
	};
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows) && rc == 0; i++) {
		uint64_t value = rows[i].value < LARGEST ? rows[i].value : LARGEST;
		if (value)
			rc = json_object_set_new(out, rows[i].key, json_integer((json_int_t)value));
	}
	return rc;
}

static int put_texts(json_t *out, const struct mxt_amd_gpu *gpu)
{
	char uuid[24] = "";
	if (gpu->unique_id)
		(void)snprintf(uuid, sizeof uuid, "GPU-%016" PRIx64, gpu->unique_id);
	const struct {
		const char *key, *text;
	} rows[] = {
	    {"arch", gpu->arch},
	    {"uuid", uuid},
	    {"compute_partition", gpu->compute_partition},
	    {"memory_partition", gpu->memory_partition},
	};
	int rc = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows) && rc == 0; i++)
		if (rows[i].text[0])
			rc = json_object_set_new(out, rows[i].key, json_string(rows[i].text));
	return rc;
}

json_t *mxt_amd_gpu_json(const struct mxt_amd_gpu *gpu, size_t place)
{
	char device_id[16];
	(void)snprintf(device_id, sizeof device_id, "0x%04" PRIx32, gpu->device_id);
	MXT_CLEANUP_JSON json_t *out = json_pack(
	    "{s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:I}", "hip", (json_int_t)place, "index",
	    (json_int_t)gpu->ordinal, "card", (json_int_t)gpu->card, "partition", (json_int_t)gpu->partition,
	    "partitions", (json_int_t)gpu->partitions, "name", gpu->name, "pci", gpu->pci, "device_id", device_id,
	    "access", mxt_device_access_name(gpu->render), "xgmi_links", (json_int_t)gpu->xgmi_links);
	if (!out || put_numbers(out, gpu) < 0 || put_texts(out, gpu) < 0)
		return NULL;
	return json_incref(out);
}
