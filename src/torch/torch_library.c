/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_library.h"

#include <dlfcn.h>
#include <errno.h>

#include "buf.h"
#include "error.h"
#include "file.h"
#include "number.h"
#include "rocm_preload.h"

static const struct mxt_dl_row cpu_rows[] = {
#define MXT_TORCH_SYMBOL(type, symbol, arguments, required, since)                                                     \
	MXT_DL_ROW(struct mxt_torch_abi, symbol, required, since)
#include "torch_abi.def"
#undef MXT_TORCH_SYMBOL
};

static const struct mxt_dl_row gpu_rows[] = {
#define MXT_TORCH_CUDA_SYMBOL(type, symbol, arguments, required, since)                                                \
	MXT_DL_ROW(struct mxt_torch_gpu_abi, symbol, required, since)
#include "torch_abi.def"
#undef MXT_TORCH_CUDA_SYMBOL
};

#define VERSION_FILE_MAX ((size_t)64 << 10)

/* "2.15.0+cu132" -> 2, 15; false when it does not begin like that. */
static bool parse_release(const char *text, unsigned *ret_major, unsigned *ret_minor)
{
	const char *end = NULL;
	uint64_t major = 0, minor = 0;
	if (mxt_parse_u64(text, &end, &major) < 0 || *end != '.' || mxt_parse_u64(end + 1, &end, &minor) < 0 ||
	    major > 99 || minor > 999)
		return false;
	*ret_major = (unsigned)major;
	*ret_minor = (unsigned)minor;
	return true;
}

static int no_torch(struct mxt_error *err)
{
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
			     "no torch was found; name the Python that trains: --python DIR/bin/python3");
}

int mxt_torch_check_version(const struct mxt_torch_version *version, const char *folder, struct mxt_error *err)
{
	unsigned major = 0, minor = 0;
	if (!folder)
		return no_torch(err);
	if (!parse_release(version->version, &major, &minor))
		return mxt_error_set(err, -ENODEV, MXT_E_TORCH_UNSUPPORTED,
				     "%s/version.py does not tell a version; install torch anew", folder);
	if (major > MXT_TORCH_OLDEST_MAJOR || (major == MXT_TORCH_OLDEST_MAJOR && minor >= MXT_TORCH_OLDEST_MINOR))
		return 0;
	return mxt_error_set(err, -ENODEV, MXT_E_TORCH_UNSUPPORTED,
			     "torch %s in %s is too old: its operators cannot be called from C before version %d.%d; "
			     "install a newer one",
			     version->version, folder, MXT_TORCH_OLDEST_MAJOR, MXT_TORCH_OLDEST_MINOR);
}

int mxt_torch_read_version(const char *folder, struct mxt_torch_version *ret_version, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (!folder)
		return no_torch(err);
	mxt_buf_printf(&path, "%s/version.py", folder);
	int rc = mxt_buf_status(&path, err);
	if (rc == 0)
		rc = mxt_file_read(mxt_buf_text(&path), VERSION_FILE_MAX, &text, err);
	if (rc < 0)
		return rc;
	struct mxt_torch_version version;
	mxt_torch_version_parse(mxt_buf_text(&text), &version);
	rc = mxt_torch_check_version(&version, folder, err);
	if (rc == 0)
		*ret_version = version;
	return rc;
}

/* The version that the library was built as: its interface's number holds it as 0xMMmm000000000000. */
static int check_abi(const struct mxt_torch *torch, const char *folder, struct mxt_error *err)
{
	unsigned major = 0, minor = 0;
	(void)parse_release(torch->version.version, &major, &minor); /* it was checked before */
	unsigned built_major = (unsigned)(torch->abi >> 56), built_minor = (unsigned)(torch->abi >> 48 & 0xff);
	if (built_major == major && built_minor == minor)
		return 0;
	return mxt_error_set(err, -ELIBBAD, MXT_E_TORCH_FOREIGN,
			     "%s says version %s in version.py, but its libtorch_cpu.so is of version %u.%u; remove "
			     "this torch and install it anew",
			     folder, torch->version.version, built_major, built_minor);
}

static int open_library(const char *folder, const char *file, const struct mxt_dl_library *what, void *table,
			struct mxt_dl *ret_dl, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/lib/%s", folder, file);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0)
		return rc;
	const char *const names[] = {mxt_buf_text(&path), NULL};
	struct mxt_dl_library library = *what;
	library.names = names;
	library.global = true;
	return mxt_dl_open(&library, table, ret_dl, err);
}

static int open_libraries(struct mxt_torch *torch, const char *folder, struct mxt_error *err)
{
	const struct mxt_dl_library cpu = {
	    .title = "torch", .rows = cpu_rows, .n_rows = MXT_ARRAY_LEN(cpu_rows), .global = true};
	static const struct {
		const char *title, *file;
	} gpus[] = {[MXT_TORCH_CUDA] = {"torch for CUDA", "libtorch_cuda.so"},
		    [MXT_TORCH_HIP] = {"torch for ROCm", "libtorch_hip.so"}};
	const struct mxt_dl_library gpu = {
	    .title = gpus[torch->backend].title, .rows = gpu_rows, .n_rows = MXT_ARRAY_LEN(gpu_rows), .global = true};
	int rc = open_library(folder, "libtorch_cpu.so", &cpu, &torch->call, &torch->cpu_library, err);
	if (rc != 0)
		return rc;
	torch->abi = torch->call.aoti_torch_abi_version();
	rc = check_abi(torch, folder, err);
	if (rc == 0 && torch->on_gpu)
		rc = open_library(folder, gpus[torch->backend].file, &gpu, &torch->gpu, &torch->gpu_library, err);
	return rc;
}

static void ask_numbers(struct mxt_torch *torch)
{
	const struct mxt_torch_abi *call = &torch->call;
	torch->device_type = torch->on_gpu ? call->aoti_torch_device_type_cuda() : call->aoti_torch_device_type_cpu();
	torch->dtype[MXT_DTYPE_F32] = call->aoti_torch_dtype_float32();
	torch->dtype[MXT_DTYPE_BF16] = call->aoti_torch_dtype_bfloat16();
	torch->dtype[MXT_DTYPE_F16] = call->aoti_torch_dtype_float16();
	torch->float64 = call->aoti_torch_dtype_float64();
	torch->bits[MXT_DTYPE_F32] = call->aoti_torch_dtype_int32();
	torch->bits[MXT_DTYPE_BF16] = torch->bits[MXT_DTYPE_F16] = call->aoti_torch_dtype_int16();
}

int mxt_torch_open(const char *folder, enum mxt_torch_backend backend, int32_t device_index,
		   struct mxt_torch *ret_torch, struct mxt_error *err)
{
	struct mxt_torch torch = {.backend = backend, .on_gpu = backend != MXT_TORCH_CPU, .device_index = device_index};
	int rc = mxt_torch_read_version(folder, &torch.version, err);
	if (rc == 0 && backend == MXT_TORCH_HIP)
		rc = mxt_rocm_preload(folder, err);
	if (rc == 0)
		rc = open_libraries(&torch, folder, err);
	if (rc != 0) {
		mxt_torch_close(&torch);
		return rc;
	}
	ask_numbers(&torch);
	torch.stand_in = dlsym(torch.cpu_library.handle, "mxt_stand_in") != NULL;
	torch.call.aoti_torch_grad_mode_set_enabled(false);
	*ret_torch = torch;
	return 0;
}

void mxt_torch_close(struct mxt_torch *torch)
{
	mxt_dl_close(&torch->gpu_library);
	mxt_dl_close(&torch->cpu_library);
}
