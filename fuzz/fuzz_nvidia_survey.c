/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's driver told, from a worker or from a recorded machine. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "nvidia_answer.h"
#include "nvidia_gpu_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_gpu(const struct mxt_nvidia_gpu *gpu)
{
	require(strlen(gpu->name) < sizeof gpu->name && strlen(gpu->uuid) < sizeof gpu->uuid);
	require(gpu->n_processes <= MXT_NVIDIA_MAX_PROCESSES);
	require(isfinite(gpu->peak_bf16_flops) && isfinite(gpu->peak_bytes) && gpu->peak_bytes >= 0);
	json_t *json = mxt_nvidia_gpu_json(gpu);
	require(json && mxt_json_check(json, NULL) == 0);
	json_decref(json);
}

/* Whatever parses as an answer has devices that parse, each of which its ordinal finds. */
static void check_answer(const json_t *facts)
{
	struct mxt_nvidia_answer answer;
	char cuda[MXT_CUDA_TEXT];
	mxt_nvidia_answer_parse(facts, &answer);
	require((answer.state == MXT_NVIDIA_TOLD) == (answer.reason[0] == '\0') || answer.state != MXT_NVIDIA_TOLD);
	require(strlen(mxt_nvidia_answer_cuda(&answer, cuda)) < sizeof cuda);
	for (size_t i = 0; answer.state == MXT_NVIDIA_TOLD && i < answer.driver.n_devices; i++) {
		struct mxt_nvidia_gpu gpu, found;
		require(mxt_nvidia_gpu_parse(facts, i, &gpu, NULL) == 0);
		check_gpu(&gpu);
		if (gpu.ordinal.reported)
			require(mxt_nvidia_gpu_find(facts, (unsigned)gpu.ordinal.value, &found, NULL) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_nvidia_gpu gpu;
	json_t *facts = NULL;
	if (mxt_json_parse("fuzz", (const char *)data, size, MXT_JSON_CANONICAL, &facts, &err) == 0) {
		if (mxt_nvidia_gpu_find(facts, 0, &gpu, &err) < 0)
			require(err.id == MXT_E_NVIDIA_SURVEY || err.id == MXT_E_NO_DEVICE);
		check_answer(facts);
	}
	json_decref(facts);
	mxt_error_clear(&err);
	return 0;
}
