/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "json.h"
#include "nearest.h"
#include "plan.h"
#include "plan_check_verb.h"
#include "plan_diff.h"
#include "plan_env.h"
#include "plan_handoff.h"
#include "plan_post.h"
#include "plan_show.h"
#include "print_json.h"

static const struct mxt_option options[] = {
    {"json", NULL, "show, check, diff: print one JSON object"},
    {"for", "USE", "check: may it be used so? train or run"},
    {"allow-simulated", NULL, "check: accept a plan made on simulated hardware"},
    {"python", "PATH", "check: the Python that trains, or its environment's folder"},
    {"config", "FILE", "check: compare with what this Axolotl YAML trains"},
    {"shapes", "FILE", "check: compare with what mindxtrain record wrote of the job"},
    {"sysroot", "DIR", "check: compare with the machine that is recorded in DIR"},
    {"format", "FORM", "show: text (default) or post; env: sh (default), json or env-file"},
    {"files", "DIR", "env: write hand-off files into DIR; check: compare only these"},
};

/* ---- verbs: `plans` holds as many as the verb takes ---- */

static int show_json(const struct mxt_cli *cli, const struct mxt_plan *plan, struct mxt_error *err)
{
	return mxt_print_json(cli->out,
			      json_pack("{s:s, s:i, s:b, s:b, s:O}", "event", "plan", "v", 1, "self_test",
					mxt_plan_is_self_test(plan), "simulated", mxt_plan_is_simulated(plan), "plan",
					(json_t *)mxt_plan_document(plan)),
			      err);
}

/* Strings of evidence may hold marks that reorder lines. */
static int print_clean(const struct mxt_cli *cli, const struct mxt_buf *buf, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_clean_text(&clean, mxt_buf_text(buf), buf->len);
	clean.failed = clean.failed || buf->failed;
	return mxt_print_buf(cli->out, &clean, err);
}

static int run_show(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
		    struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	const char *format = mxt_args_get(args, "format");
	bool post = format && strcmp(format, "post") == 0;
	if (format && !post && strcmp(format, "text") != 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "plan show --format takes text or post, not '%s'",
				     format);
	if (format && mxt_args_has(args, "json"))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "plan show takes --json or --format, not both");
	if (mxt_args_has(args, "json"))
		return show_json(cli, plans[0], err);
	int rc = post ? mxt_plan_post(plans[0], &buf, err) : 0;
	if (!post)
		mxt_plan_show(plans[0], &buf);
	return rc < 0 ? rc : print_clean(cli, &buf, err);
}

/* No newline: `| b3sum` prints the id. */
static int run_canonical(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
			 struct mxt_error *err)
{
	(void)args;
	(void)err;
	size_t len = 0;
	const char *bytes = mxt_plan_canonical(plans[0], &len);
	(void)fwrite(bytes, 1, len, cli->out);
	return 0;
}

static int run_id(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
		  struct mxt_error *err)
{
	(void)args;
	(void)err;
	(void)fprintf(cli->out, "%s\n", mxt_plan_id(plans[0]));
	return 0;
}

static int run_check(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
		     struct mxt_error *err)
{
	return mxt_plan_check_verb(cli, args, plans[0], err);
}

static int print_differences(const struct mxt_cli *cli, struct mxt_plan *const *plans, const json_t *differences,
			     struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_printf(&buf, "left   %s%s\nright  %s%s\n", mxt_plan_id(plans[0]), mxt_plan_marks(plans[0]),
		       mxt_plan_id(plans[1]), mxt_plan_marks(plans[1]));
	if (json_array_size(differences) == 0)
		mxt_buf_puts(&buf, "the decisions are equal");
	mxt_plan_differences_text(differences, "right", "\n", &buf);
	mxt_buf_putc(&buf, '\n');
	return mxt_print_buf(cli->out, &buf, err);
}

static int run_diff(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
		    struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *differences = NULL;
	int rc = mxt_plan_diff("decision", mxt_plan_decision(plans[0]), mxt_plan_decision(plans[1]), &differences, err);
	if (rc == 0 && mxt_args_has(args, "json"))
		rc = mxt_print_json(cli->out,
				    json_pack("{s:s, s:i, s:s, s:s, s:O}", "event", "diff", "v", 1, "left",
					      mxt_plan_id(plans[0]), "right", mxt_plan_id(plans[1]), "differences",
					      differences),
				    err);
	else if (rc == 0)
		rc = print_differences(cli, plans, differences, err);
	if (rc < 0)
		return rc;
	return json_array_size(differences) == 0 ? MXT_EXIT_DONE : MXT_EXIT_MISMATCH;
}

