/* SPDX-License-Identifier: Apache-2.0 */
#include "safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "json.h"
#include "tensor_type.h"

struct mxt_safetensors {
	json_t *header; /* owned: names and types are its text */
	struct mxt_tensor *tensors;
	uint64_t *dims; /* of all tensors */
	size_t count;
};

struct source {
	const char *name;
	uint64_t data_begin, file_size;
};

#define LENGTH_BYTES 8

static int refuse(const struct source *source, struct mxt_error *err, const char *what)
{
	return mxt_error_set(err, -EINVAL, MXT_E_SAFETENSORS, "%s is no safetensors file: %s", source->name, what);
}

static int refuse_tensor(const struct source *source, const char *tensor, struct mxt_error *err, const char *what)
{
	return mxt_error_set(err, -EINVAL, MXT_E_SAFETENSORS, "%s is no safetensors file: tensor %.200s %s",
			     source->name, tensor, what);
}

/* 0 or -1. */
static int whole_number(const json_t *value, uint64_t *ret_number)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -1;
	*ret_number = (uint64_t)json_integer_value(value);
	return 0;
}

/* Takes the shape's numbers into `dims`. 0 or -1. */
static int read_shape(const json_t *shape, uint64_t *dims)
{
	if (!json_is_array(shape))
		return -1;
	for (size_t i = 0; i < json_array_size(shape); i++)
		if (whole_number(json_array_get(shape, i), &dims[i]) < 0)
			return -1;
	return 0;
}

/* Whether an array of that shape takes exactly so many bytes. */
static bool fills(const struct mxt_tensor *tensor, unsigned bits)
{
	uint64_t count = 1;
	for (size_t i = 0; i < tensor->n_dims; i++) {
		if (tensor->shape[i] > 0 && count > UINT64_MAX / tensor->shape[i])
			return false;
		count *= tensor->shape[i];
	}
	if (count > UINT64_MAX / bits)
		return false;
	return count * bits % 8 == 0 && count * bits / 8 == tensor->end - tensor->begin;
}

static int read_places(const struct source *source, const json_t *places, struct mxt_tensor *tensor)
{
	uint64_t begin, end;
	if (json_array_size(places) != 2 || whole_number(json_array_get(places, 0), &begin) < 0 ||
	    whole_number(json_array_get(places, 1), &end) < 0 || end < begin)
		return -1;
	tensor->begin = source->data_begin + begin; /* no overflow: JSON's integers have 63 bits */
	tensor->end = source->data_begin + end;
	return 0;
}

static int read_tensor(const struct source *source, const char *name, const json_t *entry, uint64_t *dims,
		       struct mxt_tensor *ret_tensor, struct mxt_error *err)
{
	static const char type_key[] = "dtype", shape_key[] = "shape", places_key[] = "data_offsets";
	const json_t *shape = json_object_get(entry, shape_key);
	struct mxt_tensor tensor = {.name = name, .dtype = mxt_json_text(entry, type_key), .shape = dims};
	if (json_object_size(entry) != 3 || tensor.dtype[0] == '\0' || read_shape(shape, dims) < 0)
		return refuse_tensor(source, name, err, "has no usable type and shape, or more than these and a place");
	tensor.n_dims = json_array_size(shape);
	if (read_places(source, json_object_get(entry, places_key), &tensor) < 0)
		return refuse_tensor(source, name, err, "has no usable place in the file");
	unsigned bits = mxt_tensor_element_bits(tensor.dtype);
	if (bits > 0 && !fills(&tensor, bits))
		return refuse_tensor(source, name, err, "has another size than its type and shape need");
	*ret_tensor = tensor;
	return 0;
}

static bool is_metadata(const char *key)
{
	return strcmp(key, "__metadata__") == 0;
}

static int check_metadata(const struct source *source, json_t *metadata, struct mxt_error *err)
{
	const char *key;
	json_t *value;
	bool good = !metadata || json_is_object(metadata);
	json_object_foreach(metadata, key, value)
	{
		good = good && json_is_string(value);
	}
	return good ? 0 : refuse(source, err, "its metadata is no map of texts");
}

/* Room for all tensors and their shapes. */
static int allocate(struct mxt_safetensors *header, struct mxt_error *err)
{
	const char *name;
	json_t *entry;
	size_t n_dims = 0, count = 0;
	json_object_foreach(header->header, name, entry)
	{
		n_dims += json_array_size(json_object_get(entry, "shape"));
		count++;
	}
	header->tensors = calloc(count + 1, sizeof *header->tensors);
	header->dims = calloc(n_dims + 1, sizeof *header->dims);
	return header->tensors && header->dims ? 0 : mxt_error_oom(err);
}

