/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_print.h"

#include <string.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "env_record.h"
#include "error.h"
#include "json.h"
#include "launch.h"
#include "launch_report.h"
#include "plan.h"
#include "plan_handoff.h"
#include "plan_show.h"
#include "run_files.h"
#include "shell_quote.h"
#include "yaml_edit.h"

/* The last line says the only refusal, or what could not be opened, and nothing is said twice. */
static bool is_last_line(const char *remark, const struct mxt_error *verdict)
{
	const char *last = verdict ? mxt_error_text(verdict) : "";
	size_t len = strlen(remark), last_len = strlen(last);
	if (last_len == 0)
		return false;
	return strncmp(last, remark, len) == 0 || (last_len <= len && strcmp(remark + len - last_len, last) == 0);
}

void mxt_launch_print_remarks(FILE *out, const struct mxt_launch *launch, const struct mxt_error *verdict)
{
	for (size_t i = 0; i < launch->remarks.count; i++) {
		const struct mxt_remark *remark = &launch->remarks.items[i];
		if (remark->kind != MXT_REMARK_REFUSED || !is_last_line(remark->text, verdict))
			mxt_launch_print_line(out, mxt_remark_kind_name(remark->kind), remark->text);
	}
}

/* ---- --print ---- */

/* As a person would type it. */
static void put_word(const char *word, struct mxt_buf *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	if (word[0] && word[strspn(word, plain)] == '\0')
		mxt_buf_puts(text, word);
	else
		mxt_shell_quote(word, text);
}

static void put_command(const struct mxt_launch *launch, struct mxt_buf *text)
{
	mxt_buf_puts(text, "command\n ");
	for (char *const *word = launch->argv; *word; word++) {
		mxt_buf_putc(text, ' ');
		put_word(*word, text);
	}
	mxt_buf_putc(text, '\n');
}

static void put_environment(const struct mxt_launch *launch, struct mxt_buf *text)
{
	mxt_buf_puts(text, "environment\n");
	if (json_object_size(launch->env.changes) == 0)
		mxt_buf_puts(text, "  as it is\n");
	mxt_env_changes_text(launch->env.changes, text);
}

static void put_config(const struct mxt_launch *launch, struct mxt_buf *text)
{
	mxt_buf_printf(text, "config %s\n", launch->request->config);
	if (json_array_size(launch->config.changes) == 0)
		mxt_buf_puts(text, "  as it is\n");
	mxt_yaml_changes_text(launch->config.changes, text);
	if (launch->line.accelerate_config.len > 0)
		mxt_buf_printf(text, "%s\n%s", MXT_RUN_ACCELERATE, mxt_buf_text(&launch->line.accelerate_config));
}

static void put_handoffs(const struct mxt_launch *launch, struct mxt_buf *text)
{
	MXT_CLEANUP_JSON json_t *hashes = NULL;
	const char *name;
	json_t *hash;
	if (!mxt_plan_has_handoffs(launch->request->plan) ||
	    mxt_handoffs_hashes(mxt_plan_decision(launch->request->plan), &hashes, NULL) < 0)
		return;
	mxt_buf_puts(text, "files\n");
	json_object_foreach(hashes, name, hash)
	{
		mxt_buf_printf(text, "  %s  %s\n", name, json_string_value(hash));
	}
}

int mxt_launch_print(FILE *out, const struct mxt_launch *launch, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_buf_printf(&text, "plan %s%s\n", mxt_plan_id(launch->request->plan), mxt_plan_marks(launch->request->plan));
	if (launch->argv)
		put_command(launch, &text);
	if (launch->env.changes)
		put_environment(launch, &text);
	if (launch->request->config)
		put_config(launch, &text);
	put_handoffs(launch, &text);
	mxt_clean_text(&clean, mxt_buf_text(&text), text.len);
	clean.failed = clean.failed || text.failed;
	int rc = mxt_buf_status(&clean, err);
	if (rc == 0)
		(void)fwrite(mxt_buf_text(&clean), 1, clean.len, out);
	return rc;
}
