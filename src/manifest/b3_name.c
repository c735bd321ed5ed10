/* SPDX-License-Identifier: Apache-2.0 */
#include "b3_name.h"

#include "affix.h"
#include "buf.h"
#include "manifest.h"

/* How many of the lists before number `end` have this role. */
static size_t count_role(const struct mxt_manifest *manifest, enum mxt_list_role role, size_t end)
{
	size_t count = 0;
	for (size_t i = 0; i < end; i++)
		count += mxt_manifest_list(manifest, i)->role == role;
	return count;
}

void mxt_list_label(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf)
{
	enum mxt_list_role role = mxt_manifest_list(manifest, list)->role;
	mxt_buf_puts(buf, mxt_list_role_name(role));
	if (count_role(manifest, role, mxt_manifest_n_lists(manifest)) > 1)
		mxt_buf_printf(buf, "-%zu", count_role(manifest, role, list) + 1);
}

void mxt_b3_name(const struct mxt_manifest *manifest, size_t list, struct mxt_buf *buf)
{
	enum mxt_list_role role = mxt_manifest_list(manifest, list)->role;
	size_t before = count_role(manifest, role, list);
	mxt_buf_puts(buf, "manifest");
	if (role != MXT_LIST_RUN)
		mxt_buf_printf(buf, ".%s", mxt_list_role_name(role));
	if (before > 0)
		mxt_buf_printf(buf, "-%zu", before + 1);
	mxt_buf_puts(buf, ".b3");
}

bool mxt_b3_is_name(const char *name)
{
	return mxt_has_prefix(name, "manifest.") && mxt_has_suffix(name, ".b3");
}
