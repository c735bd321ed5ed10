/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "hash_files.h"
#include "scratch.h"
#include "tree.h"

static void make_file(const char *folder, const char *name, const char *text)
{
	free(mxt_scratch_write(folder, name, text));
}

static void make_folder(const char *folder, const char *name)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_return_code(mkdir(path, 0777), errno);
}

static void make_link(const char *folder, const char *name, const char *target)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_return_code(symlink(target, path), errno);
}

static int list_below(const char *folder, const char *name, struct mxt_file_list *ret_list, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *root = mxt_scratch_path(folder, name);
	return mxt_tree_list(&(struct mxt_tree_request){.root = root, .role = MXT_LIST_DATASET}, ret_list, err);
}

/* "path path ...": links with their text behind an arrow. */
static void expect_list(const struct mxt_file_list *list, const char *expected)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	for (size_t i = 0; i < list->count; i++) {
		const struct mxt_file_entry *entry = &list->entries[i];
		mxt_buf_printf(&text, "%s%s", i ? " " : "", entry->path);
		if (entry->kind == MXT_ENTRY_LINK)
			mxt_buf_printf(&text, "->%s", entry->target);
	}
	assert_string_equal(mxt_buf_text(&text), expected);
}

static int open_below(const char *root, const char *path)
{
	MXT_CLEANUP_CLOSE int root_fd = -1, fd MXT_CLEANUP_CLOSE = -1;
	assert_int_equal(mxt_tree_open_root(root, &root_fd, NULL), 0);
	return mxt_tree_open(root_fd, path, &fd);
}

static void test_lists_in_the_order_of_bytes(void **state)
{
	const char *root = *state;
	make_folder(root, "a");
	make_folder(root, "a/empty");
	make_file(root, "a/x", "12345");
	make_file(root, "a-b", "");
	make_file(root, "a.txt", "1");
	make_file(root, "B", "1");
	make_file(root, "\xff", "1");
	make_file(root, "-", "1");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, ".", &list, NULL), 0);
	expect_list(&list, "- B a-b a.txt a/x \xff");
	assert_string_equal(list.root, root);
	assert_int_equal(list.entries[4].size, 5);
	assert_int_equal(list.entries[4].seen.size, 5);
	assert_true(list.entries[4].seen.inode != 0);
	assert_int_equal(mxt_file_list_bytes(&list), 9);
	assert_false(list.single);
}

static void test_lists_links_and_never_follows_them(void **state)
{
	const char *root = *state;
	make_folder(root, "in");
	make_folder(root, "in/folder");
	make_file(root, "in/file", "1");
	make_file(root, "secret", "1");
	make_link(root, "in/up", "../secret");
	make_link(root, "in/there", "folder");
	make_link(root, "in/folder/back", "../file");
	make_link(root, "in/absolute", "/etc/passwd");
	make_link(root, "in/loop", "loop");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "in", &list, NULL), 0);
	expect_list(&list, "absolute->/etc/passwd file folder/back->../file loop->loop there->folder up->../secret");
	assert_int_equal(list.outside_links, 2);
	MXT_CLEANUP_FREE char *in = mxt_scratch_path(root, "in");
	assert_int_equal(open_below(in, "file"), 0);
	assert_int_equal(open_below(in, "up"), -ELOOP);
	assert_int_equal(open_below(in, "there/back"), -ENOTDIR);
	assert_int_equal(open_below(in, "folder"), -EINVAL);
	assert_int_equal(open_below(in, "file/x"), -ENOTDIR);
	assert_int_equal(open_below(in, "none"), -ENOENT);
}

static void test_takes_a_root_that_is_a_link_or_a_file(void **state)
{
	const char *root = *state;
	make_folder(root, "real");
	make_file(root, "real/data.jsonl", "abc");
	make_link(root, "to_folder", "real");
	make_link(root, "to_file", "real/data.jsonl");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list folder = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "to_folder", &folder, NULL), 0);
	expect_list(&folder, "data.jsonl");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list file = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "to_file", &file, NULL), 0);
	expect_list(&file, "data.jsonl");
	assert_true(file.single);
	MXT_CLEANUP_FREE char *real = mxt_scratch_path(root, "real/data.jsonl");
	assert_string_equal(file.root, real);
	assert_int_equal(open_below(file.root, "data.jsonl"), 0);
}

