/* SPDX-License-Identifier: Apache-2.0 */
#include "print_workload.h"

#include <inttypes.h>
#include <stdlib.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "number.h"
#include "print_today.h"
#include "workload.h"
#include "workload_lengths.h"

static void print_model(FILE *out, const struct mxt_model *m)
{
	(void)fprintf(out, "model: %" PRId32 " layers, hidden %" PRId32 ", %" PRId32 " heads of %" PRId32, m->layers,
		      m->hidden, m->heads, m->head_dim);
	if (m->kv_heads != m->heads)
		(void)fprintf(out, " (%" PRId32 " for keys and values)", m->kv_heads);
	(void)fprintf(out, ", FFN %" PRId32 ", vocabulary %" PRId32, m->ffn, m->vocab);
	if (m->experts)
		(void)fprintf(out, ", %" PRId32 " experts", m->experts);
	(void)fputc('\n', out);
}

static void print_adapter(FILE *out, const struct mxt_training *t)
{
	if (t->adapter == MXT_ADAPTER_NONE)
		(void)fputs("all weights", out);
	else
		(void)fprintf(out, "%s of rank %" PRId32, t->adapter == MXT_ADAPTER_QLORA ? "QLoRA" : "LoRA",
			      t->lora_rank);
}

static void print_training(FILE *out, const struct mxt_training *t)
{
	(void)fprintf(out, "training: micro-batch %" PRId32 " of %" PRId32 " tokens (%s), ", t->micro_batch, t->seq_len,
		      t->packing   ? "packed"
		      : t->padding ? "padded"
				   : "lengths vary");
	print_adapter(out, t);
	(void)fprintf(out, ", %s, %s checkpointing", mxt_dtype_name(t->dtype), t->checkpointing ? "with" : "without");
	if (t->nodes > 1)
		(void)fprintf(out, ", %" PRId32 " GPU%s on each of %" PRId32 " nodes", t->gpus, t->gpus == 1 ? "" : "s",
			      t->nodes);
	else if (t->gpus > 1)
		(void)fprintf(out, ", %" PRId32 " GPUs of one node", t->gpus);
	if (t->deterministic)
		(void)fputs(", deterministic", out);
	(void)fputc('\n', out);
}

static int print_lengths(FILE *out, const struct mxt_workload *workload, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_workload_lengths_text(workload, &text);
	int rc = mxt_buf_status(&text, err);
	if (rc == 0)
		(void)fprintf(out, "%s\n", mxt_buf_text(&text));
	return rc;
}

/* ---- problems ---- */

struct line {
	const struct mxt_problem *problem;
	double flops; /* of all calls, as scaled */
};

static double weighted_flops(const struct mxt_problem *p)
{
	return mxt_problem_flops(p) * mxt_problem_weight(p);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->problem->kind != y->problem->kind)
		return x->problem->kind < y->problem->kind ? -1 : 1;
	if (x->flops < y->flops || x->flops > y->flops)
		return x->flops > y->flops ? -1 : 1;
	return x->problem < y->problem ? -1 : x->problem > y->problem;
}

/* Scaling keeps the shares within a kind; between kinds the real step's operations decide. */
static double step_share(const struct mxt_problem_set *set, const struct line *line, const double *kind_flops)
{
	double step = set->step_flops[MXT_PROBLEM_ATTENTION] + set->step_flops[MXT_PROBLEM_GEMM];
	double kind = kind_flops[line->problem->kind];
	if (step <= 0 || kind <= 0)
		return 0;
	return line->flops / kind * set->step_flops[line->problem->kind] / step;
}

static int print_line(FILE *out, const struct line *line, double share, struct mxt_error *err)
{
	char percent[32];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_problem_text(line->problem, &text);
	int rc = mxt_buf_status(&text, err);
	if (rc < 0)
		return rc;
	mxt_format_fixed(percent, (int64_t)(share * 1e6 + 0.5), 4, 1);
	(void)fprintf(out, "%6s %% %8" PRIu32 "  %s", percent, line->problem->calls, mxt_buf_text(&text));
	if (line->problem->share_ppm > 0 && line->problem->share_ppm < 1000000)
		(void)fprintf(out, " (%" PRIu32 " %% of the calls)", line->problem->share_ppm / 10000);
	if (line->problem->share_ppm == 0)
		(void)fputs(" (for comparison)", out);
	(void)fputc('\n', out);
	return 0;
}

