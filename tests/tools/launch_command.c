/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launch would start, for tests that start it with real launchers, whatever a plan says:
 *
 *   launch_command make LAUNCHER PYTHON GPUS CONFIG ACCELERATE_CONFIG
 *   launch_command imports LAUNCHER PYTHON [PACKAGE]
 *
 * Which node this is comes from the environment. Prints {"argv": [...], "environment": {...}, "found_by", "nodes"} and
 * writes the file for accelerate, or prints [remarks]; or {"error": text}, and exits with 1.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "error.h"
#include "launch_packages.h"
#include "number.h"
#include "remarks.h"

extern char **environ;

static int print(json_t *answer)
{
	int rc = json_dumpf(answer, stdout, JSON_INDENT(2));
	(void)putchar('\n');
	json_decref(answer);
	return rc < 0 ? 2 : 0;
}

static int fail(const struct mxt_error *err)
{
	(void)print(json_pack("{s:s}", "error", mxt_error_text(err)));
	return 1;
}

static int write_file(const char *path, const struct mxt_buf *text)
{
	FILE *file = text->len > 0 ? fopen(path, "we") : NULL;
	if (!file)
		return text->len > 0 ? -1 : 0;
	size_t written = fwrite(text->data, 1, text->len, file);
	return fclose(file) == 0 && written == text->len ? 0 : -1;
}

static int show(const struct mxt_command_line *line, const struct mxt_nodes *nodes)
{
	json_t *argv = json_array();
	for (char **word = line->argv; word && *word; word++)
		(void)json_array_append_new(argv, json_string(*word));
	return print(json_pack("{s:o, s:O, s:s, s:I}", "argv", argv, "environment", line->environment, "found_by",
			       nodes->found_by, "nodes", (json_int_t)nodes->count));
}

static int make(const struct mxt_command_request *base, char **args, struct mxt_error *err)
{
	struct mxt_command_request request = *base;
	const struct mxt_nodes_request asked = {.rank = -1};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_nodes nodes = MXT_NODES_INIT;
	struct mxt_command_line line = MXT_COMMAND_LINE_INIT;
	int rc = mxt_nodes_find(environ, &asked, &remarks, &nodes, err);
	request.nodes = &nodes;
	request.config = args[1];
	request.accelerate_config = args[2];
	if (rc == 0)
		rc = mxt_parse_i64_in(args[0], 0, 64, &request.gpus) < 0 ? -1
									 : mxt_command_line_make(&request, &line, err);
	if (rc == 0 && write_file(args[2], &line.accelerate_config) < 0)
		rc = mxt_error_errno(err, 5, "%s", args[2]);
	int status = rc < 0 ? fail(err) : show(&line, &nodes);
	mxt_command_line_finish(&line);
	mxt_nodes_finish(&nodes);
	mxt_remarks_finish(&remarks);
	return status;
}

static int imports(const struct mxt_command_request *request, const char *package, struct mxt_error *err)
{
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	int rc = mxt_launch_imports_check(request, environ, package, &remarks, err);
	int status = rc < 0 ? fail(err) : print(mxt_remarks_json(&remarks));
	mxt_remarks_finish(&remarks);
	return status;
}

int main(int argc, char **argv)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_command_request request = {.dtype = "bfloat16"};
	if (argc < 4 || mxt_launcher_parse(argv[2], &request.launcher, &err) < 0)
		return 2;
	request.python = argv[3];
	if (strcmp(argv[1], "make") == 0 && argc == 7)
		return make(&request, argv + 4, &err);
	return strcmp(argv[1], "imports") == 0 ? imports(&request, argc > 4 ? argv[4] : NULL, &err) : 2;
}
