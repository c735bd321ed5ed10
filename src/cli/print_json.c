/* SPDX-License-Identifier: Apache-2.0 */
#include "print_json.h"

#include "buf.h"
#include "error.h"
#include "json.h"

int mxt_print_buf(FILE *out, const struct mxt_buf *buf, struct mxt_error *err)
{
	int rc = mxt_buf_status(buf, err);
	if (rc == 0)
		(void)fwrite(mxt_buf_text(buf), 1, buf->len, out);
	return rc;
}

int mxt_print_json(FILE *out, json_t *object, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *owned = object;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = owned ? mxt_json_canonical(owned, &buf, err) : mxt_error_oom(err);
	if (rc < 0)
		return rc;
	mxt_buf_putc(&buf, '\n');
	return mxt_print_buf(out, &buf, err);
}
