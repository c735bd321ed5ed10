/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "attention_today.h"
#include "autotune_options.h"
#include "budget.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "device_ops.h"
#include "error.h"
#include "events.h"
#include "file.h"
#include "interrupt.h"
#include "json.h"
#include "pick_attention.h"
#include "pick_device.h"
#include "plan.h"
#include "print_workload.h"
#include "read_lengths.h"
#include "recorded_machine.h"
#include "recording.h"
#include "report.h"
#include "tune.h"
#include "workload.h"
#include "workload_lengths.h"

static const struct mxt_option options[] = {
    {"config", "FILE", "the Axolotl YAML of the run"},
    {"model", "MODEL", "a preset, a config.json or its folder, or an id in the local Hub cache"},
    {"shapes", "FILE", "what mindxtrain record wrote: tune exactly that"},
    {"seq-len", "N", "tokens in a sequence"},
    {"micro-batch", "N", "sequences in a micro-batch"},
    {"lora-rank", "N", "rank of the LoRA adapters; 0: full fine-tuning"},
    {"packing", "SWITCH", "on or off: samples are packed into one sequence"},
    {"checkpointing", "SWITCH", "on or off: the forward pass is repeated in the backward pass"},
    {"steps", "N", "forward passes (micro-batches) of one GPU in the run (default: config)"},
    {"distinct-lengths", "N", "lengths that these passes meet, where they vary (default: expected)"},
    {"dataset", "PATH", "the prepared dataset (default: in the YAML's dataset_prepared_path)"},
    {"lengths", "SHAPE", "tokens of documents: MEDIAN[:P90[:DOCUMENTS]] (default: the dataset's)"},
    {"deterministic", NULL, "only kernels that repeat their results bit by bit"},
    {"gpus", "N", "GPUs on a node"},
    {"nodes", "N", "nodes of the training; this one stands for all of them"},
    {"device", "NAME", "auto, cuda, hip, cpu, or self-test (default: auto)"},
    {"sysroot", "DIR", "a recorded machine: show what would be measured there, and stop"},
    {"python", "PATH", "the Python that trains, or its environment's folder (default: found)"},
    {"budget", "SECONDS", "wall clock from start to plan, 1 to 3600 (default: 60)"},
    {"margin", "PERCENT", "what a challenger must surely gain, 1 to 50 (default: 3)"},
    {"no-documented", NULL, "ship no setting of collectives that is documented but not measured"},
    {"against", "PLAN", "do not decide anew: confirm this plan on this machine"},
    {"out", "FILE", "where the plan goes (default: plan.json)"},
    {"seed", "N", "seed of all random orders (default: drawn, recorded in the plan)"},
    {"json", NULL, "one JSON object per line instead of text"},
    {"print-workload", NULL, "show what would be timed, and stop"},
};

/* Before anything is started: what no device here can stand for, and what this kind of device refuses. */
static int check_gpus(const struct mxt_machine *machine, const struct mxt_workload *workload,
		      const struct mxt_device_pick *pick, struct mxt_error *err)
{
	const struct mxt_device_ops *ops = pick->ops;
	int32_t gpus = workload->training.gpus, nodes = workload->training.nodes;
	bool counted = ops->vendor != NULL; /* this node's GPUs; those of the other nodes are taken to be the same */
	if (counted || (gpus <= 1 && nodes <= 1))
		return ops->count(&machine->root, machine->environment, gpus, err);
	return mxt_error_set(err, -ENODEV, MXT_E_GPU_COUNT,
			     "%d GPU%s on %d node%s: the %s device can only stand for one%s%s%s; give --gpus 1 --nodes "
			     "1 to test the chain",
			     gpus, gpus == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", ops->name,
			     pick->note ? " (" : "", pick->note ? pick->note : "", pick->note ? ")" : "");
}

static uint64_t draw_seed(void)
{
	uint64_t seed = 0;
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
		seed = mxt_now_ns(&mxt_clock_monotonic);
	return seed & MXT_JSON_MAX_INT; /* as --seed takes it */
}

#define LENGTHS_LIMIT_NS (5 * MXT_NS_PER_S)

/* Of the dataset, unless a flag says how long its documents are; at most a fifth of the budget goes into that. */
static int take_lengths(const struct mxt_cli *cli, const struct mxt_args *args, int64_t budget_s,
			struct mxt_workload *workload, struct mxt_error *err)
{
	uint64_t fifth = (uint64_t)budget_s * MXT_NS_PER_S / 5;
	const struct mxt_lengths_request request = {.dataset = mxt_args_get(args, "dataset"),
						    .python = mxt_args_get(args, "python"),
						    .limit_ns = fifth < LENGTHS_LIMIT_NS ? fifth : LENGTHS_LIMIT_NS};
	if (!mxt_args_has(args, "lengths") && !mxt_args_has(args, "sysroot")) /* a record has no Python to start */
		return mxt_read_lengths(cli, &request, workload, err);
	if (request.dataset)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "--dataset and --lengths both say how long documents are; give one of them");
	return 0;
}