static void test_leaves_out_the_record_and_what_is_asked(void **state)
{
	const char *root = *state;
	static const char *const record[] = {"manifest.json", "manifest.json.sig", "manifest.b3", ".mindxtrain-a1B2c3",
					     "manifest.dataset-2.b3"};
	static const char *const listed[] = {"manifest.txt", ".mindxtrain-a1B2c3d", "manifests.b3"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(record); i++)
		make_file(root, record[i], "");
	for (size_t i = 0; i < MXT_ARRAY_LEN(listed); i++)
		make_file(root, listed[i], "");
	make_folder(root, "sub");
	make_file(root, "sub/manifest.json", "");
	make_file(root, "sub/skip", "");
	make_folder(root, "out");
	make_file(root, "out/weights", "");
	make_folder(root, "manifest.folder.b3");
	make_file(root, "manifest.folder.b3/hidden", "");
	const char *const left_out[] = {"out", "sub/skip", NULL};
	MXT_CLEANUP_FILE_LIST struct mxt_file_list run = MXT_FILE_LIST_INIT;
	struct mxt_tree_request request = {.root = root, .role = MXT_LIST_RUN, .left_out = left_out};
	assert_int_equal(mxt_tree_list(&request, &run, NULL), 0);
	expect_list(&run, ".mindxtrain-a1B2c3d manifest.folder.b3/hidden manifest.txt manifests.b3 sub/manifest.json");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list dataset = MXT_FILE_LIST_INIT;
	request.role = MXT_LIST_DATASET;
	assert_int_equal(mxt_tree_list(&request, &dataset, NULL), 0);
	assert_int_equal(dataset.count, run.count + MXT_ARRAY_LEN(record));
}

static void expect_refusal(const char *root, const char *name, enum mxt_error_id id, const char *says)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(list_below(root, name, &list, &err) < 0);
	assert_int_equal(err.id, id);
	if (!strstr(mxt_error_text(&err), says))
		fail_msg("no \"%s\" in: %s", says, mxt_error_text(&err));
}

static void make_socket(const char *folder, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	MXT_CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_return_code(snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, name), errno);
	assert_return_code(bind(fd, (struct sockaddr *)&address, sizeof address), errno);
}

static void test_names_what_cannot_be_hashed(void **state)
{
	const char *root = *state;
	make_folder(root, "fifo");
	MXT_CLEANUP_FREE char *fifo = mxt_scratch_path(root, "fifo/pipe");
	assert_return_code(mkfifo(fifo, 0600), errno);
	expect_refusal(root, "fifo", MXT_E_TREE_KIND, "fifo/pipe: a FIFO");
	expect_refusal(root, "fifo/pipe", MXT_E_TREE_KIND, "fifo/pipe: a FIFO");
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(root, "fifo");
	assert_int_equal(open_below(folder, "pipe"), -EINVAL);
	make_folder(root, "socket");
	MXT_CLEANUP_FREE char *sockets = mxt_scratch_path(root, "socket");
	make_socket(sockets, "s");
	expect_refusal(root, "socket", MXT_E_TREE_KIND, "socket/s: a socket");
	expect_refusal("/dev", "null", MXT_E_TREE_KIND, "/dev/null: a device");
	make_folder(root, "lines");
	make_file(root, "lines/a\nb", "");
	expect_refusal(root, "lines", MXT_E_LIST_PATH, "lines/a?b");
	expect_refusal(root, "none", MXT_E_TREE_READ, "none");
}

static void test_names_an_unreadable_folder(void **state)
{
	const char *root = *state;
	if (geteuid() == 0)
		skip(); /* root reads it all the same */
	make_folder(root, "shut");
	MXT_CLEANUP_FREE char *shut = mxt_scratch_path(root, "shut");
	assert_return_code(chmod(shut, 0), errno);
	expect_refusal(root, ".", MXT_E_TREE_READ, "shut");
	assert_return_code(chmod(shut, 0700), errno);
}

/* Folders in each other until their path is longer than PATH_MAX; the deepest one's descriptor. */
static int dig(const char *root, const char *name, size_t levels, struct mxt_buf *path)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < levels; i++) {
		assert_return_code(mkdirat(fd, name, 0777), errno);
		int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_return_code(below, errno);
		(void)close(fd);
		fd = below;
		mxt_buf_printf(path, "%s/", name);
	}
	return fd;
}

