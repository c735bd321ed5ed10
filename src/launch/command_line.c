/* SPDX-License-Identifier: Apache-2.0 */
#include "command_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accelerate_config.h"
#include "cleanup.h"
#include "error.h"
#include "free_port.h"
#include "json.h"

#define MAX_WORDS   64 /* of ours, more than any form has */
#define JOIN_WAIT_S 1800

static const char *const launcher_names[] = {
    [MXT_LAUNCHER_ACCELERATE] = "accelerate",
    [MXT_LAUNCHER_TORCHRUN] = "torchrun",
    [MXT_LAUNCHER_PYTHON] = "python",
};

int mxt_launcher_parse(const char *name, enum mxt_launcher *ret_launcher, struct mxt_error *err)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(launcher_names); i++) {
		if (strcmp(name, launcher_names[i]) != 0)
			continue;
		*ret_launcher = (enum mxt_launcher)i;
		return 0;
	}
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--launcher %.40s is none of accelerate, torchrun and python",
			     name);
}

void mxt_command_line_finish(struct mxt_command_line *line)
{
	for (char **word = line->argv; word && *word; word++)
		free(*word);
	free((void *)line->argv);
	mxt_buf_finish(&line->accelerate_config);
	json_decref(line->environment);
	*line = (struct mxt_command_line)MXT_COMMAND_LINE_INIT;
}

/* ---- words ---- */

/* Appending never fails in place: memory that ran out is looked at once. */
struct words {
	char **items; /* owned, NULL-ended */
	size_t count, capacity;
	bool failed;
};

static void words_finish(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free((void *)words->items);
}

/* Takes `word` over; one that is NULL is memory that ran out. */
static void put(struct words *words, char *word)
{
	words->failed = words->failed || !word || words->count == words->capacity;
	if (words->failed)
		free(word);
	else
		words->items[words->count++] = word;
}

static void add(struct words *words, const char *word)
{
	put(words, strdup(word));
}

static void MXT_PRINTF(2, 3) addf(struct words *words, const char *fmt, ...)
{
	char *word = NULL;
	va_list args;
	va_start(args, fmt);
	if (vasprintf(&word, fmt, args) < 0)
		word = NULL;
	va_end(args);
	put(words, word);
}

static void add_option(struct words *words, const char *option, const char *value)
{
	add(words, option);
	add(words, value);
}

static void add_number(struct words *words, const char *option, int64_t value)
{
	add(words, option);
	addf(words, "%" PRId64, value);
}

static int words_init(struct words *words, char *const *overrides, struct mxt_error *err)
{
	size_t capacity = MAX_WORDS;
	for (; overrides && *overrides; overrides++)
		capacity++;
	words->items = calloc(capacity + 1, sizeof *words->items);
	words->capacity = capacity;
	return words->items ? 0 : mxt_error_oom(err);
}

/* ---- the launchers ---- */

static int64_t per_node(const struct mxt_command_request *request)
{
	return request->gpus > 0 ? request->gpus : 1;
}

static int64_t total(const struct mxt_command_request *request)
{
	return per_node(request) * request->nodes->count;
}

/* The processes of one node: accelerate's own port is one for all trainings of a host, and not all versions take 0. */
static void add_own_port(struct words *words)
{
	int64_t port = mxt_free_port((uint64_t)getpid());
	if (port > 0)
		add_number(words, "--main_process_port", port);
}

/* Everything that accelerate would guess is said; without --multi_gpu it starts one process, whatever the number. */
static void add_accelerate(struct words *words, const struct mxt_command_request *request)
{
	const struct mxt_nodes *nodes = request->nodes;
	add_option(words, "-m", "accelerate.commands.launch");
	add_option(words, "--config_file", request->accelerate_config);
	if (total(request) > 1)
		add(words, "--multi_gpu");
	else if (request->gpus == 0)
		add(words, "--cpu");
	add_number(words, "--num_processes", total(request));
	add_number(words, "--num_machines", nodes->count);
	add_number(words, "--machine_rank", nodes->rank);
	if (nodes->count > 1) {
		add_option(words, "--main_process_ip", nodes->address);
		add_number(words, "--main_process_port", nodes->port);
		add(words, "--rdzv_conf");
		addf(words, "timeout=%d", JOIN_WAIT_S);
	} else if (total(request) > 1) {
		add_own_port(words);
	}
}

