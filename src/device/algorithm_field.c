/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithm_field.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "gain.h"
#include "statistics.h"

#define CHOSEN     MXT_ALGORITHM_BLOCK /* slots of a block behind its algorithms */
#define TWIN       (MXT_ALGORITHM_BLOCK + 1)
#define SLOTS      (MXT_ALGORITHM_BLOCK + 2)
#define TRIM_OF(n) ((n) / 6)

int mxt_algorithm_field_init(struct mxt_algorithm_field *field, const struct mxt_algorithm_race *race,
			     struct mxt_error *err)
{
	*field = (struct mxt_algorithm_field){.race = race, .rng = {race->seed}};
	field->standings = calloc(race->count, sizeof *field->standings);
	return field->standings ? 0 : mxt_error_oom(err);
}

void mxt_algorithm_field_finish(struct mxt_algorithm_field *field)
{
	free(field->standings);
	field->standings = NULL;
}

void mxt_algorithm_field_restart(struct mxt_algorithm_field *field)
{
	field->kept = 0;
	field->slot_ns = 0;
}

void mxt_algorithm_field_expect(struct mxt_algorithm_field *field, uint64_t slot_ns)
{
	field->slot_ns = slot_ns;
}

static int time_one(struct mxt_algorithm_field *field, size_t algorithm, double *ret_log_ns, struct mxt_error *err)
{
	double ns = 0;
	int rc = field->race->time(field->race->context, algorithm, &ns, err);
	if (rc == 0 && !(ns > 0))
		rc = mxt_error_set(err, -EIO, MXT_E_DEVICE_TIME, "the device reports a time of 0 ns for a product");
	if (rc == 0)
		*ret_log_ns = log(ns);
	return rc;
}

/* What stands in a slot of the block: one of its algorithms, or the library's own choice. */
static int time_slot(struct mxt_algorithm_field *field, const uint32_t *algorithms, uint32_t slot, double *log_ns,
		     struct mxt_error *err)
{
	bool own = slot == CHOSEN || slot == TWIN;
	uint32_t algorithm = own ? 0 : algorithms[slot];
	if (field->standings[algorithm].out)
		return 0;
	int rc = time_one(field, algorithm, &log_ns[slot], err);
	if (rc != -ENOTSUP || own)
		return rc;
	mxt_error_clear(err);
	field->standings[algorithm].out = true;
	return 0;
}

static void keep(struct mxt_algorithm_field *field, const double *log_ns)
{
	size_t at = field->kept < MXT_ALGORITHM_KEPT ? field->kept++ : MXT_ALGORITHM_KEPT - 1;
	field->chosen[at] = log_ns[CHOSEN];
	field->twin[at] = log_ns[TWIN];
	field->first[at] = log_ns[0];
}

int mxt_algorithm_field_block(struct mxt_algorithm_field *field, const uint32_t *algorithms, size_t count,
			      struct mxt_error *err)
{
	const struct mxt_clock *clock = field->race->clock;
	double log_ns[SLOTS] = {0};
	uint32_t order[SLOTS] = {CHOSEN, TWIN};
	uint64_t began = mxt_now_ns(clock);
	int rc = 0;
	for (uint32_t i = 0; i < count; i++)
		order[2 + i] = i;
	mxt_rng_shuffle(&field->rng, order, count + 2);
	for (size_t i = 0; rc == 0 && i < count + 2; i++)
		rc = time_slot(field, algorithms, order[i], log_ns, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct mxt_algorithm_standing *standing = &field->standings[algorithms[i]];
		if (standing->out)
			continue;
		standing->gain += (log_ns[CHOSEN] + log_ns[TWIN]) / 2 - log_ns[i];
		standing->blocks++;
	}
	keep(field, log_ns);
	uint64_t slot_ns = (mxt_now_ns(clock) - began) / (count + 2);
	field->slot_ns = slot_ns > field->slot_ns ? slot_ns : field->slot_ns;
	return 0;
}

size_t mxt_algorithm_field_room(const struct mxt_algorithm_field *field, uint64_t end_ns)
{
	uint64_t now = mxt_now_ns(field->race->clock);
	uint64_t slots = now < end_ns ? (end_ns - now) / (field->slot_ns + 1) : 0;
	if (slots < 3)
		return 0;
	return slots - 2 < MXT_ALGORITHM_BLOCK ? (size_t)slots - 2 : MXT_ALGORITHM_BLOCK;
}

double mxt_algorithm_field_gain(const struct mxt_algorithm_field *field, uint32_t algorithm)
{
	const struct mxt_algorithm_standing *standing = &field->standings[algorithm];
	return standing->blocks ? standing->gain / standing->blocks : 0;
}

/* The faster one; of equals the one that the library ranks higher. */
static bool is_before(const struct mxt_algorithm_field *field, uint32_t a, uint32_t b)
{
	double of_a = mxt_algorithm_field_gain(field, a), of_b = mxt_algorithm_field_gain(field, b);
	return of_a > of_b || (of_a == of_b && a < b);
}

/* Shell's sort, as core/statistics.c does: qsort() takes no context. */
static void sort_by_gain(const struct mxt_algorithm_field *field, uint32_t *algorithms, size_t count)
{
	for (size_t gap = count / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < count; i++) {
			uint32_t moved = algorithms[i];
			size_t at = i;
			for (; at >= gap && is_before(field, moved, algorithms[at - gap]); at -= gap)
				algorithms[at] = algorithms[at - gap];
			algorithms[at] = moved;
		}
}

size_t mxt_algorithm_field_sort(const struct mxt_algorithm_field *field, uint32_t *algorithms, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t algorithm = algorithms[i];
		const struct mxt_algorithm_standing *standing = &field->standings[algorithm];
		if (standing->out || standing->blocks == 0)
			continue;
		algorithms[i] = algorithms[kept];
		algorithms[kept++] = algorithm;
	}
	sort_by_gain(field, algorithms, kept);
	return kept;
}

static uint64_t rounded(double log_ns)
{
	double ns = exp(log_ns) + 0.5;
	return ns < 1 ? 1 : (uint64_t)ns;
}

uint64_t mxt_algorithm_field_chosen_ns(const struct mxt_algorithm_field *field)
{
	double logs[MXT_ALGORITHM_KEPT];
	for (size_t i = 0; i < field->kept; i++)
		logs[i] = (field->chosen[i] + field->twin[i]) / 2;
	return rounded(mxt_median(logs, field->kept));
}

uint64_t mxt_algorithm_field_first_ns(const struct mxt_algorithm_field *field)
{
	double logs[MXT_ALGORITHM_KEPT];
	memcpy(logs, field->first, field->kept * sizeof *logs);
	return rounded(mxt_median(logs, field->kept));
}

uint32_t mxt_algorithm_field_floor_ppm(const struct mxt_algorithm_field *field)
{
	double ratios[MXT_ALGORITHM_KEPT];
	for (size_t i = 0; i < field->kept; i++)
		ratios[i] = field->chosen[i] - field->twin[i];
	return (uint32_t)mxt_gain_ppm(fabs(mxt_trimmed(ratios, field->kept, TRIM_OF(field->kept)).mean));
}