/* And away again: what removes the scratch folder goes by whole paths. */
static void undig(int fd, const char *name, size_t levels)
{
	MXT_CLEANUP_CLOSE int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (levels > 1)
		undig(below, name, levels - 1);
	else
		assert_return_code(unlinkat(below, "file", 0), errno);
	assert_return_code(unlinkat(fd, name, AT_REMOVEDIR), errno);
}

static void expect_deep(const char *root, const char *name, size_t levels)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_CLOSE int folder = dig(root, name, levels, &path);
	MXT_CLEANUP_CLOSE int file = openat(folder, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_return_code(file, errno);
	mxt_buf_puts(&path, "file");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(mxt_tree_list(&(struct mxt_tree_request){.root = root}, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.entries[0].path, mxt_buf_text(&path));
	assert_int_equal(open_below(root, list.entries[0].path), 0);
	MXT_CLEANUP_CLOSE int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	undig(root_fd, name, levels);
}

static void test_goes_beyond_path_max(void **state)
{
	char name[201] = {0};
	memset(name, 'n', sizeof name - 1);
	expect_deep(*state, name, PATH_MAX / 200 + 2);
}

static void test_goes_deeper_than_descriptors(void **state)
{
	struct rlimit few, usual;
	assert_return_code(getrlimit(RLIMIT_NOFILE, &usual), errno);
	few = usual;
	few.rlim_cur = 40;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_CLOSE int folder = dig(*state, "d", 100, &path);
	MXT_CLEANUP_CLOSE int file = openat(folder, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_return_code(file, errno);
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_return_code(setrlimit(RLIMIT_NOFILE, &few), errno);
	int rc = list_below(*state, ".", &list, NULL);
	assert_return_code(setrlimit(RLIMIT_NOFILE, &usual), errno);
	assert_int_equal(rc, 0);
	assert_int_equal(list.count, 1);
}

static void test_lists_hard_links_as_files(void **state)
{
	const char *root = *state;
	MXT_CLEANUP_FREE char *first = mxt_scratch_write(root, "first", "same");
	MXT_CLEANUP_FREE char *second = mxt_scratch_path(root, "second");
	assert_return_code(link(first, second), errno);
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, ".", &list, NULL), 0);
	expect_list(&list, "first second");
	assert_true(mxt_file_identity_equal(&list.entries[0].seen, &list.entries[1].seen));
}

static void make_hub_cache(const char *root)
{
	static const char *const folders[] = {"models--a--b", "models--a--b/blobs", "models--a--b/snapshots",
					      "models--a--b/snapshots/r", "models--a--b/snapshots/r/sub"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders); i++)
		make_folder(root, folders[i]);
	make_file(root, "models--a--b/blobs/0123", "blob");
	make_file(root, "models--a--b/other", "other");
	make_link(root, "models--a--b/blobs/link", "../other");
	make_link(root, "models--a--b/snapshots/r/config.json", "../../blobs/0123");
	make_link(root, "models--a--b/snapshots/r/sub/deep", "../../../blobs/0123");
	make_link(root, "models--a--b/snapshots/r/wrong_depth", "../../../blobs/0123");
	make_link(root, "models--a--b/snapshots/r/gone", "../../blobs/4567");
	make_link(root, "models--a--b/snapshots/r/other", "../../other");
	make_link(root, "models--a--b/snapshots/r/twice", "../../blobs/link");
	make_link(root, "models--a--b/snapshots/r/climbs", "../../blobs/../other");
}

static void test_takes_blobs_of_the_hub_cache_for_files(void **state)
{
	const char *root = *state;
	make_hub_cache(root);
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "models--a--b/snapshots/r", &list, NULL), 0);
	expect_list(&list, "climbs->../../blobs/../other config.json gone->../../blobs/4567 other->../../other "
			   "sub/deep twice->../../blobs/link wrong_depth->../../../blobs/0123");
	assert_int_equal(mxt_file_list_find(&list, "config.json")->size, 4);
	assert_int_equal(list.outside_links, 5);
	assert_int_equal(open_below(list.root, "config.json"), 0);
	assert_int_equal(open_below(list.root, "sub/deep"), 0);
	assert_int_equal(open_below(list.root, "other"), -ELOOP);
	assert_int_equal(open_below(list.root, "climbs"), -ELOOP);
	MXT_CLEANUP_FILE_LIST struct mxt_file_list below = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "models--a--b/snapshots/r/sub", &below, NULL), 0);
	expect_list(&below, "deep");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list above = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "models--a--b/snapshots", &above, NULL), 0);
	assert_int_equal(mxt_file_list_find(&above, "r/config.json")->kind, MXT_ENTRY_LINK);
}