static int print_problems(FILE *out, const struct mxt_problem_set *set, struct mxt_error *err)
{
	MXT_CLEANUP_FREE struct line *lines = calloc(set->n_problems, sizeof *lines);
	double kind_flops[MXT_PROBLEM_KIND_COUNT] = {0};
	if (!lines)
		return mxt_error_oom(err);
	for (size_t i = 0; i < set->n_problems; i++) {
		lines[i] = (struct line){&set->problems[i], weighted_flops(&set->problems[i])};
		kind_flops[lines[i].problem->kind] += lines[i].flops;
	}
	qsort(lines, set->n_problems, sizeof *lines, compare_lines);
	(void)fputs(
	    "problems of one step, by their share of its floating-point operations:\n   share    calls  problem\n",
	    out);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < set->n_problems; i++)
		rc = print_line(out, &lines[i], step_share(set, &lines[i], kind_flops), err);
	return rc;
}

/* ---- around them ---- */

static void print_limit(FILE *out, const char *what, int32_t limit)
{
	if (limit > 0)
		(void)fprintf(out, "  %s: at most %" PRId32 "\n", what, limit);
}

static void print_scale(FILE *out, const struct mxt_problem_set *set)
{
	if (!set->scaled)
		return;
	(void)fputs("scaled to this host, by cores and memory; calls stand for the real sizes:\n", out);
	print_limit(out, "tokens in a matrix product", set->scale.gemm_tokens);
	print_limit(out, "rows and columns of a weight", set->scale.weight_extent);
	print_limit(out, "tokens in attention", set->scale.attention_tokens);
}

static void print_sentences(FILE *out, const char *title, char *const *sentences, size_t count)
{
	if (count == 0)
		return;
	(void)fprintf(out, "%s:\n", title);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "  %s\n", sentences[i]);
}

int mxt_print_workload(FILE *out, const struct mxt_workload *workload, const struct mxt_attention_today *today,
		       const struct mxt_problem_set *set, struct mxt_error *err)
{
	int rc = 0;
	if (mxt_workload_described(workload)) {
		print_model(out, &workload->model);
		print_training(out, &workload->training);
		if (today)
			mxt_print_today(out, today);
		rc = print_lengths(out, workload, err);
	}
	if (rc == 0)
		rc = print_problems(out, set, err);
	if (rc < 0)
		return rc;
	print_scale(out, set);
	print_sentences(out, "not modelled, and not tuned", workload->not_modelled, workload->n_not_modelled);
	print_sentences(out, "notes", workload->notes, workload->n_notes);
	return 0;
}

/* ---- for programs ---- */

static json_t *sentences_json(char *const *sentences, size_t count)
{
	json_t *list = json_array();
	for (size_t i = 0; list && i < count; i++) {
		if (json_array_append_new(list, json_string(sentences[i])) == 0)
			continue;
		json_decref(list);
		return NULL;
	}
	return list;
}

int mxt_print_workload_json(FILE *out, const struct mxt_workload *workload, const struct mxt_attention_today *today,
			    const struct mxt_problem_set *set, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *json = mxt_problem_set_json(set);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	json_t *not_modelled = sentences_json(workload->not_modelled, workload->n_not_modelled);
	json_t *notes = sentences_json(workload->notes, workload->n_notes);
	bool described = mxt_workload_described(workload);
	int rc = json_object_set_new(json, "workload", described ? mxt_workload_json(workload) : json_object());
	if (today)
		rc |= json_object_set_new(json, "today", mxt_print_today_json(today));
	rc |= json_object_set_new(json, "not_modelled", not_modelled);
	rc |= json_object_set_new(json, "notes", notes);
	if (rc < 0)
		return mxt_error_oom(err);
	rc = mxt_json_canonical(json, &text, err);
	if (rc < 0)
		return rc;
	(void)fprintf(out, "%s\n", mxt_buf_text(&text));
	return 0;
}
