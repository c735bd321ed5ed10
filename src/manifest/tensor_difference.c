/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_difference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "file.h"
#include "safetensors.h"
#include "tensor_type.h"

#define CHUNK_BYTES ((size_t)256 << 10) /* whole elements of every type */

struct comparison {
	const struct mxt_tensor_side *sides; /* 2 */
	struct mxt_safetensors *headers[2];  /* owned */
	const struct mxt_tensor **by_name;   /* owned: the second file's */
	bool *met;                           /* owned: those of by_name that the first file has, too */
	unsigned char *bytes[2];             /* owned: CHUNK_BYTES each */
	struct mxt_buf *text;
	struct mxt_error *err;
};

/* Of the data of two tensors of one type and shape. */
struct data_difference {
	size_t unit; /* bytes of an element; 1 where elements have no whole bytes, or their size is not known */
	uint64_t first, count; /* in units; count 0: there is none */
};

static void comparison_finish(struct comparison *comparison)
{
	for (size_t i = 0; i < 2; i++) {
		mxt_safetensors_destroy(comparison->headers[i]);
		free(comparison->bytes[i]);
	}
	free(comparison->by_name);
	free(comparison->met);
}

static int by_name(const void *a, const void *b)
{
	const struct mxt_tensor *const *left = a, *const *right = b;
	return strcmp((*left)->name, (*right)->name);
}

static int comparison_init(struct comparison *comparison)
{
	for (size_t i = 0; i < 2; i++) {
		const struct mxt_tensor_side *side = &comparison->sides[i];
		int rc = mxt_safetensors_read(side->fd, side->name, &comparison->headers[i], comparison->err);
		if (rc < 0)
			return rc;
		comparison->bytes[i] = malloc(CHUNK_BYTES);
	}
	size_t count = mxt_safetensors_count(comparison->headers[1]);
	comparison->by_name = calloc(count + 1, sizeof(const struct mxt_tensor *));
	comparison->met = calloc(count + 1, sizeof *comparison->met);
	if (!comparison->by_name || !comparison->met || !comparison->bytes[0] || !comparison->bytes[1])
		return mxt_error_oom(comparison->err);
	for (size_t i = 0; i < count; i++)
		comparison->by_name[i] = mxt_safetensors_tensor(comparison->headers[1], i);
	qsort(comparison->by_name, count, sizeof(const struct mxt_tensor *), by_name);
	return 0;
}

static const struct mxt_tensor *counterpart(const struct comparison *comparison, const struct mxt_tensor *tensor)
{
	const struct mxt_tensor **found =
	    bsearch(&tensor, comparison->by_name, mxt_safetensors_count(comparison->headers[1]),
		    sizeof(const struct mxt_tensor *), by_name);
	if (!found)
		return NULL;
	comparison->met[found - comparison->by_name] = true;
	return *found;
}

static void append_numbers(struct mxt_buf *text, const uint64_t *numbers, size_t count)
{
	mxt_buf_putc(text, '[');
	for (size_t i = 0; i < count; i++)
		mxt_buf_printf(text, "%s%" PRIu64, i > 0 ? ", " : "", numbers[i]);
	mxt_buf_putc(text, ']');
}

static void append_form(struct mxt_buf *text, const struct mxt_tensor *tensor)
{
	mxt_buf_printf(text, "%.20s ", tensor->dtype);
	append_numbers(text, tensor->shape, tensor->n_dims);
}

static bool same_form(const struct mxt_tensor *a, const struct mxt_tensor *b)
{
	return strcmp(a->dtype, b->dtype) == 0 && a->n_dims == b->n_dims && a->end - a->begin == b->end - b->begin &&
	       memcmp(a->shape, b->shape, a->n_dims * sizeof *a->shape) == 0;
}

static void count_units(const struct comparison *comparison, size_t len, uint64_t done,
			struct data_difference *difference)
{
	if (memcmp(comparison->bytes[0], comparison->bytes[1], len) == 0)
		return;
	for (size_t at = 0; at < len; at += difference->unit) {
		if (memcmp(comparison->bytes[0] + at, comparison->bytes[1] + at, difference->unit) == 0)
			continue;
		if (difference->count++ == 0)
			difference->first = (done + at) / difference->unit;
	}
}

static int read_part(const struct comparison *comparison, size_t i, uint64_t offset, size_t len)
{
	const struct mxt_tensor_side *side = &comparison->sides[i];
	errno = 0;
	if (mxt_file_read_at(side->fd, comparison->bytes[i], len, offset) == len)
		return 0;
	return mxt_error_errno(comparison->err, errno ? errno : ESTALE, "cannot read %s", side->name);
}