/* The same links, but no snapshot that they lie in. */
static void test_follows_no_link_to_blobs_elsewhere(void **state)
{
	const char *root = *state;
	make_folder(root, "blobs");
	make_folder(root, "data");
	make_folder(root, "data/r");
	make_file(root, "blobs/0123", "blob");
	make_link(root, "data/r/file", "../../blobs/0123");
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(list_below(root, "data/r", &list, NULL), 0);
	expect_list(&list, "file->../../blobs/0123");
}

/* Exchanges a folder and a link out of the tree, again and again. */
struct swapper {
	const char *folder, *link;
	atomic_bool ends;
};

static void *swap(void *context)
{
	struct swapper *swapper = context;
	while (!atomic_load(&swapper->ends))
		(void)renameat2(AT_FDCWD, swapper->folder, AT_FDCWD, swapper->link, RENAME_EXCHANGE);
	return NULL;
}

/* Whatever a listing and an opening come to, nothing that lies outside is in it. */
static void expect_no_way_out(const char *in, size_t rounds)
{
	MXT_CLEANUP_CLOSE int root_fd = -1;
	assert_int_equal(mxt_tree_open_root(in, &root_fd, NULL), 0);
	for (size_t i = 0; i < rounds; i++) {
		MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
		MXT_CLEANUP_CLOSE int fd = -1;
		int rc = mxt_tree_list(&(struct mxt_tree_request){.root = in}, &list, NULL);
		assert_true(rc == 0 || rc == -ESTALE);
		for (size_t j = 0; j < list.count; j++)
			assert_null(strstr(list.entries[j].path, "secret"));
		assert_true(mxt_tree_open(root_fd, "a/secret", &fd) < 0);
	}
}

static void test_is_not_led_out_while_folders_are_swapped(void **state)
{
	const char *root = *state;
	make_folder(root, "out");
	make_folder(root, "out/below");
	make_file(root, "out/secret", "1");
	make_file(root, "out/below/secret", "1");
	make_folder(root, "in");
	make_folder(root, "in/a");
	make_folder(root, "in/a/below");
	make_file(root, "in/a/below/file", "1");
	make_link(root, "in/b", "../out");
	MXT_CLEANUP_FREE char *in = mxt_scratch_path(root, "in");
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(root, "in/a");
	MXT_CLEANUP_FREE char *link = mxt_scratch_path(root, "in/b");
	if (renameat2(AT_FDCWD, folder, AT_FDCWD, link, RENAME_EXCHANGE) < 0)
		skip(); /* not every file system can */
	struct swapper swapper = {.folder = folder, .link = link};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, swap, &swapper), 0);
	expect_no_way_out(in, 500);
	atomic_store(&swapper.ends, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void passes_nothing(void *context, const char *path, const struct mxt_error *err)
{
	(void)context;
	fail_msg("%s: %s", path, mxt_error_text(err));
}

static bool never(void *context, const struct mxt_hash_progress *progress)
{
	(void)context;
	(void)progress;
	return false;
}

/* Also where single failures are passed over. */
static void test_ends_when_told(void **state)
{
	make_file(*state, "file", "1");
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	const struct mxt_hash_watch watch = {never, NULL};
	const struct mxt_tree_request request = {.root = *state, .passes_over = passes_nothing, .watch = &watch};
	assert_int_equal(mxt_tree_list(&request, &list, &err), -ECANCELED);
	assert_int_equal(err.id, MXT_E_INTERRUPTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(lists_in_the_order_of_bytes),
	    TEST(lists_links_and_never_follows_them),
	    TEST(takes_a_root_that_is_a_link_or_a_file),
	    TEST(leaves_out_the_record_and_what_is_asked),
	    TEST(names_what_cannot_be_hashed),
	    TEST(names_an_unreadable_folder),
	    TEST(goes_beyond_path_max),
	    TEST(goes_deeper_than_descriptors),
	    TEST(is_not_led_out_while_folders_are_swapped),
	    TEST(lists_hard_links_as_files),
	    TEST(ends_when_told),
	    TEST(takes_blobs_of_the_hub_cache_for_files),
	    TEST(follows_no_link_to_blobs_elsewhere),
	};
	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
