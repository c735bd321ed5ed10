/* SPDX-License-Identifier: Apache-2.0 */
#include "remarks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cleanup.h"
#include "json.h"

struct allowance_row {
	enum mxt_allowance allowance;
	const char *option;
};

static const struct allowance_row allowances[] = {
    {MXT_ALLOW_MISMATCH, "--allow-mismatch"},
    {MXT_ALLOW_SIMULATED, "--allow-simulated"},
    {MXT_ALLOW_JIT, "--allow-jit"},
};

static const char *const kind_names[] = {
    [MXT_REMARK_NOTE] = "note",
    [MXT_REMARK_WARNING] = "warning",
    [MXT_REMARK_ALLOWED] = "allowed",
    [MXT_REMARK_REFUSED] = "refused",
};

const char *mxt_remark_kind_name(enum mxt_remark_kind kind)
{
	return kind_names[kind];
}

const char *mxt_allowance_option(enum mxt_allowance allowance)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(allowances); i++)
		if (allowances[i].allowance == allowance)
			return allowances[i].option;
	return NULL;
}

void mxt_remarks_finish(struct mxt_remarks *remarks)
{
	for (size_t i = 0; i < remarks->count; i++)
		free(remarks->items[i].text);
	free(remarks->items);
	*remarks = (struct mxt_remarks)MXT_REMARKS_INIT;
}

/* The same may be found by several who read the same file. */
static bool is_known(const struct mxt_remarks *remarks, const struct mxt_remark *remark)
{
	for (size_t i = 0; remark->text && i < remarks->count; i++) {
		const struct mxt_remark *other = &remarks->items[i];
		if (other->kind == remark->kind && other->allowance == remark->allowance &&
		    strcmp(other->text, remark->text) == 0)
			return true;
	}
	return false;
}

/* Takes the text over, also when there is no room for it, or it is there already. */
static void add(struct mxt_remarks *remarks, struct mxt_remark remark)
{
	if (is_known(remarks, &remark)) {
		free(remark.text);
		return;
	}
	struct mxt_remark *items = mxt_array_reserve(remarks->items, remarks->count, &remarks->capacity, sizeof *items);
	remarks->items = items ? items : remarks->items;
	if (!remark.text || !items) {
		remarks->failed = true;
		free(remark.text);
		return;
	}
	items[remarks->count++] = remark;
}

static char *MXT_PRINTF(1, 0) make_text(const char *fmt, va_list args)
{
	char *text = NULL;
	return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

void mxt_remark_note(struct mxt_remarks *remarks, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	add(remarks, (struct mxt_remark){.kind = MXT_REMARK_NOTE, .text = make_text(fmt, args)});
	va_end(args);
}

void mxt_remark_warn(struct mxt_remarks *remarks, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	add(remarks, (struct mxt_remark){.kind = MXT_REMARK_WARNING, .text = make_text(fmt, args)});
	va_end(args);
}

static enum mxt_remark_kind kind_of_refusal(const struct mxt_remarks *remarks, enum mxt_allowance allowance)
{
	return remarks->allowed & (unsigned)allowance ? MXT_REMARK_ALLOWED : MXT_REMARK_REFUSED;
}

void mxt_remark_refuse(struct mxt_remarks *remarks, enum mxt_error_id id, enum mxt_allowance allowance, const char *fmt,
		       ...)
{
	va_list args;
	va_start(args, fmt);
	add(remarks, (struct mxt_remark){kind_of_refusal(remarks, allowance), id, allowance, make_text(fmt, args)});
	va_end(args);
}

void mxt_remark_refuse_error(struct mxt_remarks *remarks, enum mxt_allowance allowance, struct mxt_error *err)
{
	if (err->id == MXT_E_NO_MEMORY)
		remarks->failed = true;
	else
		mxt_remark_refuse(remarks, err->id, allowance, "%s", mxt_error_text(err));
	mxt_error_clear(err);
}

/* The refusals of one set of remarks. */
struct refusals {
	const struct mxt_remark *first; /* one that nothing lets through, where there is one */
	size_t count;
	bool final;       /* there is one */
	unsigned options; /* of enum mxt_allowance: what lets all of them through */
};

static struct refusals find_refusals(const struct mxt_remarks *remarks)
{
	struct refusals found = {NULL, 0, false, 0};
	for (size_t i = 0; i < remarks->count; i++) {
		const struct mxt_remark *remark = &remarks->items[i];
		if (remark->kind != MXT_REMARK_REFUSED)
			continue;
		bool final = remark->allowance == MXT_ALLOW_NOTHING;
		if (!found.first || (final && !found.final))
			found.first = remark;
		found.final = found.final || final;
		found.options |= (unsigned)remark->allowance;
		found.count++;
	}
	return found;
}

/* "; or give --allow-mismatch and --allow-jit, ...": nothing where they would not be enough. */
static void append_remedy(const struct refusals *found, struct mxt_buf *text)
{
	const char *before = "; or give ";
	for (size_t i = 0; !found->final && i < MXT_ARRAY_LEN(allowances); i++) {
		if (!(found->options & (unsigned)allowances[i].allowance))
			continue;
		mxt_buf_printf(text, "%s%s", before, allowances[i].option);
		before = " and ";
	}
	if (text->len > 0)
		mxt_buf_puts(text, ", which the record of the run then says");
}

int mxt_remarks_verdict(const struct mxt_remarks *remarks, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf remedy = MXT_BUF_INIT;
	if (remarks->failed)
		return mxt_error_oom(err);
	const struct refusals found = find_refusals(remarks);
	if (!found.first)
		return 0;
	append_remedy(&found, &remedy);
	if (remedy.failed)
		return mxt_error_oom(err);
	if (found.count == 1)
		return mxt_error_set(err, -EPERM, found.first->id, "%s%s", found.first->text, mxt_buf_text(&remedy));
	return mxt_error_set(err, -EPERM, found.first->id, "refused for %zu reasons, named one by one%s", found.count,
			     mxt_buf_text(&remedy));
}

static json_t *remark_json(const struct mxt_remark *remark)
{
	char id[12];
	bool has_id = remark->id != MXT_E_NONE;
	return json_pack("{s:s, s:o, s:s*, s:s*}", "kind", mxt_remark_kind_name(remark->kind), "text",
			 mxt_json_clean_text(remark->text, 4096), "id",
			 has_id ? mxt_error_id_text(remark->id, id) : NULL, "allowed_by",
			 mxt_allowance_option(remark->allowance));
}

json_t *mxt_remarks_json(const struct mxt_remarks *remarks)
{
	json_t *list = json_array();
	for (size_t i = 0; list && i < remarks->count; i++) {
		if (json_array_append_new(list, remark_json(&remarks->items[i])) == 0)
			continue;
		json_decref(list);
		list = NULL;
	}
	return list;
}