static int print_workload(struct mxt_cli *cli, bool json, const struct mxt_tune_request *request, struct mxt_error *err)
{
	struct mxt_inventory inventory;
	struct mxt_problem_set set;
	const struct mxt_attention_today *today = request->today ? &request->today->yours : NULL;
	int rc = mxt_tune_preview(request, &inventory, &set, err);
	if (rc < 0)
		return rc;
	rc = json ? mxt_print_workload_json(cli->out, request->workload, today, &set, err)
		  : mxt_print_workload(cli->out, request->workload, today, &set, err); /* main() looks at the stream */
	mxt_problem_set_finish(&set);
	mxt_inventory_finish(&inventory);
	return rc;
}

/* What would be timed, here or on a recorded machine. */
static int preview(struct mxt_cli *cli, const struct mxt_machine *machine, bool json,
		   const struct mxt_autotune_settings *settings, const struct mxt_tune_request *what,
		   struct mxt_error *err)
{
	static const struct mxt_event_sink nobody;
	struct mxt_budget budget;
	mxt_budget_init(&budget, &mxt_clock_monotonic, cli->start_ns, (uint64_t)settings->budget_s * MXT_NS_PER_S);
	struct mxt_tune_request request = *what;
	request.environment = machine->environment;
	request.budget = &budget;
	request.cancel_fd = -1;
	request.sink = &nobody;
	return mxt_sysroot_is_live(&machine->root) ? print_workload(cli, json, &request, err)
						   : mxt_machine_print_outlook(cli, machine, json, &request, err);
}

static int write_plan(const char *path, const json_t *plan, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_json_canonical(plan, &text, err);
	if (rc < 0)
		return rc;
	mxt_buf_putc(&text, '\n');
	rc = mxt_buf_status(&text, err);
	return rc < 0 ? rc : mxt_file_replace(path, text.data, text.len, err);
}

static void emit_plan(const struct mxt_tune_request *request, const char *path, const json_t *plan)
{
	struct mxt_event event = {.kind = MXT_EVENT_PLAN,
				  .as.plan = {path, json_string_value(json_object_get(plan, "plan_id")),
					      mxt_budget_used_ns(request->budget), request->budget->limit_ns}};
	mxt_emit(request->sink, &event);
}

/* Tunes, writes, tells. With --against a plan that disagrees is still written: its evidence says where. */
static int tune_and_write(const struct mxt_tune_request *request, const char *path, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *plan = NULL;
	int tuned = mxt_tune(request, &plan, err);
	if (!plan)
		return tuned == -ECANCELED ? mxt_interrupt_error(request->cancel_fd, err) : tuned;
	struct mxt_error write_err = MXT_ERROR_INIT;
	int rc = write_plan(path, plan, &write_err);
	if (rc == 0)
		emit_plan(request, path, plan);
	else
		mxt_error_move(err, &write_err);
	return rc < 0 ? rc : tuned;
}

static int read_against(const struct mxt_args *args, struct mxt_plan **ret_plan, struct mxt_error *err)
{
	const char *path = mxt_args_get(args, "against");
	return path ? mxt_plan_read(path, ret_plan, err) : 0;
}

/* "8 x 4096 tokens, LoRA 16" */
static void describe_workload(const struct mxt_workload *workload, const char *name, struct mxt_buf *buf)
{
	const struct mxt_training *training = &workload->training;
	if (!mxt_workload_described(workload)) {
		mxt_buf_printf(buf, "%s, recorded", name);
		return;
	}
	mxt_buf_printf(buf, "%s, %d x %d tokens", name, training->micro_batch, training->seq_len);
	if (training->adapter != MXT_ADAPTER_NONE)
		mxt_buf_printf(buf, ", LoRA %d", training->lora_rank);
	if (training->nodes > 1)
		mxt_buf_printf(buf, ", %d nodes", training->nodes);
}

static void emit_note(const struct mxt_event_sink *sink, const char *before, const char *note)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%s%s", before, note);
	const struct mxt_event event = {.kind = MXT_EVENT_NOTE, .as.note = {mxt_buf_text(&text)}};
	mxt_emit(sink, &event);
}

static void emit_run(const struct mxt_tune_request *request, const char *name, const char *pick_note)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	describe_workload(request->workload, name, &text);
	const struct mxt_workload *w = request->workload;
	const struct mxt_event event = {.kind = MXT_EVENT_RUN,
					.as.run = {mxt_buf_text(&text), request->ops->name, request->budget->limit_ns,
						   request->seed, request->simulated, request->ops->self_test}};
	mxt_emit(request->sink, &event);
	if (pick_note)
		emit_note(request->sink, "", pick_note);
	if (mxt_workload_described(w)) {
		mxt_buf_truncate(&text, 0);
		mxt_workload_lengths_text(w, &text);
		emit_note(request->sink, "", mxt_buf_text(&text));
	}
	for (size_t i = 0; i < w->n_notes; i++)
		emit_note(request->sink, "", w->notes[i]);
	for (size_t i = 0; i < w->n_not_modelled; i++)
		emit_note(request->sink, "not modelled: ", w->not_modelled[i]);
}

