/* SPDX-License-Identifier: Apache-2.0 */
#include "lt_library.h"

#include <errno.h>

#include "loaded_libraries.h"

int mxt_lt_library_refused(const struct mxt_lt_library *lt, int status, int rc, const char *what, struct mxt_error *err)
{
	const char *text = lt->call.cublas_status_text ? lt->call.cublas_status_text(status) : "status";
	return mxt_error_set(err, rc, lt->dialect->refused, "%s cannot %s: %s (%d)", lt->dialect->title, what, text,
			     status);
}

int mxt_lt_library_open(struct mxt_lt_library *ret_lt, const struct mxt_lt_dialect *dialect, struct mxt_error *err)
{
	struct mxt_lt_library lt = {.dialect = dialect};
	int rc = mxt_loaded_library_open(dialect->file, dialect->title, dialect->rows, dialect->n_rows, &lt.call,
					 &lt.library, err);
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
