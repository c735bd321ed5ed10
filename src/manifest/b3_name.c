/* SPDX-License-Identifier: Apache-2.0 */
#include "b3_name.h"

#include "buf.h"
#include "manifest.h"

void mxt_list_label(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf)
{
	enum mxt_list_role role = mxt_manifest_list(manifest, list)->role;
	size_t of_role = 0, number = 0;
	for (size_t i = 0; i < mxt_manifest_n_lists(manifest); i++) {
		of_role += mxt_manifest_list(manifest, i)->role == role;
		if (i == list)
			number = of_role;
	}
	mxt_buf_puts(buf, mxt_list_role_name(role));
	if (of_role > 1)
		mxt_buf_printf(buf, "-%zu", number);
}

void mxt_b3_name(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf)
{
	mxt_buf_puts(buf, "manifest.");
	if (mxt_manifest_list(manifest, list)->role != MXT_LIST_RUN) {
		mxt_list_label(manifest, list, buf);
		mxt_buf_putc(buf, '.');
	}
	mxt_buf_puts(buf, "b3");
}
