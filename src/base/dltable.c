/* SPDX-License-Identifier: Apache-2.0 */
#include "dltable.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"

_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "POSIX: dlsym() returns function pointers");

/* Libraries that start threads, or are run at exit, do not survive being unmapped: what is loaded stays. */
#define MODE (RTLD_NOW | RTLD_NODELETE)

/* A copy: any other call of the loader, also one in a preloaded library's access(), frees the loader's own text. */
static void dl_reason(struct mxt_buf *buf)
{
	const char *text = dlerror();
	mxt_buf_puts(buf, text ? text : "no reason given");
}

/*
 * Did dlopen(name) fail because no such file was found? For a name without a slash the loader names the file that it
 * could not find: the name itself, and not a dependency of it or the full path of a file that it could not use. The
 * words after it depend on the locale.
 */
static bool is_absent(const char *name, const char *reason)
{
	size_t len = strlen(name);
	if (strchr(name, '/'))
		return access(name, F_OK) < 0;
	return strncmp(reason, name, len) == 0 && reason[len] == ':';
}

/* The first of the library's names that is there; absent ones add to *reasons. */
static int open_any(const struct mxt_dl_library *library, struct mxt_buf *reasons, void **ret_handle,
		    struct mxt_error *err)
{
	for (const char *const *name = library->names; *name; name++) {
		void *handle = dlopen(*name, MODE | (library->global ? RTLD_GLOBAL : RTLD_LOCAL));
		if (handle) {
			*ret_handle = handle;
			return 0;
		}
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		dl_reason(&text);
		const char *reason = mxt_buf_text(&text);
		if (!is_absent(*name, reason))
			return mxt_error_set(err, -ELIBBAD, MXT_E_LIBRARY_BROKEN,
					     "%s is installed but cannot be loaded: %s; repair its installation",
					     library->title, reason);
		mxt_buf_printf(reasons, "%s%s", reasons->len ? ", " : "", *name);
	}
	return mxt_error_set(err, -ENOSYS, MXT_E_LIBRARY_ABSENT, "%s is not installed: looked for %s", library->title,
			     mxt_buf_text(reasons));
}

static char *file_of(void *handle)
{
	struct link_map *map = NULL;
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) < 0 || !map->l_name)
		return strdup("(unnamed)");
	return strdup(map->l_name);
}

int mxt_dl_resolve(const struct mxt_dl *dl, const struct mxt_dl_library *library, void *table, struct mxt_error *err)
{
	for (size_t i = 0; i < library->n_rows; i++) {
		const struct mxt_dl_row *row = &library->rows[i];
		void *symbol = dlsym(dl->handle, row->symbol);
		if (!symbol && row->required)
			return mxt_error_set(
			    err, -ELIBBAD, MXT_E_LIBRARY_BROKEN,
			    "%s: %s has no symbol %s, which is there since version %s; install a whole, newer one",
			    library->title, dl->file, row->symbol, row->since);
		memcpy((char *)table + row->offset, &symbol, sizeof symbol);
	}
	return 0;
}

int mxt_dl_open(const struct mxt_dl_library *library, void *table, struct mxt_dl *ret_dl, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf reasons = MXT_BUF_INIT;
	struct mxt_dl dl = MXT_DL_INIT;
	int rc = open_any(library, &reasons, &dl.handle, err);
	if (!dl.handle)
		return rc;
	dl.file = file_of(dl.handle);
	rc = dl.file ? mxt_dl_resolve(&dl, library, table, err) : mxt_error_oom(err);
	if (rc < 0)
		mxt_dl_close(&dl);
	else
		*ret_dl = dl;
	return rc;
}

void mxt_dl_close(struct mxt_dl *dl)
{
	if (dl->handle)
		(void)dlclose(dl->handle);
	free(dl->file);
	*dl = (struct mxt_dl)MXT_DL_INIT;
}
