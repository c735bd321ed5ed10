/* SPDX-License-Identifier: Apache-2.0 */
#include "variable_advice.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "advice.h"
#include "affix.h"
#include "buf.h"
#include "cleanup.h"
#include "compiler.h"
#include "number.h"
#include "printable.h"
#include "variables.h"

/* Major and minor of "2.15.0+cu130" as one number; 0 when there are none. */
static uint64_t release_of(const char *version)
{
	uint64_t major = 0, minor = 0;
	if (!version || mxt_parse_u64(version, &version, &major) < 0 || *version != '.' || major > 999)
		return 0;
	if (mxt_parse_u64(version + 1, &version, &minor) < 0 || minor > 999)
		return 0;
	return major * 1000 + minor;
}

/* *ret_name: what to call the reader. NULL: its version is not known. */
static const char *version_of(const struct mxt_variable *row, const struct mxt_reader_versions *versions,
			      const char **ret_name)
{
	if (mxt_has_prefix(row->reader, "torch")) {
		*ret_name = "torch";
		return versions->torch;
	}
	*ret_name = mxt_has_prefix(row->reader, "RCCL") ? "RCCL" : "NCCL";
	if (mxt_has_prefix(row->reader, "RCCL"))
		return versions->rccl;
	return strcmp(row->reader, "NCCL") == 0 ? versions->nccl : NULL;
}

bool mxt_variable_unread(const struct mxt_variable *row, const struct mxt_reader_versions *versions)
{
	const char *name;
	uint64_t have = release_of(version_of(row, versions, &name));
	uint64_t since = release_of(row->since), until = release_of(row->until);
	return have != 0 && (have < since || (until && have > until));
}

/* One environment while it is looked at. */
struct look {
	const struct mxt_reader_versions *versions;
	const struct mxt_advice_sink *sink;
	struct mxt_buf strangers; /* names of no known reader, "A, B" */
};

static void tell(const struct look *look, enum mxt_advice_kind kind, const char *what, const char *wrong,
		 const char *todo)
{
	const struct mxt_advice advice = {kind, what, wrong, todo};
	look->sink->take(look->sink->context, &advice);
}

/* "`name` is set", with what is wrong and what to do. */
MXT_PRINTF(4, 5)
static void warn(const struct look *look, const char *name, const char *todo, const char *wrong_fmt, ...)
{
	char shown[MXT_PRINTABLE_SIZE], what[MXT_PRINTABLE_SIZE + 8], wrong[512];
	va_list args;
	va_start(args, wrong_fmt);
	(void)vsnprintf(wrong, sizeof wrong, wrong_fmt, args);
	va_end(args);
	(void)snprintf(what, sizeof what, "%s is set", mxt_printable(name, shown));
	tell(look, MXT_ADVICE_WARN, what, wrong, todo);
}

static void look_at_known(const struct look *look, const struct mxt_variable *row)
{
	const char *reader;
	if (row->class == MXT_VARIABLE_DEAD) {
		warn(look, row->name, "unset it, or set what is read", "no effect: nothing reads it; %s", row->why);
		return;
	}
	if (!mxt_variable_unread(row, look->versions))
		return;
	const char *version = version_of(row, look->versions, &reader);
	warn(look, row->name, "unset it", "no effect: %s reads it%s%s%s%s, and this is %s %s", row->reader,
	     row->since[0] ? " from " : "", row->since, row->until[0] ? " up to " : "", row->until, reader, version);
}

/* "NCCL_" of "NCCL_DEBUG": the length with the underscore; 0 when the name has none. */
static size_t prefix_len(const char *name)
{
	const char *underscore = strchr(name, '_');
	return underscore && underscore != name ? (size_t)(underscore - name) + 1 : 0;
}

/* Whether at least two variables of the table begin like `name`: one alone does not make a family. */
static bool known_family(const char *name)
{
	size_t len = prefix_len(name), rows = 0;
	for (size_t i = 0; len && i < mxt_variable_count() && rows < 2; i++) {
		const struct mxt_variable *row = mxt_variable_at(i);
		rows += row->class != MXT_VARIABLE_DENY && strncasecmp(row->name, name, len) == 0;
	}
	return rows == 2;
}

static void look_at_unknown(struct look *look, const char *name)
{
	char shown[MXT_PRINTABLE_SIZE];
	const char *twin = mxt_variable_of_other_case(name);
	bool family = twin || known_family(name);
	const char *near = !family ? NULL : twin ? twin : mxt_variable_near(name);
	if (!family)
		return;
	if (!near) {
		mxt_buf_printf(&look->strangers, "%s%s", look->strangers.len ? ", " : "", mxt_printable(name, shown));
		return;
	}
	char todo[128];
	(void)snprintf(todo, sizeof todo, "set %s instead, or unset it", near);
	warn(look, name, todo, "no known reader; it differs from %s by %s", near,
	     twin ? "capital letters only" : "a letter or two");
}

static void tell_strangers(const struct look *look)
{
	const char *names = mxt_buf_text(&look->strangers);
	if (look->strangers.failed)
		look->sink->take(look->sink->context, NULL);
	else if (names[0])
		tell(look, MXT_ADVICE_NOTE, names,
		     "no known reader among what chooses kernels; left as it is in every run",
		     strstr(names, "RCCL_")
			 ? "RCCL reads the common settings as NCCL_..., most RCCL_... names are read by nothing"
			 : "");
}

void mxt_variable_advise(char *const *environment, const struct mxt_reader_versions *versions,
			 const struct mxt_advice_sink *sink)
{
	struct look look = {versions, sink, MXT_BUF_INIT};
	for (char *const *item = environment; *item; item++) {
		MXT_CLEANUP_FREE char *name = strndup(*item, strcspn(*item, "="));
		if (!name) {
			sink->take(sink->context, NULL);
			break;
		}
		const struct mxt_variable *row = mxt_variable_find(name);
		if (row)
			look_at_known(&look, row);
		else
			look_at_unknown(&look, name);
	}
	tell_strangers(&look);
	mxt_buf_finish(&look.strangers);
}
