/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_packages.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"

struct package_row {
	const char *prefix; /* of the wheel's name; "_cu12" or nothing follows */
	size_t offset;
};

static const struct package_row packages[] = {
    {"nvidia_cudnn", offsetof(struct mxt_torch_packages, cudnn)},
    {"nvidia_cublas", offsetof(struct mxt_torch_packages, cublas)},
    {"nvidia_nccl", offsetof(struct mxt_torch_packages, nccl)},
};

/* "nvidia_cudnn_cu13-9.26.0.51.dist-info": where the version begins; NULL when the name is not the row's. */
static const char *version_of(const char *entry, const struct package_row *row, size_t *ret_len)
{
	static const char suffix[] = ".dist-info";
	size_t len = strlen(entry), prefix = strlen(row->prefix), end = sizeof suffix - 1;
	if (len < prefix + end || strncmp(entry, row->prefix, prefix) != 0 || strcmp(entry + len - end, suffix) != 0)
		return NULL;
	const char *dash = strchr(entry, '-');
	if (!dash || (entry[prefix] != '-' && strncmp(entry + prefix, "_cu", 3) != 0) || dash > entry + len - end)
		return NULL;
	*ret_len = (size_t)(entry + len - end - (dash + 1));
	return dash + 1;
}

static void take(struct mxt_torch_packages *found, const char *entry)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(packages); i++) {
		size_t len = 0;
		char text[MXT_TORCH_TEXT];
		char *out = (char *)found + packages[i].offset;
		const char *version = version_of(entry, &packages[i], &len);
		if (!version || len >= sizeof text)
			continue;
		(void)snprintf(text, sizeof text, "%.*s", (int)len, version);
		if (strcmp(text, out) > 0)
			memcpy(out, text, len + 1);
	}
}

int mxt_torch_packages_read(const char *folder, struct mxt_torch_packages *ret_packages, struct mxt_error *err)
{
	struct mxt_torch_packages found = {.cudnn = ""};
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/..", folder);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_DIR DIR *dir = opendir(mxt_buf_text(&path));
	const struct dirent *entry;
	while (dir && (entry = readdir(dir)) != NULL)
		take(&found, entry->d_name);
	*ret_packages = found;
	return 0;
}
