/* SPDX-License-Identifier: Apache-2.0 */
#include "accelerate_config.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "compiler.h"
#include "nodes.h"

struct precision {
	const char *dtype, *name;
};

static const struct precision precisions[] = {
    {"bfloat16", "bf16"},
    {"float16", "fp16"},
};

const char *mxt_accelerate_precision(const char *dtype)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(precisions); i++)
		if (strcmp(dtype, precisions[i].dtype) == 0)
			return precisions[i].name;
	return "no";
}

/*
 * Two keys have a reason of their own: with debug, and ACCELERATE_ENABLE_RICH, accelerate exits with 0 after a failure;
 * with gpu_ids it sets CUDA_VISIBLE_DEVICES, whatever HIP_ and ROCR_VISIBLE_DEVICES say.
 */
void mxt_accelerate_config_write(const struct mxt_accelerate_config *config, struct mxt_buf *buf)
{
	const struct mxt_nodes *nodes = config->nodes;
	mxt_buf_puts(buf, "# Made by mindxtrain for one run; flags of the command line go before it.\n");
	mxt_buf_puts(buf, "compute_environment: LOCAL_MACHINE\n");
	mxt_buf_puts(buf, "debug: false\n");
	mxt_buf_printf(buf, "distributed_type: '%s'\n", config->processes > 1 ? "MULTI_GPU" : "NO");
	mxt_buf_puts(buf, "dynamo_config:\n  dynamo_backend: 'NO'\n");
	mxt_buf_puts(buf, "gpu_ids: all\n");
	mxt_buf_printf(buf, "machine_rank: %" PRId64 "\n", nodes->rank);
	if (nodes->count > 1)
		mxt_buf_printf(buf, "main_process_ip: '%s'\nmain_process_port: %" PRId64 "\n", nodes->address,
			       nodes->port);
	mxt_buf_puts(buf, "main_training_function: main\n");
	mxt_buf_printf(buf, "mixed_precision: '%s'\n", config->precision);
	mxt_buf_printf(buf, "num_machines: %" PRId64 "\n", nodes->count);
	mxt_buf_printf(buf, "num_processes: %" PRId64 "\n", config->processes);
	mxt_buf_puts(buf, "rdzv_backend: static\n");
	mxt_buf_printf(buf, "same_network: %s\n", nodes->count > 1 ? "true" : "false");
	mxt_buf_printf(buf, "use_cpu: %s\n", config->on_host ? "true" : "false");
}
