/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_lengths.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "exposure.h"
#include "lengths.h"
#include "number.h"
#include "workload_build.h"
#include "workload_passes.h"

/* ---- from the command line ---- */

#define USUAL_P90 4 /* times the median */

/* One number of a list that colons separate; false when there is none in range. */
static bool take_number(const char **at, uint64_t max, int64_t *ret_value)
{
	uint64_t value = 0;
	const char *end = NULL;
	if (mxt_parse_u64(*at, &end, &value) < 0 || value == 0 || value > max)
		return false;
	*at = end;
	*ret_value = (int64_t)value;
	return true;
}

static bool parse_shape(const char *text, struct mxt_lengths_shape *ret_shape)
{
	int64_t numbers[3] = {0, 0, 0};
	const uint64_t most[] = {MXT_MAX_SEQ_LEN, MXT_MAX_SEQ_LEN, INT64_C(1) << 50};
	size_t count = 0;
	const char *at = text;
	while (count < MXT_ARRAY_LEN(numbers) && take_number(&at, most[count], &numbers[count])) {
		count++;
		if (*at != ':')
			break;
		at++;
	}
	if (count == 0 || *at != '\0' || at[-1] == ':' || (count > 1 && numbers[1] < numbers[0]))
		return false;
	*ret_shape = (struct mxt_lengths_shape){.median = (int32_t)numbers[0],
						.p90 = (int32_t)(count > 1 ? numbers[1] : USUAL_P90 * numbers[0]),
						.documents = numbers[2]};
	return true;
}

int mxt_workload_state_lengths(struct mxt_workload *workload, const char *text, struct mxt_error *err)
{
	struct mxt_lengths_shape shape = mxt_lengths_default;
	if (text && !parse_shape(text, &shape))
		return mxt_error_set(
		    err, -EINVAL, MXT_E_USAGE,
		    "--lengths takes MEDIAN[:P90[:DOCUMENTS]], as in 300:1200:50000, with 1 <= MEDIAN <= P90 <= "
		    "%d, not '%s'",
		    MXT_MAX_SEQ_LEN, text);
	mxt_lengths_assume(&workload->lengths, &shape, workload->training.seq_len, text ? "flags" : "assumed");
	return 0;
}

/* ---- from a dataset ---- */

int mxt_workload_use_lengths(struct mxt_workload *workload, const struct mxt_lengths *lengths, struct mxt_error *err)
{
	struct mxt_lengths used = *lengths;
	int32_t limit = workload->training.seq_len;
	uint32_t longer = mxt_lengths_drop_longer(&used, limit);
	if (longer == lengths->n_samples)
		return mxt_error_set(err, -EINVAL, MXT_E_LENGTHS,
				     "no document fits into %" PRId32 " tokens; was it prepared for longer sequences?",
				     limit);
	used.passes = workload->lengths.passes;
	used.passes_source = workload->lengths.passes_source;
	used.distinct = workload->lengths.distinct;
	used.distinct_source = workload->lengths.distinct_source;
	workload->lengths = used;
	int rc = mxt_workload_count_passes(workload, err);
	if (rc == 0 && used.documents < lengths->documents)
		rc = mxt_workload_note(workload, err,
				       "about %" PRId64 " of %" PRId64 " documents have more than %" PRId32
				       " tokens; the trainer drops or cuts them, and they are left out here",
				       lengths->documents - used.documents, lengths->documents, limit);
	return rc;
}

/* ---- for plans and people ---- */

static int64_t distinct_of(const struct mxt_workload *workload)
{
	struct mxt_exposure exposure;
	mxt_exposure_init(&exposure, workload);
	return exposure.distinct > 0 ? llround(fmax(exposure.distinct, 1)) : 0;
}

json_t *mxt_workload_lengths_json(const struct mxt_workload *workload)
{
	const struct mxt_lengths *lengths = &workload->lengths;
	const struct {
		const char *key;
		int64_t value; /* 0: not known */
	} rows[] = {{"documents", lengths->documents},
		    {"mean", llround(mxt_lengths_mean(lengths))},
		    {"p50", mxt_lengths_percentile(lengths, 50)},
		    {"p90", mxt_lengths_percentile(lengths, 90)},
		    {"longest", mxt_lengths_longest(lengths)},
		    {"passes", lengths->passes},
		    {"distinct", distinct_of(workload)}};
	json_t *json = json_pack("{s:s}", "source", lengths->source ? lengths->source : "assumed");
	for (size_t i = 0; json && i < MXT_ARRAY_LEN(rows); i++) {
		if (rows[i].value == 0 || json_object_set_new(json, rows[i].key, json_integer(rows[i].value)) == 0)
			continue;
		json_decref(json);
		json = NULL;
	}
	return json;
}

/* With a comma before every three digits. */
static void put_count(struct mxt_buf *buf, int64_t count)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRId64, count);
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			mxt_buf_putc(buf, ',');
		mxt_buf_putc(buf, digits[i]);
	}
}

static void put_part(struct mxt_buf *buf, const char *before, int64_t count, const char *one, const char *several)
{
	if (count <= 0)
		return;
	mxt_buf_puts(buf, before);
	put_count(buf, count);
	mxt_buf_puts(buf, count == 1 ? one : several);
}

static void put_source(const struct mxt_workload *workload, struct mxt_buf *buf)
{
	const char *source = workload->lengths.source ? workload->lengths.source : "not known";
	if (strcmp(source, "dataset") == 0 && workload->schedule.dataset)
		mxt_buf_printf(buf, ", from %s", workload->schedule.dataset);
	else
		mxt_buf_printf(buf, " (%s)", source);
}

void mxt_workload_lengths_text(const struct mxt_workload *workload, struct mxt_buf *buf)
{
	const struct mxt_lengths *lengths = &workload->lengths;
	mxt_buf_puts(buf, "lengths: ");
	put_part(buf, "", lengths->documents, " document, ", " documents, ");
	put_part(buf, "median ", mxt_lengths_percentile(lengths, 50), "", "");
	put_part(buf, ", nine in ten up to ", mxt_lengths_percentile(lengths, 90), " token", " tokens");
	put_source(workload, buf);
	if (lengths->passes == 0 && !workload->training.packing && !workload->training.padding)
		mxt_buf_puts(buf, "; how many passes the run has is not known (--steps)");
	put_part(buf, "; ", lengths->passes, " pass", " passes");
	put_part(buf, ", about ", distinct_of(workload), " shape", " distinct shapes");
}
