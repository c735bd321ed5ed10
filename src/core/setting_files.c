/* SPDX-License-Identifier: Apache-2.0 */
#include "setting_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "buf.h"
#include "cleanup.h"
#include "compiler.h"
#include "environ.h"
#include "printable.h"
#include "sysroot.h"
#include "user.h"
#include "variables.h"

#define MAX_FILE_BYTES ((size_t)64 << 10)
#define MAX_NAMES      8 /* of one kind that a sentence lists */

/* Names of one kind, "A, B and 3 more". */
struct names {
	struct mxt_buf text;
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	char shown[MXT_PRINTABLE_SIZE];
	if (names->count++ < MAX_NAMES)
		mxt_buf_printf(&names->text, "%s%s", names->count > 1 ? ", " : "", mxt_printable(name, shown));
}

/* What one file sets. */
struct contents {
	struct names removed, chosen, others;
};

static bool is_removed(const struct mxt_setting_files *files, const char *name)
{
	for (size_t i = 0; i < json_array_size(files->unset); i++)
		if (strcmp(json_string_value(json_array_get(files->unset, i)), name) == 0)
			return true;
	return false;
}

static void take_name(const struct mxt_setting_files *files, const char *name, struct contents *contents)
{
	const struct mxt_variable *row = mxt_variable_find(name);
	bool chosen = row && (mxt_variable_concerns_kernels(row) || row->class == MXT_VARIABLE_DENY);
	if (mxt_environ_get(files->environment, name))
		return;
	add_name(is_removed(files, name) ? &contents->removed : chosen ? &contents->chosen : &contents->others, name);
}

/* Lines NAME=value; '#' in the first column makes a comment, as the libraries read it. */
static void read_names(const struct mxt_setting_files *files, const char *text, struct contents *contents)
{
	while (*text) {
		size_t line = strcspn(text, "\n"), len = strcspn(text, "=\n");
		if (len > 0 && len < line && text[0] != '#') {
			MXT_CLEANUP_FREE char *name = strndup(text, len);
			if (name)
				take_name(files, name, contents);
			else
				contents->others.text.failed = true;
		}
		text += line;
		text += *text == '\n';
	}
}

static void tell(const struct mxt_advice_sink *sink, enum mxt_advice_kind kind, const char *path, const char *reader,
		 const struct names *names, const char *meaning, const char *todo)
{
	char shown[MXT_PRINTABLE_SIZE], more[32] = "";
	MXT_CLEANUP_BUF struct mxt_buf wrong = MXT_BUF_INIT;
	if (names->count == 0)
		return;
	if (names->count > MAX_NAMES)
		(void)snprintf(more, sizeof more, " and %zu more", names->count - MAX_NAMES);
	mxt_buf_printf(&wrong, "%s reads it by itself, and it sets %s%s%s", reader, mxt_buf_text(&names->text), more,
		       meaning);
	const struct mxt_advice advice = {kind, mxt_printable(path, shown), mxt_buf_text(&wrong), todo};
	sink->take(sink->context, names->text.failed || wrong.failed ? NULL : &advice);
}

void mxt_setting_text_advise(const struct mxt_setting_files *files, const char *path, const char *reader,
			     const char *text, const struct mxt_advice_sink *sink)
{
	struct contents contents = {{MXT_BUF_INIT, 0}, {MXT_BUF_INIT, 0}, {MXT_BUF_INIT, 0}};
	read_names(files, text, &contents);
	tell(sink, MXT_ADVICE_MISMATCH, path, reader, &contents.removed, ", which the plan removes",
	     "take them out of the file");
	tell(sink, MXT_ADVICE_WARN, path, reader, &contents.chosen, ", which no plan knows of",
	     "take them out of the file, or set them in the environment");
	tell(sink, MXT_ADVICE_NOTE, path, reader, &contents.others, "", "");
	mxt_buf_finish(&contents.removed.text);
	mxt_buf_finish(&contents.chosen.text);
	mxt_buf_finish(&contents.others.text);
}

static void advise_file(const struct mxt_setting_files *files, const char *path, const char *reader,
			const struct mxt_advice_sink *sink)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const struct mxt_sysroot untapped = {.prefix = files->root->prefix}; /* they hold tokens: nobody packs them */
	int rc = mxt_sysroot_read(&untapped, path, MAX_FILE_BYTES, &text, NULL);
	if (rc == 0)
		mxt_setting_text_advise(files, path, reader, mxt_buf_text(&text), sink);
	else if (rc == -ENOMEM)
		sink->take(sink->context, NULL);
	/* else it is not there, or as unreadable for the library as for us */
}

static void advise_in(const struct mxt_setting_files *files, const char *folder, const char *name, const char *reader,
		      const struct mxt_advice_sink *sink)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", folder, name);
	if (path.failed)
		sink->take(sink->context, NULL);
	else
		advise_file(files, mxt_buf_text(&path), reader, sink);
}

/* Appends the home that passwd gives us; nothing on a recorded machine, which does not tell who we are there. */
static void find_passwd_home(const struct mxt_sysroot *root, struct mxt_buf *home)
{
	if (mxt_sysroot_is_live(root))
		mxt_user_passwd(home, NULL);
}

/* Of NCCL or RCCL. */
static void advise_collectives(const struct mxt_setting_files *files, const char *home,
			       const struct mxt_advice_sink *sink)
{
	MXT_CLEANUP_BUF struct mxt_buf passwd_home = MXT_BUF_INIT;
	bool amd = files->stack == MXT_STACK_ROCM;
	const char *reader = amd ? "RCCL" : "NCCL", *name = amd ? ".rccl.conf" : ".nccl.conf";
	const char *own = mxt_environ_get(files->environment, "NCCL_CONF_FILE");
	if (own && own[0])
		advise_file(files, own, reader, sink);
	else
		own = NULL;
	find_passwd_home(files->root, &passwd_home);
	const char *other_home = mxt_buf_text(&passwd_home);
	if (home[0] && (amd || !own))
		advise_in(files, home, name, reader, sink);
	if (other_home[0] && strcmp(other_home, home) != 0 && (amd || !own))
		advise_in(files, other_home, name, reader, sink);
	advise_in(files, "/etc", name + 1, reader, sink);
}

/* DeepSpeed looks for the name as it is, and in the home. */
static void advise_deepspeed(const struct mxt_setting_files *files, const char *home,
			     const struct mxt_advice_sink *sink)
{
	static const char reader[] = "DeepSpeed's launcher, on several nodes,";
	const char *name = mxt_environ_get(files->environment, "DEEPSPEED_ENVIRONMENT_NAME");
	name = name && name[0] ? name : ".deepspeed_env";
	if (name[0] == '/')
		advise_file(files, name, reader, sink);
	else if (home[0])
		advise_in(files, home, name, reader, sink);
}

void mxt_setting_files_advise(const struct mxt_setting_files *files, const struct mxt_advice_sink *sink)
{
	const char *home = mxt_environ_get(files->environment, "HOME");
	home = home ? home : "";
	if (files->stack != MXT_STACK_NONE)
		advise_collectives(files, home, sink);
	advise_deepspeed(files, home, sink);
}
