/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_settings.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "rocm_libraries.h"
#include "sysroot.h"
#include "torch_library.h"

struct settings {
#define MXT_TORCH_SETTING_SYMBOL(type, member, symbol, arguments, required, since) type(*member) arguments;
#include "torch_abi.def"
#undef MXT_TORCH_SETTING_SYMBOL
};

static const struct mxt_dl_row setting_rows[] = {
#define MXT_TORCH_SETTING_SYMBOL(type, member, symbol, arguments, required, since)                                     \
	{symbol, offsetof(struct settings, member), required, since},
#include "torch_abi.def"
#undef MXT_TORCH_SETTING_SYMBOL
};

static int settings_find(const struct mxt_torch *torch, struct settings *ret_settings, struct mxt_error *err)
{
	const struct mxt_dl_library library = {
	    .title = "torch", .rows = setting_rows, .n_rows = MXT_ARRAY_LEN(setting_rows)};
	return mxt_dl_resolve(&torch->cpu_library, &library, ret_settings, err);
}

int mxt_torch_be_deterministic(const struct mxt_torch *torch, struct mxt_error *err)
{
	struct settings settings;
	int rc = settings_find(torch, &settings, err);
	if (rc < 0)
		return mxt_error_wrap(err, rc, "torch %s cannot be told to be deterministic", torch->version.version);
	void *context = settings.global_context();
	settings.set_deterministic(context, true, false);
	if (settings.is_deterministic(context))
		return 0;
	return mxt_error_set(err, -ELIBBAD, MXT_E_LIBRARY_BROKEN,
			     "torch %s did not take the setting of deterministic algorithms", torch->version.version);
}

/* Values of at::ROCmFABackend, a signed byte. */
enum { FA_DEFAULT, FA_AOTRITON, FA_CK };

/* A torch that does not check the setting says what it was told, and takes AOTriton where it has no CK. */
static const char *unchecked_fa(const struct mxt_torch *torch, int8_t told)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	enum mxt_rocm_answer has = MXT_ROCM_YES;
	if (told == FA_CK && torch->backend == MXT_TORCH_HIP &&
	    mxt_rocm_ck_attention(&live, torch->gpu_library.file, &has, NULL) < 0)
		return "";
	if (told == FA_CK)
		return has == MXT_ROCM_YES ? "ck" : has == MXT_ROCM_NO ? "aotriton" : "";
	return told == FA_DEFAULT || told == FA_AOTRITON ? "aotriton" : "";
}

const char *mxt_torch_fa_library(const struct mxt_torch *torch)
{
	static const char *const names[] = {[FA_DEFAULT] = "aotriton", [FA_AOTRITON] = "aotriton", [FA_CK] = "ck"};
	struct settings settings;
	if (settings_find(torch, &settings, NULL) < 0)
		return "";
	void *context = settings.global_context();
	if (!settings.preferred_fa)
		return settings.told_fa ? unchecked_fa(torch, settings.told_fa(context)) : "";
	int8_t value = settings.preferred_fa(context);
	return value >= 0 && (size_t)value < MXT_ARRAY_LEN(names) ? names[value] : "";
}

const char *mxt_torch_blas_library(const struct mxt_torch *torch)
{
	/* Values of at::BlasBackend, a signed byte: Default, Cublas, Cublaslt; Ck comes from no environment. */
	static const char *const names[][3] = {{"", "cublas", "cublaslt"}, {"", "rocblas", "hipblaslt"}};
	struct settings settings;
	if (settings_find(torch, &settings, NULL) < 0 || !settings.preferred_blas)
		return "";
	int8_t value = settings.preferred_blas(settings.global_context());
	return value >= 0 && (size_t)value < MXT_ARRAY_LEN(names[0]) ? names[torch->backend == MXT_TORCH_HIP][value]
								     : "";
}
