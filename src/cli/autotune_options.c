/* SPDX-License-Identifier: Apache-2.0 */
#include "autotune_options.h"

#include <errno.h>
#include <string.h>

#include "command.h"
#include "error.h"
#include "json.h"
#include "workload.h"

#define DEFAULT_OUT      "plan.json"
#define DEFAULT_BUDGET_S 60
#define MAX_BUDGET_S     3600
#define MAX_COUNT        (1 << 24)

/* "on" and "off"; *ret_value is left alone when the option is absent. */
static int take_switch(const struct mxt_args *args, const char *name, int *ret_value, struct mxt_error *err)
{
	const char *text = mxt_args_get(args, name);
	if (!text)
		return 0;
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--%s takes on or off, not '%s'", name, text);
	*ret_value = strcmp(text, "on") == 0;
	return 0;
}

static int take_source(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_workload_source *ret_source,
		       struct mxt_error *err)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.config_yaml = mxt_args_get(args, "config");
	source.model = mxt_args_get(args, "model");
	source.lengths = mxt_args_get(args, "lengths");
	source.dataset = mxt_args_get(args, "dataset");
	source.environment = cli->environment;
	const struct {
		const char *name;
		int64_t min;
		int64_t *value;
	} numbers[] = {{"seq-len", 1, &source.seq_len},
		       {"micro-batch", 1, &source.micro_batch},
		       {"lora-rank", 0, &source.lora_rank},
		       {"gpus", 1, &source.gpus},
		       {"nodes", 1, &source.nodes},
		       {"steps", 1, &source.steps},
		       {"distinct-lengths", 1, &source.distinct_lengths}};
	int rc = take_switch(args, "packing", &source.packing, err);
	if (rc == 0)
		rc = take_switch(args, "checkpointing", &source.checkpointing, err);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(numbers); i++)
		rc = mxt_args_int(args, numbers[i].name, numbers[i].min, MAX_COUNT, numbers[i].value, err);
	if (rc == 0 && !source.config_yaml && !source.model && !mxt_args_has(args, "shapes"))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "say what will be trained: --config run.yaml, --model with a preset or "
				     "config.json, or --shapes with a recording");
	if (rc == 0)
		*ret_source = source;
	return rc;
}

static int take_settings(const struct mxt_args *args, struct mxt_autotune_settings *ret_settings, struct mxt_error *err)
{
	struct mxt_autotune_settings s = {
	    .budget_s = DEFAULT_BUDGET_S, .margin_percent = 3, .seed = -1, .out = DEFAULT_OUT};
	int rc = mxt_args_int(args, "budget", 1, MAX_BUDGET_S, &s.budget_s, err);
	if (rc == 0)
		rc = mxt_args_int(args, "margin", 1, 50, &s.margin_percent, err);
	if (rc == 0)
		rc = mxt_args_int(args, "seed", 0, MXT_JSON_MAX_INT, &s.seed, err);
	if (mxt_args_has(args, "out"))
		s.out = mxt_args_get(args, "out");
	if (rc == 0 && strcmp(s.out, "-") == 0)
		rc = mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				   "--out takes a file: standard output has the report; for a file of that name, ./-");
	if (rc == 0)
		*ret_settings = s;
	return rc;
}

/* A recorded machine cannot measure: what only a measurement makes, or needs, does not go with it. */
static int check_sysroot(const struct mxt_args *args, struct mxt_error *err)
{
	static const char *const others[] = {"out", "against", "dataset"};
	for (size_t i = 0; mxt_args_has(args, "sysroot") && i < MXT_ARRAY_LEN(others); i++)
		if (mxt_args_has(args, others[i]))
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
					     "--sysroot shows what would be measured on a recorded machine, where "
					     "nothing can be: leave out --%s",
					     others[i]);
	return 0;
}

int mxt_autotune_take_options(const struct mxt_cli *cli, const struct mxt_args *args,
			      struct mxt_autotune_settings *ret_settings, struct mxt_workload_source *ret_source,
			      struct mxt_error *err)
{
	if (args->n_operands > 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "autotune takes options only, not '%s'",
				     args->operands[0]);
	int rc = check_sysroot(args, err);
	if (rc == 0)
		rc = take_settings(args, ret_settings, err);
	return rc == 0 ? take_source(cli, args, ret_source, err) : rc;
}
