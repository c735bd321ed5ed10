/* SPDX-License-Identifier: Apache-2.0 */
#include "lt_library.h"

#include <errno.h>

#include "json.h"
#include "loaded_libraries.h"

int mxt_lt_library_refused(const struct mxt_lt_library *lt, int status, int rc, const char *what, struct mxt_error *err)
{
	const char *text = lt->call.cublas_status_text ? lt->call.cublas_status_text(status) : "status";
	return mxt_error_set(err, rc, lt->dialect->refused, "%s cannot %s: %s (%d)", lt->dialect->title, what, text,
			     status);
}

/* By the path of what is loaded: the loader's folders may hold another one of the same name. */
static int load(struct mxt_lt_library *lt, struct mxt_error *err)
{
	const struct mxt_lt_dialect *dialect = lt->dialect;
	MXT_CLEANUP_JSON json_t *loaded = mxt_loaded_libraries();
	const char *const names[] = {json_string_value(json_object_get(loaded, dialect->file)), NULL};
	const struct mxt_dl_library library = {
	    .title = dialect->title, .names = names, .rows = dialect->rows, .n_rows = dialect->n_rows, .global = false};
	if (!loaded)
		return mxt_error_oom(err);
	if (!names[0])
		return mxt_error_set(err, -ENOSYS, MXT_E_LIBRARY_ABSENT, "torch did not load %s", dialect->title);
	return mxt_dl_open(&library, &lt->call, &lt->library, err);
}

int mxt_lt_library_open(struct mxt_lt_library *ret_lt, const struct mxt_lt_dialect *dialect, struct mxt_error *err)
{
	struct mxt_lt_library lt = {.dialect = dialect};
	int rc = load(&lt, err);
	if (rc < 0)
		return rc;
	int status = lt.call.create(&lt.handle);
	if (status == 0)
		status = dialect->describe(&lt.call, lt.handle, lt.version, sizeof lt.version);
	if (status != 0) {
		rc = mxt_lt_library_refused(&lt, status, -EIO, "be used on this device", err);
		mxt_lt_library_close(&lt);
		return rc;
	}
	*ret_lt = lt;
	return 0;
}

void mxt_lt_library_close(struct mxt_lt_library *lt)
{
	if (lt->handle)
		(void)lt->call.destroy(lt->handle);
	mxt_dl_close(&lt->library);
	*lt = (struct mxt_lt_library){.handle = NULL};
}
