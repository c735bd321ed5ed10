/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real torches that scripts/fetch-torch.sh keeps, for tests that load one.
 */
#ifndef MXT_TESTS_REAL_TORCH_H
#define MXT_TESTS_REAL_TORCH_H

enum real_torch { REAL_TORCH_OLDEST, REAL_TORCH_NEWEST };

/*
 * The folder of a virtual environment with that torch, as --python takes it; the caller frees. Where it is not there
 * the calling test is skipped: before it owns anything.
 */
char *real_torch_environment(enum real_torch which);

/* environment + "/lib/python3.11/site-packages/" + name; the caller frees. Skips as above. */
char *real_torch_file(enum real_torch which, const char *name);

#endif
