/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where libraries keep what they tune, and what has appeared there since a run began.
 */
#include "caches.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "cache_place.h"
#include "cache_walk.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "scratch.h"

/* ---- places ---- */

struct place_case {
	const char *set[3]; /* beside HOME=/home/me and USER=me */
	const char *cache, *folder, *pattern;
};

static const struct place_case places[] = {
    {{NULL}, "triton", "/home/me/.triton/cache", NULL},
    {{"TRITON_HOME=/t"}, "triton", "/t/.triton/cache", NULL},
    {{"TRITON_HOME=/t", "TRITON_CACHE_DIR=/c"}, "triton", "/c", NULL},
    {{"TRITON_CACHE_DIR="}, "triton", "/home/me/.triton/cache", NULL},
    {{NULL}, "inductor", "/tmp/torchinductor_me", NULL},
    {{"TMPDIR=/fast", "LOGNAME=a:b/c"}, "inductor", "/fast/torchinductor_a_b_c", NULL},
    {{"TORCHINDUCTOR_CACHE_DIR=rel"}, "inductor", "rel", NULL},
    {{NULL}, "miopen", "/home/me/.config/miopen", NULL},
    {{"MIOPEN_CUSTOM_CACHE_DIR=/k"}, "miopen kernels", "/k", NULL},
    {{NULL}, "tunableop", ".", "tunableop_results*.csv"},
    {{"PYTORCH_TUNABLEOP_FILENAME=/run/r%d.csv"}, "tunableop", "/run", "r*.csv"},
    {{"PYTORCH_TUNABLEOP_FILENAME=/a[1]*.d.csv"}, "tunableop", "/", "a\\[1\\]\\*.d*.csv"},
    {{"HIPBLASLT_TUNING_CACHE_PATH=tuned"}, "hipblaslt", ".", "tuned*"},
    {{NULL}, "hipblaslt", NULL, NULL},
    {{NULL}, "cuda", "/home/me/.nv/ComputeCache", NULL},
    {{NULL}, "aiter", "/home/me/.aiter/jit", NULL},
};

static void finish_all(struct mxt_cache_place *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mxt_cache_place_finish(&found[i]);
}

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		char *environment[] = {(char *)"HOME=/home/me",  (char *)"USER=me",        (char *)places[i].set[0],
				       (char *)places[i].set[1], (char *)places[i].set[2], NULL};
		struct mxt_cache_place found[MXT_CACHE_PLACE_MAX];
		const struct mxt_cache_place *place = NULL;
		size_t count = 0;
		assert_int_equal(mxt_cache_places_find(environment, found, &count, NULL), 0);
		for (size_t k = 0; k < count; k++)
			place = strcmp(found[k].cache, places[i].cache) == 0 ? &found[k] : place;
		assert_int_equal(place != NULL, places[i].folder != NULL);
		if (place) {
			assert_string_equal(place->folder, places[i].folder);
			assert_string_equal(place->pattern ? place->pattern : "-",
					    places[i].pattern ? places[i].pattern : "-");
		}
		finish_all(found, count);
	}
}

