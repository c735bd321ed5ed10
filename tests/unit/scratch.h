/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scratch folder of a test's own, and small files in it.
 */
#ifndef MXT_TESTS_SCRATCH_H
#define MXT_TESTS_SCRATCH_H

#include <stddef.h>

/* cmocka fixtures: *state is the folder's path (char *). The teardown removes the folder and all that is in it. */
int mxt_scratch_setup(void **state);
int mxt_scratch_teardown(void **state);

/* Removes a folder and all that is in it; 0 when it is gone. */
int mxt_scratch_remove(const char *folder);

/* folder + "/" + name; the caller frees. A failed call here ends the test. */
char *mxt_scratch_path(const char *folder, const char *name);

/* Creates or overwrites a file; returns its path, which the caller frees. */
char *mxt_scratch_write(const char *folder, const char *name, const char *text);

/* The test fails unless the file holds exactly `text`. */
void mxt_scratch_expect(const char *path, const char *text);

/* Names in the folder, without . and .. */
size_t mxt_scratch_count(const char *folder);

#endif