static int compare_data(const struct comparison *comparison, const struct mxt_tensor *a, const struct mxt_tensor *b,
			struct data_difference *difference)
{
	uint64_t size = a->end - a->begin;
	for (uint64_t done = 0; done < size;) {
		size_t len = size - done < CHUNK_BYTES ? (size_t)(size - done) : CHUNK_BYTES;
		int rc = read_part(comparison, 0, a->begin + done, len);
		if (rc == 0)
			rc = read_part(comparison, 1, b->begin + done, len);
		if (rc < 0)
			return rc;
		count_units(comparison, len, done, difference);
		done += len;
	}
	return 0;
}

/* The place of an element by its number: the last dimension runs fastest. */
static void append_place(struct mxt_buf *text, const struct mxt_tensor *tensor, uint64_t number)
{
	uint64_t place[8], left = number;
	if (tensor->n_dims == 0 || tensor->n_dims > MXT_ARRAY_LEN(place)) {
		mxt_buf_printf(text, "number %" PRIu64, number);
		return;
	}
	for (size_t i = tensor->n_dims; i > 0; i--) {
		place[i - 1] = left % tensor->shape[i - 1];
		left /= tensor->shape[i - 1];
	}
	append_numbers(text, place, tensor->n_dims);
}

static void append_data_difference(struct mxt_buf *text, const struct mxt_tensor *tensor,
				   const struct data_difference *difference)
{
	bool elements = mxt_tensor_element_bits(tensor->dtype) >= 8;
	mxt_buf_printf(text, "tensor %.300s (", tensor->name);
	append_form(text, tensor);
	mxt_buf_printf(text, "): %" PRIu64 " of %" PRIu64 " %s differ, the first is ", difference->count,
		       (tensor->end - tensor->begin) / difference->unit, elements ? "elements" : "bytes");
	if (elements)
		append_place(text, tensor, difference->first);
	else
		mxt_buf_printf(text, "number %" PRIu64, difference->first);
}

/* 1: they differ, and the text says so; 0: they do not. */
static int compare_tensor(const struct comparison *comparison, const struct mxt_tensor *tensor)
{
	const struct mxt_tensor *other = counterpart(comparison, tensor);
	struct mxt_buf *text = comparison->text;
	if (!other) {
		mxt_buf_printf(text, "tensor %.300s is only in %s", tensor->name, comparison->sides[0].name);
		return 1;
	}
	if (!same_form(tensor, other)) {
		mxt_buf_printf(text, "tensor %.300s is ", tensor->name);
		append_form(text, tensor);
		mxt_buf_printf(text, " in %s and ", comparison->sides[0].name);
		append_form(text, other);
		mxt_buf_printf(text, " in %s", comparison->sides[1].name);
		return 1;
	}
	unsigned bits = mxt_tensor_element_bits(tensor->dtype);
	struct data_difference difference = {.unit = bits >= 8 ? bits / 8 : 1};
	int rc = compare_data(comparison, tensor, other, &difference);
	if (rc < 0 || difference.count == 0)
		return rc;
	append_data_difference(text, tensor, &difference);
	return 1;
}

/* What is left when the second file has every tensor of the first one. */
static void append_rest(const struct comparison *comparison)
{
	for (size_t i = 0; i < mxt_safetensors_count(comparison->headers[1]); i++) {
		if (comparison->met[i])
			continue;
		mxt_buf_printf(comparison->text, "tensor %.300s is only in %s", comparison->by_name[i]->name,
			       comparison->sides[1].name);
		return;
	}
	mxt_buf_puts(comparison->text, "their tensors are the same, their headers (metadata, order) are not");
}

static int compare(struct comparison *comparison)
{
	int rc = comparison_init(comparison);
	for (size_t i = 0; rc == 0 && i < mxt_safetensors_count(comparison->headers[0]); i++)
		rc = compare_tensor(comparison, mxt_safetensors_tensor(comparison->headers[0], i));
	if (rc == 0)
		append_rest(comparison);
	return rc < 0 ? rc : mxt_buf_status(comparison->text, comparison->err);
}

int mxt_tensor_difference(const struct mxt_tensor_side sides[2], struct mxt_buf *text, struct mxt_error *err)
{
	struct comparison comparison = {.sides = sides, .text = text, .err = err};
	int rc = compare(&comparison);
	comparison_finish(&comparison);
	return rc;
}