static void test_choices(void **state)
{
	(void)state;
	static const struct {
		const char *cache, *path;
		bool tunes;
	} cases[] = {
	    {"triton", "AB/matmul.autotune.json", true},
	    {"triton", "AB/matmul.json", false},
	    {"inductor", "ab/c.best_config", true},
	    {"inductor", "cache/0123", true},
	    {"inductor", "ab/c.py", false},
	    {"miopen", "3.5/gfx942.HIP.ufdb.txt", true},
	    {"miopen", "gfx942.ukdb", false},
	    {"miopen kernels", "x.udb", false},
	    {"tunableop", "tunableop_results0.csv", true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct mxt_cache_place place = {cases[i].cache, mxt_cache_tuned_patterns(cases[i].cache), NULL,
						      NULL};
		assert_int_equal(mxt_cache_place_tunes(&place, cases[i].path), cases[i].tunes);
	}
}

/* ---- changes ---- */

static void make_folder(const char *folder, const char *name)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void put(const char *folder, const char *name)
{
	free(mxt_scratch_write(folder, name, "x"));
}

/* Until the times of files are surely later than those of what was made before. */
static void wait_a_tick(void)
{
	const struct timespec wait = {.tv_nsec = 30000000};
	assert_int_equal(nanosleep(&wait, NULL), 0);
}

static struct mxt_caches *open_in(const char *folder)
{
	MXT_CLEANUP_BUF struct mxt_buf triton = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf tunable = MXT_BUF_INIT;
	struct mxt_caches *caches = NULL;
	mxt_buf_printf(&triton, "HOME=%s", folder);
	mxt_buf_printf(&tunable, "PYTORCH_TUNABLEOP_FILENAME=%s/results.csv", folder);
	char *environment[] = {triton.data, tunable.data, (char *)"TMPDIR=/nowhere", NULL};
	assert_int_equal(mxt_caches_create(environment, &caches, NULL), 0);
	return caches;
}

static void expect(const struct mxt_caches *caches, const char *text)
{
	MXT_CLEANUP_JSON json_t *changes = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	size_t i;
	json_t *row;
	assert_int_equal(mxt_caches_changes(caches, &changes, NULL), 0);
	json_array_foreach(changes, i, row)
	{
		assert_int_equal(json_object_del(row, "path"), 0); /* a scratch folder's name */
	}
	assert_int_equal(mxt_json_canonical(changes, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), text);
}

static void test_changes(void **state)
{
	make_folder(*state, ".triton");
	make_folder(*state, ".triton/cache");
	make_folder(*state, ".triton/cache/OLD");
	put(*state, ".triton/cache/OLD/k.cubin");
	put(*state, "results0.csv");
	wait_a_tick();
	MXT_CLEANUP_CACHES struct mxt_caches *caches = open_in(*state);
	expect(caches, "[]");
	make_folder(*state, ".triton/cache/NEW");
	put(*state, ".triton/cache/NEW/k.cubin");
	put(*state, ".triton/cache/NEW/k.autotune.json");
	MXT_CLEANUP_FREE char *link = mxt_scratch_path(*state, ".triton/cache/link");
	assert_int_equal(symlink("OLD", link), 0);
	expect(caches, "[{\"cache\":\"triton\",\"examples\":[\"NEW/k.autotune.json\",\"NEW/k.cubin\"],\"new\":2,"
		       "\"tuned\":1}]");
}

static void test_files(void **state)
{
	put(*state, "results0.csv");
	MXT_CLEANUP_CACHES struct mxt_caches *caches = open_in(*state);
	put(*state, "other.csv");
	expect(caches, "[]"); /* also within the tick in which it was written */
	free(mxt_scratch_write(*state, "results0.csv", "xx"));
	put(*state, "results1.csv");
	MXT_CLEANUP_JSON json_t *changes = NULL;
	assert_int_equal(mxt_caches_changes(caches, &changes, NULL), 0);
	assert_int_equal(json_array_size(changes), 1);
	assert_int_equal(mxt_json_integer(json_array_get(changes, 0), "new"), 2);
	assert_int_equal(mxt_json_integer(json_array_get(changes, 0), "tuned"), 2);
}

static void test_added(void **state)
{
	MXT_CLEANUP_CACHES struct mxt_caches *caches = open_in(*state);
	MXT_CLEANUP_FREE char *jit = mxt_scratch_path(*state, "jit");
	assert_int_equal(mxt_caches_add(caches, "aiter", jit, NULL), 0);
	expect(caches, "[]");
	make_folder(*state, "jit");
	put(*state, "jit/module_a.so");
	expect(caches, "[{\"cache\":\"aiter\",\"examples\":[\"module_a.so\"],\"new\":1,\"tuned\":0}]");
}

/* ---- bounds ---- */

static int count(void *context, const char *path, const struct stat *st, struct mxt_error *err)
{
	(void)path;
	(void)st;
	(void)err;
	++*(size_t *)context;
	return 0;
}

static void test_bounds(void **state)
{
	size_t files = 0;
	bool partly = true;
	struct mxt_cache_walk walk = {*state, NULL, 1000, UINT64_MAX, count, &files};
	put(*state, "a");
	put(*state, "b");
	assert_int_equal(mxt_cache_walk(&walk, &partly, NULL), 0);
	assert_int_equal(files, 2);
	assert_false(partly);
	walk.most = 1;
	assert_int_equal(mxt_cache_walk(&walk, &partly, NULL), 0);
	assert_true(partly);
	MXT_CLEANUP_BUF struct mxt_buf deep = MXT_BUF_INIT;
	for (int i = 0; i < 20; i++) {
		mxt_buf_puts(&deep, i == 0 ? "d" : "/d");
		make_folder(*state, deep.data);
	}
	mxt_buf_puts(&deep, "/far");
	put(*state, deep.data);
	files = 0;
	walk.most = 1000;
	assert_int_equal(mxt_cache_walk(&walk, &partly, NULL), 0);
	assert_int_equal(files, 2);
	assert_true(partly);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_choices),
	    ROW(test_changes),
	    ROW(test_files),
	    ROW(test_added),
	    ROW(test_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
