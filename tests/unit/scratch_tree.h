/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up machine in a scratch folder, for tests of readers that take a sysroot. Include after cmocka.h.
 */
#ifndef MXT_TESTS_SCRATCH_TREE_H
#define MXT_TESTS_SCRATCH_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "sysroot.h"

struct scratch_tree {
	char path[64];
	struct mxt_sysroot root; /* points to path */
};

static inline void scratch_tree_make(struct scratch_tree *tree)
{
	(void)snprintf(tree->path, sizeof tree->path, "/tmp/mxt-tree-XXXXXX");
	assert_non_null(mkdtemp(tree->path));
	tree->root = (struct mxt_sysroot){.prefix = tree->path};
}

static inline void scratch_tree_remove(struct scratch_tree *tree)
{
	assert_int_equal(mxt_scratch_remove(tree->path), 0);
}

/* Setup and teardown of a test whose *state is a tree of its own. */
static inline int scratch_tree_set_up(void **state)
{
	static struct scratch_tree tree;
	scratch_tree_make(&tree);
	*state = &tree;
	return 0;
}

static inline int scratch_tree_tear_down(void **state)
{
	scratch_tree_remove(*state);
	return 0;
}

/* prefix + path, with the folders above it made. */
static inline const char *scratch_tree_place(struct scratch_tree *tree, const char *path, char full[512])
{
	(void)snprintf(full, 512, "%s%s", tree->path, path);
	for (char *slash = full + strlen(tree->path) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(full, 0755);
	}
	return full;
}

static inline void scratch_tree_write_bytes(struct scratch_tree *tree, const char *path, const void *bytes, size_t len)
{
	char full[512];
	FILE *file = fopen(scratch_tree_place(tree, path, full), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static inline void scratch_tree_write(struct scratch_tree *tree, const char *path, const char *text)
{
	scratch_tree_write_bytes(tree, path, text, strlen(text));
}

static inline void scratch_tree_link(struct scratch_tree *tree, const char *path, const char *target)
{
	char full[512];
	assert_int_equal(symlink(target, scratch_tree_place(tree, path, full)), 0);
}

#endif
