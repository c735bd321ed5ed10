/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_libraries.h"

#include <string.h>

#include "lt_library.h"
#include "rocblas_api.h"

#define REVISION_BYTES 256 /* hipBLASLt's own programs have room for 128 */

/* Ends at the first character that is none. */
static void keep_text(char text[REVISION_BYTES])
{
	size_t len = 0;
	while (len < REVISION_BYTES - 1 && text[len] > ' ' && text[len] <= '~')
		len++;
	text[len] = '\0';
}

/* What is there but does not work says so when it is used. */
static json_t *hipblaslt(void)
{
	struct mxt_lt_library lt;
	char revision[REVISION_BYTES] = "";
	int version = 0;
	if (mxt_lt_library_open(&lt, &mxt_hipblaslt, NULL) < 0)
		return json_null();
	int status = lt.call.hipblas_version(lt.handle, &version);
	if (status == 0 && lt.call.hipblas_revision)
		status = lt.call.hipblas_revision(lt.handle, revision);
	mxt_lt_library_close(&lt);
	keep_text(revision);
	return status == 0 ? json_pack("{s:i, s:s}", "version", version, "revision", revision) : json_null();
}

static json_t *rocblas(void)
{
	static const char title[] = "rocBLAS ";
	struct mxt_rocblas library;
	if (mxt_rocblas_open(&library, false, NULL) < 0)
		return json_null();
	const char *version = library.version;
	if (strncmp(version, title, sizeof title - 1) == 0)
		version += sizeof title - 1;
	json_t *row = json_pack("{s:s}", "version", version);
	mxt_rocblas_close(&library);
	return row;
}

/* Takes the reference. A null is left out. */
static int add(json_t *libraries, const char *name, json_t *row)
{
	if (!json_is_null(row))
		return json_object_set_new(libraries, name, row);
	json_decref(row);
	return 0;
}

json_t *mxt_hip_libraries(const char *arch, int hip_version, bool products)
{
	json_t *libraries = json_pack("{s:s, s:{s:i}}", "arch", arch, "hip", "version", hip_version);
	if (!libraries || !products)
		return libraries;
	if (add(libraries, "hipblaslt", hipblaslt()) == 0 && add(libraries, "rocblas", rocblas()) == 0)
		return libraries;
	json_decref(libraries);
	return NULL;
}
