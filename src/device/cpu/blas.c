/* SPDX-License-Identifier: Apache-2.0 */
#include "blas.h"

#include <errno.h>
#include <string.h>

#include "error.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	MXT_DL_ROW(struct mxt_blas_calls, symbol, required, since)

static const struct mxt_dl_row cblas_rows[] = {
#include "cblas.def"
};

static const struct mxt_dl_row openblas_rows[] = {
#include "openblas.def"
};

static const struct mxt_dl_row blis_rows[] = {
#include "blis.def"
};

#undef MXT_DL_SYMBOL

/* What the two libraries answer in ways of their own. */
struct kind_ops {
	const struct mxt_dl_row *rows;
	size_t n_rows;
	bool (*wide_integers)(const struct mxt_blas_calls *call);
	int64_t (*threads)(const struct mxt_blas_calls *call);
	void (*set_threads)(const struct mxt_blas_calls *call, uint32_t threads);
	enum mxt_blas_threading (*threading)(const struct mxt_blas_calls *call);
	const char *(*core_type)(const struct mxt_blas_calls *call);
	void (*version)(const struct mxt_blas_calls *call, char ret_version[MXT_VERSION_SIZE]);
};

static bool openblas_wide_integers(const struct mxt_blas_calls *call)
{
	return strstr(call->openblas_get_config(), "USE64BITINT") != NULL;
}

static int64_t openblas_threads(const struct mxt_blas_calls *call)
{
	return call->openblas_get_num_threads();
}

static void openblas_set_threads(const struct mxt_blas_calls *call, uint32_t threads)
{
	call->openblas_set_num_threads((int)threads);
}

static enum mxt_blas_threading openblas_threading(const struct mxt_blas_calls *call)
{
	static const enum mxt_blas_threading kinds[] = {MXT_BLAS_SERIAL, MXT_BLAS_PTHREAD, MXT_BLAS_OPENMP};
	int parallel = call->openblas_get_parallel();
	return parallel >= 0 && parallel < (int)MXT_ARRAY_LEN(kinds) ? kinds[parallel] : MXT_BLAS_UNKNOWN;
}

static const char *openblas_core_type(const struct mxt_blas_calls *call)
{
	return call->openblas_get_corename();
}

static void openblas_version(const struct mxt_blas_calls *call, char ret_version[MXT_VERSION_SIZE])
{
	const char *config = call->openblas_get_config();
	if (!mxt_version_after(config, strlen(config), "OpenBLAS ", ret_version))
		memcpy(ret_version, "unknown", sizeof "unknown");
}

/* The low half is right whether the build's integers have 32 or 64 bits. */
static int32_t low_half(int64_t value)
{
	return (int32_t)(uint32_t)value;
}

static bool blis_wide_integers(const struct mxt_blas_calls *call)
{
	return low_half(call->bli_info_get_blas_int_type_size()) != 32;
}

/* -1 when nothing was set, which means one. */
static int64_t blis_threads(const struct mxt_blas_calls *call)
{
	return low_half(call->bli_thread_get_num_threads());
}

static void blis_set_threads(const struct mxt_blas_calls *call, uint32_t threads)
{
	call->bli_thread_set_num_threads(threads);
}

static enum mxt_blas_threading blis_threading(const struct mxt_blas_calls *call)
{
	if (low_half(call->bli_info_get_enable_openmp()))
		return MXT_BLAS_OPENMP;
	return low_half(call->bli_info_get_enable_pthreads()) ? MXT_BLAS_PTHREAD : MXT_BLAS_SERIAL;
}

static const char *blis_core_type(const struct mxt_blas_calls *call)
{
	return call->bli_arch_query_id && call->bli_arch_string ? call->bli_arch_string(call->bli_arch_query_id())
								: "unknown";
}

static void blis_version(const struct mxt_blas_calls *call, char ret_version[MXT_VERSION_SIZE])
{
	const char *version = call->bli_info_get_version_str();
	size_t len = strnlen(version, MXT_VERSION_SIZE - 1);
	memcpy(ret_version, version, len);
	ret_version[len] = '\0';
}

static const struct kind_ops kinds[MXT_BLAS_KIND_COUNT] = {
    [MXT_BLAS_OPENBLAS] =
	{
	    .rows = openblas_rows,
	    .n_rows = MXT_ARRAY_LEN(openblas_rows),
	    .wide_integers = openblas_wide_integers,
	    .threads = openblas_threads,
	    .set_threads = openblas_set_threads,
	    .threading = openblas_threading,
	    .core_type = openblas_core_type,
	    .version = openblas_version,
	},
    [MXT_BLAS_BLIS] =
	{
	    .rows = blis_rows,
	    .n_rows = MXT_ARRAY_LEN(blis_rows),
	    .wide_integers = blis_wide_integers,
	    .threads = blis_threads,
	    .set_threads = blis_set_threads,
	    .threading = blis_threading,
	    .core_type = blis_core_type,
	    .version = blis_version,
	},
};

/* Resolves the library's own symbols and asks it for its integers and threads. */
static int complete(const struct kind_ops *ops, struct mxt_blas *blas, struct mxt_error *err)
{
	const char *title = mxt_blas_title(blas->kind);
	const struct mxt_dl_library own = {title, NULL, ops->rows, ops->n_rows, false};
	int rc = mxt_dl_resolve(&blas->dl, &own, &blas->call, err);
	if (rc < 0)
		return rc;
	if (ops->wide_integers(&blas->call))
		return mxt_error_set(err, -ELIBBAD, MXT_E_LIBRARY_BROKEN,
				     "%s: %s was built with 64-bit integers; install the build with 32-bit ones", title,
				     blas->dl.file);
	int64_t threads = ops->threads(&blas->call);
	blas->threads = threads > 0 && threads <= UINT32_MAX ? (uint32_t)threads : 1;
	return 0;
}

int mxt_blas_load(enum mxt_blas_kind kind, const char *path, struct mxt_blas *ret_blas, struct mxt_error *err)
{
	const char *const names[] = {path, NULL};
	const struct mxt_dl_library library = {mxt_blas_title(kind), names, cblas_rows, MXT_ARRAY_LEN(cblas_rows),
					       false};
	struct mxt_blas blas = {.kind = kind};
	int rc = mxt_dl_open(&library, &blas.call, &blas.dl, err);
	if (rc < 0)
		return rc;
	rc = complete(&kinds[kind], &blas, err);
	if (rc < 0)
		mxt_blas_unload(&blas);
	else
		*ret_blas = blas;
	return rc;
}

void mxt_blas_unload(struct mxt_blas *blas)
{
	mxt_dl_close(&blas->dl);
	*blas = (struct mxt_blas)MXT_BLAS_INIT;
}

void mxt_blas_set_threads(const struct mxt_blas *blas, uint32_t threads)
{
	kinds[blas->kind].set_threads(&blas->call, threads);
}

json_t *mxt_blas_facts(const struct mxt_blas *blas)
{
	const struct kind_ops *ops = &kinds[blas->kind];
	char version[MXT_VERSION_SIZE];
	ops->version(&blas->call, version);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "library", mxt_blas_name(blas->kind), "file", blas->dl.file,
			 "version", version, "core_type", ops->core_type(&blas->call), "threading",
			 mxt_blas_threading_name(ops->threading(&blas->call)), "threads", (json_int_t)blas->threads);
}
