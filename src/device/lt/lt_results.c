/* SPDX-License-Identifier: Apache-2.0 */
#include "lt_results.h"

#include <errno.h>
#include <string.h>

#include "device_ops.h"
#include "error.h"

#define STEP 8 /* results hold pointers' worth of sizes: their distance is a multiple of that */

static int32_t read_i32(const unsigned char *at)
{
	int32_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static uint64_t read_size(const unsigned char *at)
{
	size_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

/* How many bytes from the start hold something else than the poison. */
static size_t written_bytes(const struct mxt_lt_results *results)
{
	size_t end = results->asked * MXT_LT_SLOT_BYTES;
	while (end > 0 && results->bytes[end - 1] == MXT_LT_POISON)
		end--;
	return end;
}

static bool is_plausible(const struct mxt_lt_results *results, const struct mxt_lt_result_layout *layout, size_t stride,
			 size_t i)
{
	const unsigned char *at = results->bytes + i * stride;
	if (read_i32(at + layout->status_at) != 0 || read_size(at + layout->workspace_at) > results->workspace_bytes)
		return false;
	if (!layout->has_index)
		return true;
	return read_i32(at) >= 0 && (i == 0 || read_i32(at) != read_i32(at - stride));
}

/* Do `count` results at this distance end where writing ended? A status is the least that each of them got. */
static bool ends_there(const struct mxt_lt_result_layout *layout, size_t stride, size_t count, size_t written)
{
	size_t last = (count - 1) * stride;
	return written >= last + layout->status_at + sizeof(int32_t) && written <= last + stride;
}

/* Some libraries mark those that they have not found, too, so that writing ends behind all that were asked for. */
static bool explains(const struct mxt_lt_results *results, const struct mxt_lt_result_layout *layout, size_t stride,
		     size_t written)
{
	if (!ends_there(layout, stride, results->returned, written) &&
	    !ends_there(layout, stride, results->asked, written))
		return false;
	for (size_t i = 0; i < results->returned; i++)
		if (!is_plausible(results, layout, stride, i))
			return false;
	return true;
}

int mxt_lt_results_stride(const struct mxt_lt_results *results, const struct mxt_lt_result_layout *layout, size_t known,
			  size_t *ret_stride, bool *ret_certain, struct mxt_error *err)
{
	size_t written = written_bytes(results), found = 0, count = 0;
	bool is_known = false;
	for (size_t stride = layout->bytes; results->returned > 0 && stride <= MXT_LT_SLOT_BYTES; stride += STEP) {
		if (!explains(results, layout, stride, written))
			continue;
		is_known = is_known || stride == known;
		found = stride;
		count++;
	}
	if (count != 1 && !is_known)
		return mxt_error_set(err, -EPROTO, MXT_E_LT_LAYOUT,
				     "the library wrote %zu bytes for %zu results of at least %zu bytes, which do not "
				     "show how they are laid out; please report this with the library's version",
				     written, results->returned, layout->bytes);
	*ret_stride = count == 1 ? found : known;
	*ret_certain = count == 1;
	return 0;
}

size_t mxt_lt_results_read(const struct mxt_lt_results *results, const struct mxt_lt_result_layout *layout,
			   size_t stride, struct mxt_lt_choice *ret_choices)
{
	size_t count = 0;
	for (size_t i = 0; i < results->returned; i++) {
		const unsigned char *at = results->bytes + i * stride;
		if (read_i32(at + layout->status_at) != 0)
			continue;
		struct mxt_lt_choice *choice = &ret_choices[count++];
		*choice = (struct mxt_lt_choice){.workspace_bytes = (size_t)read_size(at + layout->workspace_at),
						 .solution = layout->has_index ? read_i32(at) : MXT_SOLUTION_DEFAULT};
		memcpy(choice->algorithm, at, stride);
	}
	return count;
}