/* What the user named, the most telling first. */
static const char *source_name(const struct mxt_args *args)
{
	static const char *const options_of_sources[] = {"model", "config", "shapes"};
	const char *name = NULL;
	for (size_t i = 0; i < MXT_ARRAY_LEN(options_of_sources) && !name; i++)
		name = mxt_args_get(args, options_of_sources[i]);
	return name;
}

/* Everything after the arguments are known, and the device and the workload, which `what` holds. */
static int autotune(struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_autotune_settings *settings,
		    const struct mxt_tune_request *what, const char *pick_note, struct mxt_error *err)
{
	MXT_CLEANUP_PLAN struct mxt_plan *against = NULL;
	MXT_CLEANUP_CLOSE int cancel_fd = -1;
	int rc = read_against(args, &against, err);
	if (rc == 0)
		rc = mxt_file_check_writable(settings->out, err);
	if (rc == 0)
		rc = mxt_interrupt_open(&cancel_fd, err);
	if (rc < 0)
		return rc;
	struct mxt_budget budget;
	mxt_budget_init(&budget, &mxt_clock_monotonic, cli->start_ns, (uint64_t)settings->budget_s * MXT_NS_PER_S);
	struct mxt_report *report = mxt_report_create(cli->out, mxt_args_has(args, "json"), cli->environment);
	if (!report)
		return mxt_error_oom(err);
	struct mxt_tune_request request = *what;
	request.environment = cli->environment;
	request.budget = &budget;
	request.cancel_fd = cancel_fd;
	request.seed = settings->seed < 0 ? draw_seed() : (uint64_t)settings->seed;
	request.margin_ppm = (uint32_t)settings->margin_percent * 10000;
	request.against = against;
	request.sink = mxt_report_sink(report);
	emit_run(&request, source_name(args), pick_note);
	rc = tune_and_write(&request, settings->out, err);
	if (rc == 0)
		rc = mxt_report_status(report, err);
	mxt_report_destroy(report);
	return rc;
}

/* Of a config or a model, of a recording, or of both. */
static int load_workload(const struct mxt_args *args, const struct mxt_workload_source *source,
			 struct mxt_workload *workload, struct mxt_recording **ret_recording, struct mxt_error *err)
{
	const char *shapes = mxt_args_get(args, "shapes");
	int rc = 0;
	if (source->config_yaml || source->model)
		rc = mxt_workload_load(source, workload, err);
	if (rc == 0 && shapes)
		rc = mxt_recording_read(shapes, ret_recording, err);
	return rc == 0 && shapes ? mxt_recording_apply(*ret_recording, source, workload, err) : rc;
}

/* Machine, device and workload are known: what a run needs beside them, and the run. */
static int run_on(struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_autotune_settings *settings,
		  const struct mxt_machine *machine, struct mxt_tune_request *request, const char *pick_note,
		  struct mxt_error *err)
{
	bool stop = mxt_args_has(args, "print-workload") || !mxt_sysroot_is_live(&machine->root);
	return stop ? preview(cli, machine, mxt_args_has(args, "json"), settings, request, err)
		    : autotune(cli, args, settings, request, pick_note, err);
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	struct mxt_autotune_settings settings;
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	MXT_CLEANUP_MACHINE struct mxt_machine machine = MXT_MACHINE_INIT;
	MXT_CLEANUP_PICK struct mxt_device_pick pick = MXT_DEVICE_PICK_INIT;
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload workload = {.n_notes = 0}; /* a failed load leaves it */
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	const char *python = mxt_args_get(args, "python");
	int rc = mxt_autotune_take_options(cli, args, &settings, &source, err);
	if (rc == 0)
		rc = mxt_machine_init(&machine, cli, mxt_args_get(args, "sysroot"), err);
	if (rc < 0)
		return rc;
	rc = mxt_device_pick_init(&pick, &machine, mxt_args_get(args, "device"), python, err);
	if (rc < 0)
		return rc;
	rc = load_workload(args, &source, &workload, &recording, err);
	if (rc == 0)
		rc = check_gpus(&machine, &workload, &pick, err);
	bool described =
	    source.config_yaml || source.model; /* a recording alone does not say what asked for its calls */
	if (rc == 0 && described)
		rc = take_lengths(cli, args, settings.budget_s, &workload, err);
	struct mxt_today today;
	workload.training.deterministic = mxt_args_has(args, "deterministic");
	if (rc == 0 && described)
		rc = mxt_attention_pick(&machine, python, pick.ops, &workload, &today, err);
	if (rc < 0)
		return rc;
	struct mxt_tune_request request = {.ops = pick.ops,
					   .target = pick.target,
					   .no_documented = mxt_args_has(args, "no-documented"),
					   .simulated = pick.simulated,
					   .workload = &workload,
					   .packages = &pick.packages,
					   .today = described ? &today : NULL,
					   .recording = recording};
	return run_on(cli, args, &settings, &machine, &request, pick.note, err);
}

const struct mxt_command mxt_cmd_autotune = {
    .name = "autotune",
    .summary = "measure the kernel choices of a training and write a plan",
    .synopsis = "[--config run.yaml | --model MODEL] [--shapes recorded.json] [OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
