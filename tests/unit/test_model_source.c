/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"
#include "hub_cache.h"
#include "model_source.h"
#include "scratch.h"

static const char config[] = "{\"model_type\":\"llama\",\"hidden_size\":64,\"intermediate_size\":256,"
			     "\"num_attention_heads\":4,\"num_hidden_layers\":2,\"vocab_size\":1000}";

static void make_folders(const char *root, const char *below)
{
	struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", root, below);
	for (char *slash = path.data + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(mkdir(path.data, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	assert_true(mkdir(path.data, 0700) == 0 || errno == EEXIST);
	mxt_buf_finish(&path);
}

/* A cache as huggingface_hub leaves it: the snapshot's file is a link to a blob. */
static void make_cache(const char *root, const char *hub)
{
	struct mxt_buf below = MXT_BUF_INIT;
	mxt_buf_printf(&below, "%s/models--org--name/", hub);
	size_t base = below.len;
	static const char *const folders[] = {"refs", "blobs", "snapshots/0123abc"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders); i++) {
		mxt_buf_truncate(&below, base);
		mxt_buf_puts(&below, folders[i]);
		make_folders(root, below.data);
	}
	static const struct {
		const char *name, *text;
	} files[] = {{"refs/main", "0123abc\n"}, {"refs/evil", "../../../../etc"}, {"blobs/b10b", config}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(files); i++) {
		mxt_buf_truncate(&below, base);
		mxt_buf_puts(&below, files[i].name);
		free(mxt_scratch_write(root, below.data, files[i].text));
	}
	mxt_buf_truncate(&below, base);
	mxt_buf_puts(&below, "snapshots/0123abc/config.json");
	char *link = mxt_scratch_path(root, below.data);
	assert_int_equal(symlink("../../blobs/b10b", link), 0);
	free(link);
	mxt_buf_finish(&below);
}

struct place {
	const char *variable; /* what points to the scratch folder */
	const char *hub;      /* where the cache is below it */
};

static void the_cache_is_found_where_its_variables_say(void **state)
{
	const char *root = *state;
	static const struct place places[] = {
	    {"HF_HUB_CACHE", ""},
	    {"HUGGINGFACE_HUB_CACHE", ""},
	    {"HF_HOME", "hub"},
	    {"XDG_CACHE_HOME", "huggingface/hub"},
	    {"HOME", ".cache/huggingface/hub"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(places); i++) {
		struct mxt_buf sub = MXT_BUF_INIT;
		struct mxt_buf entry = MXT_BUF_INIT;
		mxt_buf_printf(&sub, "%zu", i);
		mxt_buf_printf(&entry, "%s=%s/%zu", places[i].variable, root, i);
		mxt_buf_printf(&sub, "%s%s", places[i].hub[0] ? "/" : "", places[i].hub);
		make_cache(root, sub.data);
		char other[] = "LANG=C", empty[] = "HF_HUB_CACHE=";
		char *environment[] = {other, empty, entry.data, NULL};
		struct mxt_workload w = {.n_notes = 0};
		struct mxt_error err = MXT_ERROR_INIT;
		if (mxt_model_source_read("org/name", NULL, environment, &w, &err) < 0)
			fail_msg("%s: %s", places[i].variable, mxt_error_text(&err));
		assert_int_equal(w.model.vocab, 1000);
		assert_int_equal(mxt_model_source_read("org/name", "0123abc", environment, &w, &err), 0);
		mxt_workload_finish(&w);
		mxt_buf_finish(&sub);
		mxt_buf_finish(&entry);
	}
}

static void expect_not_found(const char *name, const char *revision, char *const *environment, const char *says)
{
	struct mxt_workload w = {.n_notes = 0};
	struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_model_source_read(name, revision, environment, &w, &err) < 0);
	if (err.id != MXT_E_MODEL_NOT_FOUND || !strstr(mxt_error_text(&err), says))
		fail_msg("%s: %s", name, mxt_error_text(&err));
	mxt_error_clear(&err);
}

static void what_is_not_there_says_where_it_was_looked_for(void **state)
{
	const char *root = *state;
	make_cache(root, "hub");
	struct mxt_buf entry = MXT_BUF_INIT;
	mxt_buf_printf(&entry, "HF_HOME=%s", root);
	char *environment[] = {entry.data, NULL};
	char *nowhere[] = {NULL};
	expect_not_found("org/other", NULL, environment, root);
	expect_not_found("org/other", NULL, environment, "hf download org/other config.json");
	expect_not_found("org/name", "v9", environment, "revision v9");
	expect_not_found("org/name", "evil", environment, "revision evil");
	expect_not_found("org/name", "../main", environment, "revision ../main");
	expect_not_found("org/name", NULL, nowhere, "neither HF_HOME nor HOME");
	expect_not_found("../../etc/nothing", NULL, environment, "cannot be an id");
	expect_not_found("", NULL, environment, "cannot be an id");
	expect_not_found("a/b/c", NULL, environment, "cannot be an id");
	expect_not_found("\x1b[2J", NULL, environment, "'?[2J'");
	mxt_buf_finish(&entry);
}

static void files_and_folders_are_read_in_place(void **state)
{
	const char *root = *state;
	char *file = mxt_scratch_write(root, "config.json", config);
	char *slash = mxt_scratch_path(root, "");
	const char *names[] = {file, root, slash};
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++) {
		struct mxt_workload w = {.n_notes = 0};
		assert_int_equal(mxt_model_source_read(names[i], NULL, NULL, &w, NULL), 0);
		assert_int_equal(w.model.hidden, 64);
		mxt_workload_finish(&w);
	}
	assert_int_equal(unlink(file), 0);
	struct mxt_workload w = {.n_notes = 0};
	struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_model_source_read(root, NULL, NULL, &w, &err) < 0);
	assert_int_equal(err.id, MXT_E_INPUT_FILE);
	mxt_error_clear(&err);
	free(file);
	free(slash);
}

static void presets_and_their_hub_ids_need_no_file(void **state)
{
	(void)state;
	static const char *const names[] = {"instella-3b", "amd/Instella-3B", "amd/Instella-3B-Instruct"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++) {
		struct mxt_workload w = {.n_notes = 0};
		assert_int_equal(mxt_model_source_read(names[i], NULL, NULL, &w, NULL), 0);
		assert_int_equal(w.model.hidden, 2560);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(the_cache_is_found_where_its_variables_say, mxt_scratch_setup,
					    mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(what_is_not_there_says_where_it_was_looked_for, mxt_scratch_setup,
					    mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(files_and_folders_are_read_in_place, mxt_scratch_setup,
					    mxt_scratch_teardown),
	    cmocka_unit_test(presets_and_their_hub_ids_need_no_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