/* Ranks follow the nodes' own, as under accelerate: a static rendezvous. One node needs no name of a host at all. */
static void add_torchrun(struct words *words, const struct mxt_command_request *request)
{
	const struct mxt_nodes *nodes = request->nodes;
	add_option(words, "-m", "torch.distributed.run");
	addf(words, "--nnodes=%" PRId64, nodes->count);
	addf(words, "--nproc_per_node=%" PRId64, per_node(request));
	add(words, "--max_restarts=0");
	if (nodes->count == 1) {
		add(words, "--standalone");
		add(words, "--local_addr=127.0.0.1");
		return;
	}
	addf(words, "--node_rank=%" PRId64, nodes->rank);
	add(words, "--rdzv_backend=static");
	addf(words, "--rdzv_conf=timeout=%d", JOIN_WAIT_S);
	addf(words, "--rdzv_id=%s", nodes->job ? nodes->job : "mindxtrain");
	addf(words, "--master_addr=%s", nodes->address);
	addf(words, "--master_port=%" PRId64, nodes->port);
}

static void add_launcher(struct words *words, const struct mxt_command_request *request)
{
	if (request->launcher == MXT_LAUNCHER_ACCELERATE)
		add_accelerate(words, request);
	else if (request->launcher == MXT_LAUNCHER_TORCHRUN)
		add_torchrun(words, request);
}

/* ---- all of it ---- */

static void make_config(const struct mxt_command_request *request, struct mxt_buf *buf)
{
	const struct mxt_accelerate_config config = {
	    .nodes = request->nodes,
	    .processes = total(request),
	    .on_host = request->gpus == 0,
	    .precision = mxt_accelerate_precision(request->dtype),
	};
	if (request->launcher == MXT_LAUNCHER_ACCELERATE)
		mxt_accelerate_config_write(&config, buf);
}

static int make_words(const struct mxt_command_request *request, struct words *words, struct mxt_error *err)
{
	int rc = words_init(words, request->overrides, err);
	if (rc < 0)
		return rc;
	add(words, request->python);
	add_launcher(words, request);
	add_option(words, "-m", "axolotl.cli.train");
	add(words, request->config);
	for (char *const *word = request->overrides; word && *word; word++)
		add(words, *word);
	return words->failed ? mxt_error_oom(err) : 0;
}

static int refuse(const struct mxt_command_request *request, struct mxt_error *err)
{
	if (request->launcher == MXT_LAUNCHER_PYTHON && total(request) > 1)
		return mxt_error_set(err, -EINVAL, MXT_E_LAUNCH_COMMAND,
				     "--launcher python starts one process, and the plan is for %" PRId64,
				     total(request));
	if (request->gpus == 0 && request->nodes->count > 1)
		return mxt_error_set(
		    err, -ENOTSUP, MXT_E_LAUNCH_COMMAND,
		    "a training on hosts without GPUs is started on one node only, and these are %" PRId64,
		    request->nodes->count);
	return 0;
}

int mxt_command_line_make(const struct mxt_command_request *request, struct mxt_command_line *ret_line,
			  struct mxt_error *err)
{
	MXT_CLEANUP(words_finish) struct words words = {0};
	MXT_CLEANUP_BUF struct mxt_buf config = MXT_BUF_INIT;
	/* Behind a pipe Python keeps its output to itself for kilobytes; the log is to show the moment. */
	MXT_CLEANUP_JSON json_t *environment = json_pack("{s:s}", "PYTHONUNBUFFERED", "1");
	int rc = refuse(request, err);
	if (rc == 0)
		rc = make_words(request, &words, err);
	make_config(request, &config);
	if (rc == 0)
		rc = environment ? mxt_buf_status(&config, err) : mxt_error_oom(err);
	if (rc < 0)
		return rc;
	*ret_line = (struct mxt_command_line){mxt_steal_ptr(&words.items), config, mxt_steal_ptr(&environment)};
	words = (struct words){0};
	config = (struct mxt_buf)MXT_BUF_INIT;
	return 0;
}
