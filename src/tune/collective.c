/* SPDX-License-Identifier: Apache-2.0 */
#include "collective.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "collective_choice.h"
#include "environment.h"
#include "error.h"
#include "gpu_rules.h"
#include "json.h"
#include "variables.h"

#define LIBRARY_CHOOSES "the library chooses, as without a plan"

void mxt_collective_answer_finish(struct mxt_collective_answer *answer)
{
	free(answer->rule);
	json_decref(answer->env);
	json_decref(answer->unmeasured);
	*answer = (struct mxt_collective_answer)MXT_COLLECTIVE_ANSWER_INIT;
}

static bool by_xgmi(const struct mxt_collective_question *question)
{
	return question->gpus == MXT_XGMI_GPUS && question->link && strcmp(question->link, "xgmi") == 0;
}

static const char *config_of(const struct mxt_collective_question *question)
{
	if (question->nodes > 1)
		return NULL;
	if (by_xgmi(question))
		return "8gpu_xgmi";
	return question->gpus > 1 && question->link ? question->link : "1gpu_noop";
}

static int keep_rule(struct mxt_buf *text, struct mxt_collective_answer *answer, struct mxt_error *err)
{
	answer->rule = mxt_buf_steal(text);
	return answer->rule ? 0 : mxt_error_oom(err);
}

/* "bare", and every row with what it sets and who says so. */
static int list_unmeasured(json_t *list, struct mxt_error *err)
{
	int rc = json_array_append_new(list, json_string("bare: " LIBRARY_CHOOSES));
	for (size_t i = 0; rc == 0 && i < mxt_collective_choice_count(); i++) {
		const struct mxt_collective_choice *choice = mxt_collective_choice_at(i);
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_buf_printf(&text, "%s: ", choice->name);
		mxt_collective_choice_settings(choice, &text);
		mxt_buf_printf(&text, " (%s; ", choice->source);
		mxt_collective_choice_versions(choice, &text);
		mxt_buf_putc(&text, ')');
		rc = text.failed ? -1 : json_array_append_new(list, json_string(mxt_buf_text(&text)));
	}
	return rc < 0 ? mxt_error_oom(err) : 0;
}

/* "the announced rule NAME=value NAME=value (who says so; ROCm 6.2 to 7.2)" */
static void append_documented(const struct mxt_collective_choice *choice, struct mxt_buf *text)
{
	mxt_buf_printf(text, "the %s rule ", choice->name);
	mxt_collective_choice_settings(choice, text);
	mxt_buf_printf(text, " (%s; ", choice->source);
	mxt_collective_choice_versions(choice, text);
	mxt_buf_putc(text, ')');
}

/* ---- what the job has ---- */

static int check_kept(const char *name, const char *value, struct mxt_error *err)
{
	const struct mxt_variable *variable = mxt_variable_find(name);
	if (variable && mxt_variable_settable(variable, value))
		return 0;
	return mxt_error_set(
	    err, -EINVAL, MXT_E_PLAN_VALUE,
	    "the environment has %s='%s', which no plan could keep; unset it, or set it to a plain value", name, value);
}

/* In the order of the variables. */
static int append_kept(const json_t *env, struct mxt_buf *text, struct mxt_error *err)
{
	for (const char *const *name = mxt_collective_variables; *name; name++) {
		const char *value = json_string_value(json_object_get(env, *name));
		int rc = value ? check_kept(*name, value, err) : 0;
		if (rc < 0)
			return rc;
		if (value)
			mxt_buf_printf(text, " %s=%s", *name, value);
	}
	return 0;
}

/* `env` holds what the caller sets: it stays. `documented`: the row that would ship, or NULL. */
static int keep_yours(struct mxt_collective_answer *answer, const struct mxt_collective_choice *documented,
		      struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *wanted = documented ? mxt_collective_choice_env(documented) : NULL;
	bool same = wanted && json_equal(wanted, answer->env);
	mxt_buf_puts(&text, "not measured: today's job has");
	int rc = append_kept(answer->env, &text, err);
	if (rc < 0)
		return rc;
	mxt_buf_puts(&text, ", and the plan does not change that");
	if (documented) {
		mxt_buf_puts(&text, same ? "; it is " : "; there is ");
		append_documented(documented, &text);
	}
	answer->incumbent = "yours";
	answer->winner = same ? documented->name : "yours";
	answer->source = same ? "documented" : "forced";
	return keep_rule(&text, answer, err);
}

/* ---- what nobody asked for ---- */

