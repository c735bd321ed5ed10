/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One product that everybody times, against what healthy GPUs of its kind do. It decides nothing.
 */
#include <errno.h>
#include <string.h>

#include "announce.h"
#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "session.h"

#define MOST_NS        (3 * MXT_NS_PER_S) /* wall clock, operands and check included */
#define TARGET_NS      (100 * MXT_NS_PER_MS)
#define STAND_IN_SHARE 32 /* stand-ins compute on the host: an edge of this part stands for the whole */

struct floor {
	const char *arch;
	uint32_t units;
	enum mxt_dtype dtype;
	int64_t edge;
	double fail, warn; /* TFLOP/s */
	uint32_t watts;
};

static const struct floor floors[] = {
#define MXT_HEALTH_FLOOR(arch, units, dtype, edge, fail, warn, watts) {arch, units, dtype, edge, fail, warn, watts},
#include "health_floors.def"
#undef MXT_HEALTH_FLOOR
};

static const struct floor *find_floor(const json_t *platform)
{
	const char *arch = json_string_value(json_object_get(platform, "arch"));
	json_int_t units = json_integer_value(json_object_get(platform, "units"));
	for (size_t i = 0; arch && i < MXT_ARRAY_LEN(floors); i++)
		if (strcmp(floors[i].arch, arch) == 0 && units == (json_int_t)floors[i].units)
			return &floors[i];
	return NULL;
}

static struct mxt_problem square(const struct floor *floor, int64_t edge)
{
	return (struct mxt_problem){
	    .kind = MXT_PROBLEM_GEMM,
	    .as.gemm = {.m = edge, .n = edge, .k = edge, .lda = edge, .ldb = edge, .ldc = edge, .dtype = floor->dtype}};
}

/* Why this GPU is not held against the floor; NULL: nothing speaks against it. */
static const char *excuse(const struct mxt_session *session, const struct floor *floor)
{
	const json_t *cap = json_object_get(json_array_get(session->inventory.devices, 0), "power_cap_w");
	if (json_object_get(session->inventory.platform, "compute_partition"))
		return "this GPU is a part of its card";
	if (json_is_integer(cap) && json_integer_value(cap) < (json_int_t)floor->watts)
		return "this card may draw less power than its kind does";
	return NULL;
}

/* Times the product under bare; *ret_ns stays as it is where it could not be. */
static int time_product(struct mxt_session *session, struct mxt_field *field, const struct mxt_problem *problem,
			uint64_t *ret_ns, struct mxt_error *err)
{
	uint64_t end_ns = field->end_ns, most = mxt_now_ns(field->clock) + MOST_NS;
	uint64_t work_end_ns = session->request->budget->work_end_ns;
	struct mxt_trial trial = {0};
	field->end_ns = most < work_end_ns ? most : work_end_ns;
	int rc = mxt_field_try(field, 0, problem, TARGET_NS, &trial, err);
	field->end_ns = end_ns;
	if (rc == -ETIME) {
		mxt_error_clear(err);
		return 0;
	}
	if (rc == 0 && field->entries[0].outcome == MXT_OK)
		*ret_ns = trial.steady_ns;
	return rc;
}

static int judge(struct mxt_session *session, const struct floor *floor, const char *what, uint64_t ns,
		 struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const struct mxt_problem whole = square(floor, floor->edge);
	double rate = mxt_problem_flops(&whole) / (double)ns / 1e3;
	mxt_buf_printf(&text, "%s: %.0f TFLOP/s, ", what, rate);
	if (rate >= floor->warn)
		mxt_buf_printf(&text, "as a healthy card of this kind (%.0f and more)", floor->warn);
	else
		mxt_buf_printf(&text, "%s (healthy cards: %.0f and more; acceptance tests fail below %.0f)",
			       rate < floor->fail ? "fail: this card is far too slow" : "warn: slow for its kind",
			       floor->warn, floor->fail);
	if (text.failed)
		return mxt_error_oom(err);
	mxt_announce_note(session, mxt_buf_text(&text));
	return rate >= floor->warn ? 0 : mxt_evidence_text(session->health, err, "%s", mxt_buf_text(&text));
}

int mxt_session_check_health(struct mxt_session *session, struct mxt_field *field, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf what = MXT_BUF_INIT;
	const struct mxt_entry *bare = &field->entries[0];
	const struct floor *floor = find_floor(session->inventory.platform);
	uint64_t ns = 0;
	if (!floor || session->health_checked || bare->outcome != MXT_OK)
		return 0;
	session->health_checked = true;
	const struct mxt_problem whole = square(floor, floor->edge);
	const struct mxt_problem problem = square(floor, floor->edge / (session->stand_in ? STAND_IN_SHARE : 1));
	mxt_buf_puts(&what, "health, ");
	mxt_problem_text(&whole, &what);
	if (what.failed)
		return mxt_error_oom(err);
	const char *reason = excuse(session, floor);
	int rc = reason ? 0 : time_product(session, field, &problem, &ns, err);
	if (rc < 0)
		return rc;
	if (ns > 0)
		return judge(session, floor, mxt_buf_text(&what), ns, err);
	if (!reason)
		reason = bare->reason ? bare->reason : "no time for it within the budget";
	return mxt_announce_skipped(session, mxt_buf_text(&what), reason, err);
}
