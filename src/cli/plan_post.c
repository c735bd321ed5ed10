/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_post.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "figures.h"
#include "json.h"
#include "plan.h"
#include "plan_command.h"
#include "post_attention.h"
#include "post_choice.h"
#include "post_gemm.h"
#include "post_machine.h"
#include "post_peak.h"
#include "post_writer.h"

#define MAX_SAMPLES  2000 /* a larger plan's others are counted */
#define MAX_FAILURES 16

static void put_failures(const struct mxt_post *post)
{
	const char *title = "\nNot everything could be measured:\n\n";
	const json_t *rows = json_object_get(post->evidence, "samples");
	size_t shown = 0;
	const char *last = "";
	for (size_t i = 0; i < json_array_size(rows) && shown < MAX_FAILURES; i++) {
		const json_t *row = json_array_get(rows, i);
		const char *candidate = mxt_json_text(row, "candidate");
		if (strcmp(mxt_json_text(row, "status"), "ok") == 0 || strcmp(candidate, last) == 0)
			continue;
		mxt_buf_printf(post->buf, "%s- ", title);
		mxt_post_code(candidate, post->buf);
		mxt_buf_printf(post->buf, " (%s): %s: ", mxt_json_text(row, "probe"), mxt_json_text(row, "status"));
		mxt_post_code(mxt_json_text(row, "reason"), post->buf);
		mxt_buf_putc(post->buf, '\n');
		title = "";
		last = candidate;
		shown++;
	}
}

static void put_decision(const struct mxt_post *post)
{
	struct mxt_buf *buf = post->buf;
	const char *attention = mxt_json_text(json_object_get(post->decision, "attention"), "backend");
	const char *library = mxt_json_text(json_object_get(post->decision, "gemm"), "library");
	mxt_buf_printf(buf, "\n## Plan\n\n- attention: %s\n- matrix products: %s%s%s\n",
		       attention[0] ? attention : "not planned", library[0] ? library : "not planned",
		       library[0] ? ", " : "", mxt_json_text(json_object_get(post->decision, "gemm"), "mode"));
	mxt_buf_puts(buf, "- exported:");
	for (size_t i = 0; i < mxt_plan_env_count(post->plan); i++) {
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		mxt_buf_printf(&text, "%s=%s", mxt_plan_env_name(post->plan, i), mxt_plan_env_value(post->plan, i));
		mxt_buf_putc(buf, ' ');
		mxt_post_code(mxt_buf_text(&text), buf);
		buf->failed = buf->failed || text.failed;
	}
	mxt_buf_printf(buf, "%s\n- plan_id: `%s`\n", mxt_plan_env_count(post->plan) ? "" : " nothing",
		       mxt_plan_id(post->plan));
	mxt_post_choice(post, "confirm");
	mxt_buf_puts(buf, "\nTo measure the same elsewhere:\n\n    ");
	mxt_plan_command(post->plan, buf);
	mxt_buf_putc(buf, '\n');
}

static void put_head(const struct mxt_post *post)
{
	char used[MXT_FIGURE_SIZE];
	int64_t used_ns = mxt_json_integer_or(json_object_get(post->evidence, "budget"), "used_ns", -1);
	const char *name = mxt_json_text(mxt_post_device(post->evidence), "name");
	const char *created = mxt_json_text(post->evidence, "created"), *tool = mxt_json_text(post->evidence, "tool");
	mxt_buf_puts(post->buf, "# Kernels for fine-tuning on ");
	mxt_post_code(name[0] ? name : mxt_json_text(json_object_get(post->decision, "platform"), "arch"), post->buf);
	mxt_buf_puts(post->buf, "\n\nMeasured ");
	mxt_post_code(created[0] ? created : "at a time that was not recorded", post->buf);
	mxt_buf_puts(post->buf, " by ");
	mxt_post_code(tool[0] ? tool : "mindxtrain", post->buf);
	if (used_ns >= 0)
		mxt_buf_printf(post->buf, " in %s", mxt_figure_seconds(used, (uint64_t)used_ns));
	mxt_buf_puts(post->buf, ".\n\n");
}

static int refuse(const struct mxt_plan *plan, struct mxt_error *err)
{
	if (mxt_plan_is_simulated(plan))
		return mxt_error_set(err, -EPERM, MXT_E_PLAN_SIMULATED,
				     "this plan was made on simulated hardware: it holds no measurement that could be "
				     "published; make a plan on real hardware");
	if (mxt_plan_is_self_test(plan))
		return mxt_error_set(err, -EPERM, MXT_E_PLAN_SELF_TEST,
				     "this is a self-test: it timed the built-in provider, not what a training runs; "
				     "make a plan through the torch that trains (--python)");
	if (mxt_json_integer_or(mxt_plan_evidence(plan), "version", 1) > MXT_PLAN_EVIDENCE_VERSION)
		return mxt_error_set(err, -EINVAL, MXT_E_PLAN_SCHEMA,
				     "the plan's evidence is of a newer version than this program reads; use the one "
				     "that made it");
	return 0;
}

static int read_samples(struct mxt_post *post, struct mxt_error *err)
{
	const json_t *rows = json_object_get(post->evidence, "samples");
	size_t count = json_array_size(rows), most = count < MAX_SAMPLES ? count : MAX_SAMPLES;
	post->n_left_out = count - most;
	post->n_samples = 0;
	post->samples = calloc(most + 1, sizeof *post->samples);
	if (!post->samples)
		return mxt_error_oom(err);
	for (size_t i = 0; i < most; i++)
		post->n_samples += mxt_plan_sample_read(json_array_get(rows, i), &post->samples[post->n_samples]);
	return 0;
}

int mxt_plan_post(const struct mxt_plan *plan, struct mxt_buf *buf, struct mxt_error *err)
{
	struct mxt_post post = {
	    .plan = plan, .decision = mxt_plan_decision(plan), .evidence = mxt_plan_evidence(plan), .buf = buf};
	int rc = refuse(plan, err);
	if (rc == 0)
		rc = mxt_post_peak_read(post.decision, post.evidence, &post.peak, err);
	if (rc == 0)
		rc = read_samples(&post, err);
	if (rc == 0) {
		put_head(&post);
		mxt_post_machine(&post);
		mxt_post_workload(&post);
		mxt_post_attention(&post);
		mxt_post_gemm(&post);
		put_failures(&post);
		put_decision(&post);
		if (post.n_left_out > 0)
			mxt_buf_printf(buf, "\nThe plan holds %zu more samples.\n", post.n_left_out);
	}
	free(post.samples);
	return rc;
}