static int ship_documented(struct mxt_collective_answer *answer, const struct mxt_collective_choice *documented,
			   struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	json_decref(answer->env);
	answer->env = mxt_collective_choice_env(documented);
	if (!answer->env)
		return mxt_error_oom(err);
	mxt_buf_puts(&text, "not measured: ");
	append_documented(documented, &text);
	answer->winner = documented->name;
	answer->source = "documented";
	return keep_rule(&text, answer, err);
}

static int leave_alone(struct mxt_collective_answer *answer, const char *why_not, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "not measured, and %s: " LIBRARY_CHOOSES, why_not);
	answer->source = "unresolved";
	return keep_rule(&text, answer, err);
}

static int decide_xgmi(const struct mxt_collective_question *question, struct mxt_collective_answer *answer,
		       struct mxt_error *err)
{
	const struct mxt_collective_choice *documented = mxt_collective_choice_documented();
	MXT_CLEANUP_BUF struct mxt_buf why_not = MXT_BUF_INIT;
	mxt_buf_printf(&why_not, "the %s rule is not for this machine (", documented->name);
	bool applies = mxt_collective_choice_applies(documented, question->platform, question->stack, &why_not);
	mxt_buf_puts(&why_not, "; it is for ");
	mxt_collective_choice_versions(documented, &why_not);
	mxt_buf_putc(&why_not, ')');
	json_decref(answer->env);
	answer->env = mxt_environment_pick(question->environment, mxt_collective_variables);
	answer->planned = true;
	int rc = answer->env ? list_unmeasured(answer->unmeasured, err) : mxt_error_oom(err);
	bool ships = applies && !question->no_documented;
	if (rc < 0)
		return rc;
	if (json_object_size(answer->env) > 0)
		return keep_yours(answer, ships ? documented : NULL, err);
	if (ships)
		return ship_documented(answer, documented, err);
	return leave_alone(answer, applies ? "--no-documented leaves out the announced rule" : mxt_buf_text(&why_not),
			   err);
}

/* Between other GPUs the library's own choice stays: what others say overrides nothing. */
static int decide_other(struct mxt_collective_answer *answer, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, "collectives are not measured: " LIBRARY_CHOOSES);
	answer->source = "documented";
	return keep_rule(&text, answer, err);
}

/* No row is for several nodes, and no word for what joins them. */
static int decide_nodes(const struct mxt_collective_question *question, struct mxt_collective_answer *answer,
			struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "collectives of %" PRId32 " nodes are neither measured nor planned: " LIBRARY_CHOOSES,
		       question->nodes);
	if (by_xgmi(question))
		mxt_buf_printf(&text, "; the %s rule is for one node, since RCCL takes %d channels at most on several",
			       mxt_collective_choice_documented()->name, MXT_RCCL_SMALL_CHANNELS);
	return keep_rule(&text, answer, err);
}

int mxt_collective_decide(const struct mxt_collective_question *question, struct mxt_collective_answer *ret_answer,
			  struct mxt_error *err)
{
	struct mxt_collective_answer answer = {.config = config_of(question),
					       .incumbent = "bare",
					       .winner = "bare",
					       .source = "unresolved",
					       .env = json_object(),
					       .unmeasured = json_array()};
	int rc = answer.env && answer.unmeasured ? 0 : mxt_error_oom(err);
	if (rc == 0 && question->nodes > 1)
		rc = decide_nodes(question, &answer, err);
	else if (rc == 0 && by_xgmi(question))
		rc = decide_xgmi(question, &answer, err);
	else if (rc == 0 && question->gpus > 1)
		rc = decide_other(&answer, err);
	if (rc < 0)
		mxt_collective_answer_finish(&answer);
	else
		*ret_answer = answer;
	return rc;
}

int mxt_collective_yield(struct mxt_collective_answer *answer, const char *const *names, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (!answer->rule || strcmp(answer->incumbent, "yours") != 0)
		return 0;
	mxt_buf_puts(&text, answer->rule);
	for (; *names; names++)
		if (json_object_del(answer->env, *names) == 0)
			mxt_buf_printf(&text, "; but %s goes: a probe measured that the job is surely faster without",
				       *names);
	char *rule = mxt_buf_steal(&text);
	if (!rule)
		return mxt_error_oom(err);
	free(answer->rule);
	answer->rule = rule;
	return 0;
}

json_t *mxt_collective_answer_json(const struct mxt_collective_answer *answer)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s}", "probe", "collective", "incumbent", answer->incumbent,
				"winner", answer->winner, "rule", answer->rule, "source", answer->source);
	bool some = json_array_size(answer->unmeasured) > 0;
	if (!row || !some || json_object_set(row, "not_measured", answer->unmeasured) == 0)
		return row;
	json_decref(row);
	return NULL;
}
