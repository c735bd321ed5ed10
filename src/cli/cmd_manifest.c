/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the manifest of a run, signs it, and tells it in the forms of others.
 */
#include <errno.h>
#include <string.h>

#include "command.h"
#include "compiler.h"
#include "error.h"
#include "manifest_verbs.h"
#include "nearest.h"

/* One table for all verbs; each row's help begins with the verbs that take it. */
static const struct mxt_option options[] = {
    {"dataset", "PATH...", "create, export: once for each dataset, in place of the record's"},
    {"config", "FILE", "create: the config that the run had, where its folder does not tell"},
    {"checkpoint", "PATH", "create, export: the checkpoint, in place of what the record names"},
    {"threads", "N", "create: how many threads hash, at most 16 (default: one per processor)"},
    {"json", NULL, "create, sign: print one JSON object"},
    {"in-toto", NULL, "export: as a Statement of in-toto, each file a subject with both hashes"},
    {"model-signing", NULL, "export: the checkpoint as the Statement that model-signing signs"},
    {"key", "FILE", "sign: with this key of OpenSSH; export: with this ECDSA key (PEM)"},
    {"out", "FILE", "export: where to write it (default: standard output)"},
};

struct verb {
	const char *name;
	const char *options; /* that it takes, each between blanks */
	int (*run)(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err);
};

static const struct verb verbs[] = {
    {"create", " config dataset checkpoint threads json ", mxt_manifest_create_verb},
    {"export", " in-toto model-signing key out dataset checkpoint ", mxt_manifest_export_verb},
    {"sign", " key json ", mxt_manifest_sign_verb},
};

static const char *verb_name(const void *list, size_t i)
{
	return ((const struct verb *)list)[i].name;
}

static int find_verb(const struct mxt_args *args, const struct verb **ret_verb, struct mxt_error *err)
{
	const char *name = args->n_operands > 0 ? args->operands[0] : NULL;
	size_t n = MXT_ARRAY_LEN(verbs);
	for (size_t i = 0; name && i < n; i++) {
		if (strcmp(verbs[i].name, name) != 0)
			continue;
		*ret_verb = &verbs[i];
		return 0;
	}
	const char *near = name ? mxt_nearest(name, verb_name, verbs, n) : NULL;
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "manifest is followed by create, sign or export%s%s%s",
			     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int check_arguments(const struct verb *verb, const struct mxt_args *args, struct mxt_error *err)
{
	if (args->n_operands != 2)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "manifest %s takes the folder of one run: mindxtrain manifest %s RUN_DIR",
				     verb->name, verb->name);
	for (size_t i = 0; i < args->n_options; i++) {
		char word[32];
		(void)snprintf(word, sizeof word, " %s ", args->options[i].name);
		if (args->values[i] && !strstr(verb->options, word))
			return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "manifest %s takes no --%s", verb->name,
					     args->options[i].name);
	}
	return 0;
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	const struct verb *verb = NULL;
	int rc = find_verb(args, &verb, err);
	if (rc == 0)
		rc = check_arguments(verb, args, err);
	return rc == 0 ? verb->run(cli, args, err) : rc;
}

const struct mxt_command mxt_cmd_manifest = {
    .name = "manifest",
    .summary = "record a run: make, sign and export its manifest",
    .synopsis = "create|sign|export RUN_DIR [OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
