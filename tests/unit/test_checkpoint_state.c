/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints that are whole, cut at each of their files, or still being written. */
#include "checkpoint_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "scratch.h"

struct bytes_file {
	const char *name;
	const char *bytes;
	size_t len;
};

#define HEADER "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}   "
#define SHARD  "\x38\0\0\0\0\0\0\0" HEADER "data"
#define ZIP    "PK\3\4 content PK\5\6\0\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\0\0"
#define FILE_OF(name, bytes)                                                                                           \
	{                                                                                                              \
		name, bytes, sizeof(bytes) - 1                                                                         \
	}

/* What transformers leaves in checkpoint-N: names and forms, in small. */
static const struct bytes_file whole[] = {
    FILE_OF("checkpoint-10/model-00001-of-00002.safetensors", SHARD),
    FILE_OF("checkpoint-10/model-00002-of-00002.safetensors", SHARD),
    FILE_OF("checkpoint-10/model.safetensors.index.json",
	    "{\"metadata\":{\"total_size\":8.0},\"weight_map\":{\"a\":\"model-00001-of-00002.safetensors\","
	    "\"b\":\"model-00002-of-00002.safetensors\",\"c\":\"model-00002-of-00002.safetensors\"}}\n"),
    FILE_OF("checkpoint-10/optimizer.pt", ZIP),
    FILE_OF("checkpoint-10/training_args.bin", ZIP),
    FILE_OF("checkpoint-10/old.bin", "\x80\2pickle"),
    FILE_OF("checkpoint-10/trainer_state.json", "{\"global_step\": 10}\n"),
    FILE_OF("checkpoint-10/config.json", "{"), /* not looked at */
};

static void put(const char *folder, const char *name, const char *bytes, size_t len)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	MXT_CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
}

static void lay(const char *folder)
{
	MXT_CLEANUP_FREE char *checkpoint = mxt_scratch_path(folder, "checkpoint-10");
	(void)mkdir(checkpoint, 0755);
	for (size_t i = 0; i < MXT_ARRAY_LEN(whole); i++)
		put(folder, whole[i].name, whole[i].bytes, whole[i].len);
}

static void expect(const char *folder, enum mxt_error_id id, const char *words)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_checkpoint_check_folder(folder, &err);
	if (err.id != id || (rc < 0) != (id != MXT_E_NONE) || !strstr(mxt_error_text(&err), words))
		fail_msg("\"%s\" where \"%s\" was expected", mxt_error_text(&err), words);
}

static void takes_what_is_whole(void **state)
{
	expect(*state, MXT_E_NONE, ""); /* nothing is not a partial checkpoint */
	lay(*state);
	expect(*state, MXT_E_NONE, "");
	MXT_CLEANUP_FREE char *checkpoint = mxt_scratch_path(*state, "checkpoint-10");
	expect(checkpoint, MXT_E_NONE, "");
}

/* Each file but the two that say nothing, cut to each shorter length. */
static void refuses_every_cut(void **state)
{
	lay(*state);
	for (size_t i = 0; i < MXT_ARRAY_LEN(whole) - 1; i++) {
		if (strstr(whole[i].name, "old.bin"))
			continue;
		size_t len = whole[i].len;
		while (len > 0 && whole[i].bytes[len - 1] == '\n')
			len--; /* a last line feed is no part of an object */
		while (len-- > 0) {
			if (strstr(whole[i].name, ".pt") && len < 4 && len > 0)
				continue; /* too short to be known as an archive */
			if (strstr(whole[i].name, ".bin") && len < 4 && len > 0)
				continue;
			put(*state, whole[i].name, whole[i].bytes, len);
			expect(*state, MXT_E_CHECKPOINT_PARTIAL, whole[i].name);
		}
		put(*state, whole[i].name, whole[i].bytes, whole[i].len);
	}
	expect(*state, MXT_E_NONE, "");
}

struct damage {
	struct bytes_file file;
	enum mxt_error_id id;
	const char *words;
};

static void names_what_is_missing(void **state)
{
	static const struct damage damages[] = {
	    {FILE_OF("checkpoint-10/model.safetensors.index.json", "{\"weight_map\":{\"a\":\"gone.safetensors\"}}"),
	     MXT_E_CHECKPOINT_PARTIAL, "gone.safetensors"},
	    {FILE_OF("checkpoint-10/model.safetensors.index.json", "{\"weight_map\":{\"a\":\"../gone\"}}"),
	     MXT_E_CHECKPOINT_PARTIAL, "../gone"},
	    {FILE_OF("checkpoint-10/model.safetensors.index.json", "{\"weight_map\":{\"a\":3}}"),
	     MXT_E_CHECKPOINT_PARTIAL, "no text"},
	    {FILE_OF("checkpoint-10/model.safetensors.index.json", "{}"), MXT_E_NONE, ""},
	    {FILE_OF("checkpoint-10/optimizer.pt", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	     MXT_E_CHECKPOINT_PARTIAL, "zeros"},
	    {FILE_OF("checkpoint-10/model-00001-of-00002.safetensors", "\0\0\0\0\0\0\0\0\0\0\0\0"),
	     MXT_E_CHECKPOINT_PARTIAL, "model-00001-of-00002.safetensors"},
	    {FILE_OF("checkpoint-10/model-00001-of-00002.safetensors", SHARD "more"), MXT_E_SAFETENSORS,
	     "model-00001-of-00002.safetensors"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(damages); i++) {
		lay(*state);
		put(*state, damages[i].file.name, damages[i].file.bytes, damages[i].file.len);
		expect(*state, damages[i].id, damages[i].words);
	}
	lay(*state);
	MXT_CLEANUP_FREE char *shard = mxt_scratch_path(*state, whole[1].name);
	assert_int_equal(unlink(shard), 0);
	expect(*state, MXT_E_CHECKPOINT_PARTIAL, "model-00002-of-00002.safetensors");
	assert_int_equal(symlink("model-00001-of-00002.safetensors", shard),
			 0); /* it is there; links are not followed */
	expect(*state, MXT_E_NONE, "");
}

static void says_where_nothing_is(void **state)
{
	MXT_CLEANUP_FREE char *missing = mxt_scratch_path(*state, "missing");
	expect(missing, MXT_E_TREE_READ, "missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(takes_what_is_whole, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(refuses_every_cut, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(names_what_is_missing, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(says_where_nothing_is, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
