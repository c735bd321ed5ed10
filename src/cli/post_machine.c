/* SPDX-License-Identifier: Apache-2.0 */
#include "post_machine.h"

#include <inttypes.h>
#include <string.h>

#include "figures.h"
#include "json.h"
#include "number.h"
#include "platform_gpu.h"
#include "post_writer.h"

static void put_row(const struct mxt_post *post, const char *title, const char *text)
{
	mxt_buf_printf(post->buf, "| %s | ", title);
	if (text[0])
		mxt_post_code_cell(text, post->buf);
	else
		mxt_buf_puts(post->buf, "not recorded");
	mxt_buf_puts(post->buf, " |\n");
}

static void put_memory_row(const struct mxt_post *post, const json_t *device)
{
	char text[32];
	int64_t bytes = mxt_json_integer_or(device, "memory_bytes", 0);
	if (bytes > 0)
		mxt_buf_printf(post->buf, "| memory | %s GiB |\n",
			       mxt_format_fixed(text, (bytes >> 20) * 1000 / 1024, 3, 1));
	else
		mxt_buf_puts(post->buf, "| memory | not recorded |\n");
}

static void put_peak_row(const struct mxt_post *post)
{
	char rate[MXT_FIGURE_SIZE];
	const struct mxt_post_peak *peak = &post->peak;
	if (peak->bf16_flops > 0)
		mxt_buf_printf(post->buf, "| peak | %s in bfloat16, dense: %" PRIu64 " %s at %" PRIu64 " MHz |\n",
			       mxt_figure_rate(rate, peak->bf16_flops), peak->units, peak->unit_name, peak->max_mhz);
	else
		mxt_buf_puts(post->buf, "| peak | not known |\n");
}

void mxt_post_machine(const struct mxt_post *post)
{
	static const struct {
		const char *vendor, *title, *key;
	} libraries[] = {{"nvidia", "CUDA", "cuda"}, {"nvidia", "cuDNN", "cudnn"},      {"nvidia", "cuBLAS", "cublas"},
			 {"amd", "HIP", "hip"},      {"amd", "hipBLASLt", "hipblaslt"}, {"amd", "rocBLAS", "rocblas"}};
	const json_t *device = mxt_post_device(post->evidence), *stack = json_object_get(post->decision, "stack");
	const json_t *platform = json_object_get(post->decision, "platform");
	mxt_buf_puts(post->buf, "## Machine\n\n| | |\n|---|---|\n");
	put_row(post, "device", mxt_json_text(device, "name"));
	put_row(post, "architecture", mxt_json_text(platform, "arch"));
	put_memory_row(post, device);
	if (mxt_platform_has_gpu(platform, "nvidia") || mxt_platform_has_gpu(platform, "amd"))
		put_row(post, "driver", mxt_json_text(device, "driver"));
	put_row(post, "torch", mxt_json_text(stack, "torch"));
	for (size_t i = 0; i < MXT_ARRAY_LEN(libraries); i++)
		if (mxt_platform_has_gpu(platform, libraries[i].vendor))
			put_row(post, libraries[i].title, mxt_json_text(stack, libraries[i].key));
	put_peak_row(post);
}

static void put_model(const json_t *model, struct mxt_buf *buf)
{
	int64_t hidden = mxt_json_integer_or(model, "hidden", 0), heads = mxt_json_integer_or(model, "heads", 1);
	mxt_buf_printf(buf, "%" PRId64 " layers, hidden %" PRId64 ", %" PRId64 " heads of %" PRId64,
		       mxt_json_integer_or(model, "layers", 0), hidden, heads,
		       mxt_json_integer_or(model, "head_dim", hidden / heads));
	mxt_buf_printf(buf, ", %" PRId64 " KV heads", mxt_json_integer_or(model, "kv_heads", heads));
	if (json_object_get(model, "ffn"))
		mxt_buf_printf(buf, ", feed-forward %" PRId64, mxt_json_integer_or(model, "ffn", 0));
	if (json_object_get(model, "experts"))
		mxt_buf_printf(buf, ", %" PRId64 " experts", mxt_json_integer_or(model, "experts", 0));
	mxt_buf_printf(buf, ", vocabulary %" PRId64, mxt_json_integer_or(model, "vocab", 0));
}

static void put_training(const json_t *training, struct mxt_buf *buf)
{
	const char *dtype = mxt_json_text(training, "dtype"), *adapter = mxt_json_text(training, "adapter");
	const char *lengths = mxt_json_text(training, "lengths");
	mxt_buf_printf(buf, "; %" PRId64 " x %" PRId64 " tokens", mxt_json_integer_or(training, "micro_batch", 0),
		       mxt_json_integer_or(training, "seq_len", 0));
	if (lengths[0])
		mxt_buf_printf(buf, " (%s)", lengths);
	mxt_buf_printf(buf, ", %s", dtype[0] ? dtype : "bfloat16");
	if (adapter[0])
		mxt_buf_printf(buf, ", %s of rank %" PRId64, strcmp(adapter, "qlora") == 0 ? "QLoRA" : "LoRA",
			       mxt_json_integer_or(training, "lora_rank", 0));
	else
		mxt_buf_puts(buf, ", all weights");
	if (json_object_get(training, "checkpointing"))
		mxt_buf_puts(buf, ", with checkpointing");
}

void mxt_post_workload(const struct mxt_post *post)
{
	const json_t *workload = json_object_get(post->decision, "workload"),
		     *excluded = json_object_get(workload, "excluded");
	mxt_buf_puts(post->buf, "\nWorkload: ");
	if (json_object_get(workload, "model")) {
		put_model(json_object_get(workload, "model"), post->buf);
		put_training(json_object_get(workload, "training"), post->buf);
	}
	if (json_object_get(workload, "recorded"))
		mxt_buf_printf(post->buf, "%scalls as recorded from a run",
			       json_object_get(workload, "model") ? "; " : "");
	if (json_object_get(workload, "scaled"))
		mxt_buf_puts(post->buf, "; shapes cut to what this host can do in time");
	for (size_t i = 0; i < json_array_size(excluded); i++)
		mxt_buf_printf(post->buf, "%s%s", i == 0 ? "; not modelled: " : ", ",
			       json_string_value(json_array_get(excluded, i)));
	mxt_buf_puts(post->buf, ".\n");
}