static int parse_format(const struct mxt_args *args, enum mxt_env_format *ret_format, struct mxt_error *err)
{
	static const char *const names[] = {
	    [MXT_ENV_SH] = "sh", [MXT_ENV_JSON] = "json", [MXT_ENV_ENV_FILE] = "env-file"};
	const char *given = mxt_args_get(args, "format");
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++) {
		if (strcmp(given ? given : "sh", names[i]) != 0)
			continue;
		*ret_format = (enum mxt_env_format)i;
		return 0;
	}
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "plan env --format takes sh, json or env-file, not '%s'",
			     given);
}

/* Makes the folder if need be and writes the hand-offs into it; *ret_dir is its absolute path (free()). */
static int write_handoffs(const struct mxt_plan *plan, const char *dir, char **ret_dir, struct mxt_error *err)
{
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return mxt_error_errno(err, errno, "cannot make the folder %s", dir);
	MXT_CLEANUP_FREE char *absolute = realpath(dir, NULL);
	if (!absolute)
		return mxt_error_errno(err, errno, "cannot find the folder %s", dir);
	int rc = mxt_plan_write_handoffs(plan, absolute, err);
	if (rc == 0)
		*ret_dir = mxt_steal_ptr(&absolute);
	return rc;
}

static int run_env(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
		   struct mxt_error *err)
{
	enum mxt_env_format format = MXT_ENV_SH;
	MXT_CLEANUP_FREE char *dir = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = parse_format(args, &format, err);
	if (rc == 0 && mxt_args_has(args, "files"))
		rc = write_handoffs(plans[0], mxt_args_get(args, "files"), &dir, err);
	if (rc == 0)
		rc = mxt_plan_env_write(plans[0], format, dir, &buf, err);
	if (rc < 0)
		return rc;
	if (mxt_plan_is_simulated(plans[0]))
		(void)fprintf(stderr, "mindxtrain: note: this plan was made on simulated hardware\n");
	return mxt_print_buf(cli->out, &buf, err);
}

/* ---- choosing the verb ---- */

#define MAX_PLANS 2

struct verb {
	const char *name;
	size_t n_plans;
	const char *options; /* that it takes, each between blanks */
	int (*run)(const struct mxt_cli *cli, const struct mxt_args *args, struct mxt_plan *const *plans,
		   struct mxt_error *err);
};

static const struct verb verbs[] = {
    {"show", 1, " json format ", run_show},
    {"canonical", 1, " ", run_canonical},
    {"id", 1, " ", run_id},
    {"check", 1, " json for allow-simulated python config shapes sysroot files ", run_check},
    {"diff", 2, " json ", run_diff},
    {"env", 1, " format files ", run_env},
};

static const char *verb_name(const void *list, size_t i)
{
	return ((const struct verb *)list)[i].name;
}

static int find_verb(const struct mxt_args *args, const struct verb **ret_verb, struct mxt_error *err)
{
	const char *name = args->n_operands > 0 ? args->operands[0] : NULL;
	for (size_t i = 0; name && i < MXT_ARRAY_LEN(verbs); i++) {
		if (strcmp(verbs[i].name, name) != 0)
			continue;
		*ret_verb = &verbs[i];
		return 0;
	}
	const char *near = name ? mxt_nearest(name, verb_name, verbs, MXT_ARRAY_LEN(verbs)) : NULL;
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
			     "plan is followed by show, canonical, id, check, diff or env%s%s%s",
			     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int check_arguments(const struct verb *verb, const struct mxt_args *args, struct mxt_error *err)
{
	if (args->n_operands != (int)verb->n_plans + 1)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "plan %s takes %s", verb->name,
				     verb->n_plans == 1 ? "one file: mindxtrain plan NAME FILE"
							: "two files: mindxtrain plan diff FILE FILE");
	for (size_t i = 0; i < args->n_options; i++) {
		char word[32];
		(void)snprintf(word, sizeof word, " %s ", args->options[i].name);
		if (args->values[i] && !strstr(verb->options, word))
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "plan %s takes no --%s", verb->name,
					     args->options[i].name);
	}
	return 0;
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	const struct verb *verb = NULL;
	struct mxt_plan *plans[MAX_PLANS] = {NULL, NULL};
	int rc = find_verb(args, &verb, err);
	if (rc == 0)
		rc = check_arguments(verb, args, err);
	for (size_t i = 0; rc == 0 && i < verb->n_plans; i++)
		rc = mxt_plan_read(args->operands[i + 1], &plans[i], err);
	if (rc == 0)
		rc = verb->run(cli, args, plans, err);
	for (size_t i = 0; i < MAX_PLANS; i++)
		mxt_plan_destroy(plans[i]);
	return rc;
}

const struct mxt_command mxt_cmd_plan = {
    .name = "plan",
    .summary = "read, check, compare and apply a plan",
    .synopsis = "show|canonical|id|check|diff|env FILE [FILE] [OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
