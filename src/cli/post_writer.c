/* SPDX-License-Identifier: Apache-2.0 */
#include "post_writer.h"

#include "figures.h"
#include "json.h"

void mxt_post_code(const char *text, struct mxt_buf *buf)
{
	mxt_buf_putc(buf, '`');
	for (const char *c = text; *c; c++)
		mxt_buf_putc(buf, (char)(*c == '`' ? '\'' : *c));
	mxt_buf_putc(buf, '`');
}

void mxt_post_code_cell(const char *text, struct mxt_buf *buf)
{
	MXT_CLEANUP_BUF struct mxt_buf escaped = MXT_BUF_INIT;
	for (const char *c = text; *c; c++)
		mxt_buf_printf(&escaped, "%s%c", *c == '|' ? "\\" : "", *c);
	buf->failed = buf->failed || escaped.failed;
	mxt_post_code(mxt_buf_text(&escaped), buf);
}

void mxt_post_percent(int64_t ppm, struct mxt_buf *buf)
{
	char text[MXT_FIGURE_SIZE];
	mxt_buf_printf(buf, "%s %%", mxt_figure_percent(text, ppm));
}

const json_t *mxt_post_device(const json_t *evidence)
{
	const json_t *devices = json_object_get(evidence, "devices");
	for (size_t i = 0; i < json_array_size(devices); i++)
		if (mxt_json_integer_or(json_array_get(devices, i), "ordinal", -1) == 0)
			return json_array_get(devices, i);
	return json_array_get(devices, 0);
}

double mxt_post_flop_per_s(const struct mxt_plan_sample *sample)
{
	return mxt_problem_flops(&sample->problem) * 1e9 / (double)sample->median_ns;
}

size_t mxt_post_next(const struct mxt_post *post, enum mxt_problem_kind kind, size_t from)
{
	while (from < post->n_samples && post->samples[from].problem.kind != kind)
		from++;
	return from;
}
