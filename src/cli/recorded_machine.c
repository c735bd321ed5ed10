/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded_machine.h"

#include <errno.h>

#include "attention_today.h"
#include "buf.h"
#include "device_ops.h"
#include "doctor.h"
#include "error.h"
#include "json.h"
#include "nvidia_answer.h"
#include "nvidia_ask.h"
#include "outlook.h"
#include "print_json.h"
#include "print_workload.h"
#include "workload.h"

int mxt_machine_init(struct mxt_machine *machine, const struct mxt_cli *cli, const char *sysroot, struct mxt_error *err)
{
	static char *nothing[] = {NULL};
	*machine = (struct mxt_machine){{.prefix = sysroot ? sysroot : ""}, MXT_ENVIRON_LIST_INIT, cli->environment};
	if (!sysroot)
		return 0;
	if (mxt_sysroot_is_live(&machine->root))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--sysroot needs the name of a folder");
	int rc = mxt_doctor_require_machine(&machine->root, err);
	if (rc == 0)
		rc = mxt_environ_list_read(&machine->root, &machine->recorded, err);
	machine->environment = machine->recorded.entries ? machine->recorded.entries : nothing;
	return rc;
}

void mxt_machine_finish(struct mxt_machine *machine)
{
	mxt_environ_list_finish(&machine->recorded);
}

/* ---- what a run would do there ---- */

/* "gfx942, 304 units, 192 GiB" of what the platform says. */
static void print_platform(FILE *out, const json_t *outlook)
{
	const json_t *platform = json_object_get(outlook, "platform");
	const char *compute = mxt_json_text(platform, "compute_partition");
	const char *memory = mxt_json_text(platform, "memory_partition");
	(void)fprintf(out, "machine: %s %s, %d units, %d GiB%s%s%s%s (device %s)\n", mxt_json_text(platform, "vendor"),
		      mxt_json_text(platform, "arch"), (int)mxt_json_integer(platform, "units"),
		      (int)mxt_json_integer(platform, "memory_gib"), compute[0] ? ", " : "", compute,
		      memory[0] ? ", " : "", memory, mxt_json_text(outlook, "device"));
}

static void print_stack(FILE *out, const json_t *stack)
{
	const char *name;
	json_t *value;
	const char *glue = "stack: ";
	json_object_foreach((json_t *)stack, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		if (json_is_string(value))
			(void)fprintf(out, "%s%s %s", glue, name, json_string_value(value));
		glue = ", ";
	}
	(void)fputc('\n', out);
}

static void print_env(FILE *out, const json_t *env)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)env, name, value)
	{
		(void)fprintf(out, "  %s=%s", name, json_string_value(value));
	}
}

static void print_candidates(FILE *out, const json_t *candidates)
{
	size_t i;
	json_t *row;
	(void)fputs("candidates:\n", out);
	json_array_foreach(candidates, i, row)
	{
		const char *skip = mxt_json_text(row, "skip");
		(void)fprintf(out, "  %-10s %s", mxt_json_text(row, "probe"), mxt_json_text(row, "candidate"));
		if (skip[0])
			(void)fprintf(out, ": would not race: %s", skip);
		else
			print_env(out, json_object_get(row, "env"));
		(void)fputc('\n', out);
	}
}

static void print_lines(FILE *out, const char *title, const json_t *lines)
{
	size_t i;
	json_t *line;
	if (json_array_size(lines) > 0)
		(void)fprintf(out, "%s:\n", title);
	json_array_foreach(lines, i, line)
	{
		(void)fprintf(out, "  %s\n", json_string_value(line));
	}
}

static void print_collective(FILE *out, const json_t *collective)
{
	if (!collective)
		return;
	const json_t *unmeasured = json_object_get(collective, "not_measured");
	(void)fprintf(out, "%s%s\n", unmeasured ? "collectives: " : "", mxt_json_text(collective, "rule"));
	print_lines(out, "candidates for collectives, which nobody has timed", unmeasured);
}

static int print_json(FILE *out, json_t *outlook, struct mxt_error *err)
{
	if (json_object_set_new(outlook, "event", json_string("outlook")) < 0 ||
	    json_object_set_new(outlook, "v", json_integer(1)) < 0)
		return mxt_error_oom(err);
	return mxt_print_json(out, json_incref(outlook), err);
}

static int print(const struct mxt_cli *cli, bool json, const struct mxt_tune_request *request, json_t *outlook,
		 const struct mxt_problem_set *set, struct mxt_error *err)
{
	FILE *out = cli->out;
	const struct mxt_attention_today *today = request->today ? &request->today->yours : NULL;
	if (json) {
		int rc = print_json(out, outlook, err);
		return rc == 0 ? mxt_print_workload_json(out, request->workload, today, set, err) : rc;
	}
	(void)fputs("a recorded machine: nothing can be measured on it, and no plan is made\n", out);
	print_platform(out, outlook);
	print_stack(out, json_object_get(outlook, "stack"));
	print_lines(out, "about the machine", json_object_get(outlook, "notes"));
	int rc = mxt_print_workload(out, request->workload, today, set, err);
	print_candidates(out, json_object_get(outlook, "candidates"));
	print_collective(out, json_object_get(outlook, "collective"));
	return rc;
}

int mxt_machine_print_outlook(const struct mxt_cli *cli, const struct mxt_machine *machine, bool json,
			      const struct mxt_tune_request *request, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *answer = NULL;
	MXT_CLEANUP_JSON json_t *outlook = NULL;
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = {.problems = NULL};
	struct mxt_nvidia_answer nvidia;
	int rc = request->ops->surveyor ? mxt_nvidia_recall(&machine->root, &answer, err) : 0;
	if (rc < 0)
		return rc;
	mxt_nvidia_answer_parse(answer, &nvidia);
	struct mxt_tune_request there = *request;
	there.root = &machine->root;
	there.environment = machine->environment;
	there.survey = nvidia.state == MXT_NVIDIA_TOLD ? nvidia.facts : NULL;
	rc = mxt_tune_outlook(&there, &outlook, &set, err);
	return rc == 0 ? print(cli, json, &there, outlook, &set, err) : rc;
}