static int by_place(const void *a, const void *b)
{
	const struct mxt_tensor *left = a, *right = b;
	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	if (left->end != right->end)
		return left->end < right->end ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int refuse_size(const struct source *source, uint64_t needed, struct mxt_error *err)
{
	if (source->file_size > needed)
		return mxt_error_set(err, -EINVAL, MXT_E_SAFETENSORS,
				     "%s is no safetensors file: it has %" PRIu64
				     " bytes, and its tensors end at %" PRIu64,
				     source->name, source->file_size, needed);
	return mxt_error_set(err, -EINVAL, MXT_E_CHECKPOINT_PARTIAL,
			     "%s is cut, or still being written: it has %" PRIu64 " of %" PRIu64 " bytes", source->name,
			     source->file_size, needed);
}

/* One tensor begins where the one before it ends, and the last one ends with the file. */
static int check_places(const struct source *source, const struct mxt_safetensors *header, struct mxt_error *err)
{
	uint64_t end = source->data_begin;
	for (size_t i = 0; i < header->count; i++) {
		if (header->tensors[i].begin != end)
			return refuse_tensor(source, header->tensors[i].name, err,
					     "does not begin where the one before it ends");
		end = header->tensors[i].end;
	}
	return end == source->file_size ? 0 : refuse_size(source, end, err);
}

static int read_tensors(const struct source *source, struct mxt_safetensors *header, struct mxt_error *err)
{
	const char *name;
	json_t *entry;
	uint64_t *dims = header->dims;
	json_object_foreach(header->header, name, entry)
	{
		if (is_metadata(name))
			continue;
		struct mxt_tensor *tensor = &header->tensors[header->count];
		int rc = read_tensor(source, name, entry, dims, tensor, err);
		if (rc < 0)
			return rc;
		dims += tensor->n_dims;
		header->count++;
	}
	qsort(header->tensors, header->count, sizeof *header->tensors, by_place);
	return check_places(source, header, err);
}

static int parse_json(const struct source *source, const char *text, size_t len, json_t **ret_header,
		      struct mxt_error *err)
{
	if (text[0] != '{')
		return refuse(source, err, "its header does not begin with a brace");
	json_error_t fault = {.line = 0};
	json_t *header = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
	if (!header && (json_error_code(&fault) == json_error_out_of_memory || fault.line < 0))
		return mxt_error_oom(err);
	if (!header)
		return refuse(source, err, "its header is not valid JSON, or has a key twice");
	*ret_header = header;
	return 0;
}

static uint64_t little_endian(const unsigned char bytes[LENGTH_BYTES])
{
	uint64_t value = 0;
	for (size_t i = LENGTH_BYTES; i > 0; i--)
		value = value << 8 | bytes[i - 1];
	return value;
}

/* How long the header is, without its length. Memory that a file system has not filled yet reads as zeros. */
static int header_length(const struct source *source, const unsigned char bytes[LENGTH_BYTES], size_t *ret_len,
			 struct mxt_error *err)
{
	uint64_t len = little_endian(bytes);
	if (len == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_CHECKPOINT_PARTIAL,
				     "%s begins with zeros: it is not written yet, or its content was lost",
				     source->name);
	if (len > MXT_SAFETENSORS_MAX_HEADER)
		return refuse(source, err, "its header would be larger than 32 MiB");
	if (LENGTH_BYTES + len > source->file_size)
		return refuse_size(source, LENGTH_BYTES + len, err);
	*ret_len = (size_t)len;
	return 0;
}

int mxt_safetensors_parse(const char *name, const void *bytes, size_t len, uint64_t file_size,
			  struct mxt_safetensors **ret_header, struct mxt_error *err)
{
	struct source source = {.name = name, .file_size = file_size};
	if (file_size < LENGTH_BYTES || len < LENGTH_BYTES)
		return refuse_size(&source, LENGTH_BYTES, err);
	size_t text_len;
	int rc = header_length(&source, bytes, &text_len, err);
	if (rc < 0)
		return rc;
	if (text_len > len - LENGTH_BYTES)
		return refuse(&source, err, "its header is not there");
	source.data_begin = LENGTH_BYTES + text_len;
	MXT_CLEANUP_SAFETENSORS struct mxt_safetensors *header = calloc(1, sizeof *header);
	if (!header)
		return mxt_error_oom(err);
	rc = parse_json(&source, (const char *)bytes + LENGTH_BYTES, text_len, &header->header, err);
	if (rc == 0)
		rc = check_metadata(&source, json_object_get(header->header, "__metadata__"), err);
	if (rc == 0)
		rc = allocate(header, err);
	if (rc == 0)
		rc = read_tensors(&source, header, err);
	if (rc < 0)
		return rc;
	*ret_header = mxt_steal_ptr(&header);
	return 0;
}

/* 0, or the failure of a read; the file's end comes as an error of the size. */
static int read_exactly(int fd, const struct source *source, void *bytes, size_t len, struct mxt_error *err)
{
	errno = 0;
	size_t got = mxt_file_read_at(fd, bytes, len, 0);
	if (got == len)
		return 0;
	if (errno != 0)
		return mxt_error_errno(err, errno, "cannot read %s", source->name);
	struct source shrunk = {.name = source->name, .file_size = got};
	return refuse_size(&shrunk, len, err);
}

int mxt_safetensors_read(int fd, const char *name, struct mxt_safetensors **ret_header, struct mxt_error *err)
{
	struct stat file;
	if (fstat(fd, &file) < 0)
		return mxt_error_errno(err, errno, "cannot look at %s", name);
	struct source source = {.name = name, .file_size = (uint64_t)file.st_size};
	unsigned char start[LENGTH_BYTES];
	size_t len;
	if (source.file_size < LENGTH_BYTES)
		return refuse_size(&source, LENGTH_BYTES, err);
	int rc = read_exactly(fd, &source, start, sizeof start, err);
	if (rc == 0)
		rc = header_length(&source, start, &len, err);
	if (rc < 0)
		return rc;
	len += LENGTH_BYTES;
	MXT_CLEANUP_FREE char *bytes = malloc(len);
	if (!bytes)
		return mxt_error_oom(err);
	rc = read_exactly(fd, &source, bytes, len, err);
	return rc < 0 ? rc : mxt_safetensors_parse(name, bytes, len, source.file_size, ret_header, err);
}

void mxt_safetensors_destroy(struct mxt_safetensors *header)
{
	if (!header)
		return;
	json_decref(header->header);
	free(header->tensors);
	free(header->dims);
	free(header);
}

size_t mxt_safetensors_count(const struct mxt_safetensors *header)
{
	return header->count;
}

const struct mxt_tensor *mxt_safetensors_tensor(const struct mxt_safetensors *header, size_t i)
{
	return &header->tensors[i];
}
