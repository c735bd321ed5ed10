/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded_libraries.h"

#include <errno.h>
#include <link.h>
#include <string.h>

#include "dltable.h"
#include "error.h"
#include "json.h"

struct library_row {
	const char *name;
	const char *prefix; /* of the file's name */
};

static const struct library_row libraries[] = {
    {"aotriton", "libaotriton_v2.so"},
    {"cublas", "libcublas.so"},
    {"cublaslt", "libcublasLt.so"},
    {"cudart", "libcudart.so"},
    {"cudnn", "libcudnn.so"},
    {"hip", "libamdhip64.so"},
    {"hipblas", "libhipblas.so"},
    {"hipblaslt", "libhipblaslt.so"},
    {"hsa", "libhsa-runtime64.so"},
    {"miopen", "libMIOpen.so"},
    {"nccl", "libnccl.so"},
    {"nvrtc", "libnvrtc.so"},
    {"rccl", "librccl.so"},
    {"rocblas", "librocblas.so"},
};

struct search {
	json_t *found;
	int failed;
};

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	struct search *search = context;
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *file = slash ? slash + 1 : info->dlpi_name;
	for (size_t i = 0; i < MXT_ARRAY_LEN(libraries); i++)
		if (strncmp(file, libraries[i].prefix, strlen(libraries[i].prefix)) == 0)
			search->failed |=
			    json_object_set_new(search->found, libraries[i].name, json_string(info->dlpi_name));
	return 0;
}

json_t *mxt_loaded_libraries(void)
{
	struct search search = {.found = json_object()};
	if (search.found)
		(void)dl_iterate_phdr(look, &search);
	if (search.failed == 0)
		return search.found;
	json_decref(search.found);
	return NULL;
}

int mxt_loaded_library_open(const char *name, const char *title, const struct mxt_dl_row *rows, size_t n_rows,
			    void *table, struct mxt_dl *ret_library, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *loaded = mxt_loaded_libraries();
	const char *const names[] = {json_string_value(json_object_get(loaded, name)), NULL};
	const struct mxt_dl_library library = {
	    .title = title, .names = names, .rows = rows, .n_rows = n_rows, .global = false};
	if (!loaded)
		return mxt_error_oom(err);
	if (!names[0])
		return mxt_error_set(err, -ENOSYS, MXT_E_LIBRARY_ABSENT, "torch did not load %s", title);
	return mxt_dl_open(&library, table, ret_library, err);
}
