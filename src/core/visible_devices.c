/* SPDX-License-Identifier: Apache-2.0 */
#include "visible_devices.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "compiler.h"
#include "environ.h"

#define ROCR "ROCR_VISIBLE_DEVICES"
#define HIP  "HIP_VISIBLE_DEVICES"
#define CUDA "CUDA_VISIBLE_DEVICES"

#define MAX_ENTRY 64 /* bytes of one that are compared */

enum mxt_gpu_stack mxt_gpu_stack_of(const char *arch)
{
	if (strncmp(arch, "gfx", 3) == 0)
		return MXT_STACK_ROCM;
	return strncmp(arch, "sm_", 3) == 0 ? MXT_STACK_CUDA : MXT_STACK_NONE;
}

/* One entry without the blanks around it, cut to its buffer. Returns what stands behind its comma; NULL at the end. */
static const char *next_entry(const char *list, char entry[MAX_ENTRY])
{
	size_t len = strcspn(list, ",");
	const char *rest = list[len] ? list + len + 1 : NULL;
	for (; len && isspace((unsigned char)*list); list++)
		len--;
	while (len && isspace((unsigned char)list[len - 1]))
		len--;
	len = len < MAX_ENTRY ? len : MAX_ENTRY - 1;
	memcpy(entry, list, len);
	entry[len] = '\0';
	return rest;
}

static bool ends_list(const char *entry)
{
	return entry[0] == '\0' || entry[0] == '-' || strcmp(entry, "NoDevFiles") == 0;
}

/* How many entries there are before the list ends. */
static int64_t count_entries(const char *list)
{
	char entry[MAX_ENTRY];
	int64_t count = 0;
	for (const char *rest = list; rest; count++) {
		rest = next_entry(rest, entry);
		if (ends_list(entry))
			break;
	}
	return count;
}

/* True when one of the first `count` entries is there twice. */
static bool has_double(const char *list, int64_t count)
{
	char entry[MAX_ENTRY], other[MAX_ENTRY];
	const char *rest = list;
	for (int64_t i = 0; i < count; i++) {
		rest = next_entry(rest, entry);
		const char *behind = rest;
		for (int64_t j = i + 1; j < count; j++) {
			behind = next_entry(behind, other);
			if (strcmp(entry, other) == 0)
				return true;
		}
	}
	return false;
}

/* The largest number among the first `count` entries; -1 when there is none. */
static int64_t largest_number(const char *list, int64_t count)
{
	char entry[MAX_ENTRY];
	int64_t largest = -1;
	const char *rest = list;
	for (int64_t i = 0; i < count; i++) {
		rest = next_entry(rest, entry);
		char *end = entry;
		long long number = strtoll(entry, &end, 10);
		if (end != entry && *end == '\0' && number > largest)
			largest = number;
	}
	return largest;
}

/* Values are lists of numbers and UUIDs, and long ones tell nobody more: names and counts are told. */
MXT_PRINTF(5, 6)
static void tell(const struct mxt_advice_sink *sink, enum mxt_advice_kind kind, const char *what, const char *todo,
		 const char *wrong_fmt, ...)
{
	char wrong[256];
	va_list args;
	va_start(args, wrong_fmt);
	(void)vsnprintf(wrong, sizeof wrong, wrong_fmt, args);
	va_end(args);
	const struct mxt_advice advice = {kind, what, wrong, todo};
	sink->take(sink->context, &advice);
}

/* A list by itself. *ret_count: how many it leaves. */
static void look_at_list(const char *name, const char *list, int64_t *ret_count, const struct mxt_advice_sink *sink)
{
	int64_t count = count_entries(list);
	if (count == 0)
		tell(sink, MXT_ADVICE_WARN, name, "unset it, or name the GPUs of the job",
		     "it is set and leaves no GPU");
	else if (has_double(list, count))
		tell(sink, MXT_ADVICE_CONTRADICTION, name, "name each GPU once", "it names a GPU twice");
	*ret_count = count;
}

static void look_at_number(const char *name, int64_t count, int64_t needed, const struct mxt_advice_sink *sink)
{
	if (count < needed)
		tell(sink, MXT_ADVICE_MISMATCH, name, "unset it, or name all of them",
		     "it leaves %" PRId64 " GPU%s, and the job has %" PRId64, count, count == 1 ? "" : "s", needed);
}

static void look_at_layers(const char *rocr, const char *upper_name, const char *upper,
			   const struct mxt_advice_sink *sink)
{
	int64_t left = count_entries(rocr), highest = largest_number(upper, count_entries(upper));
	char what[96];
	(void)snprintf(what, sizeof what, ROCR " and %s", upper_name);
	if (highest >= left)
		tell(sink, MXT_ADVICE_CONTRADICTION, what, "unset one of them",
		     "the second counts from 0 what the first leaves, %" PRId64 " GPU%s, and names number %" PRId64,
		     left, left == 1 ? "" : "s", highest);
}

static void advise_amd(char *const *environment, int64_t needed, const struct mxt_advice_sink *sink)
{
	const char *rocr = mxt_environ_get(environment, ROCR), *hip = mxt_environ_get(environment, HIP);
	const char *cuda = mxt_environ_get(environment, CUDA);
	const char *upper = hip ? hip : cuda, *upper_name = hip ? HIP : CUDA;
	int64_t count = 0;
	if (hip && cuda && strcmp(hip, cuda) != 0)
		tell(sink, MXT_ADVICE_CONTRADICTION, HIP " and " CUDA, "unset one of them, or make them equal",
		     "they differ: HIP obeys the first, and launchers that count GPUs the second");
	if (rocr) {
		look_at_list(ROCR, rocr, &count, sink);
		look_at_number(ROCR, count, needed, sink);
	}
	if (!upper)
		return;
	look_at_list(upper_name, upper, &count, sink);
	if (rocr)
		look_at_layers(rocr, upper_name, upper, sink);
	look_at_number(upper_name, count, needed, sink);
}

static void advise_nvidia(char *const *environment, int64_t needed, const struct mxt_advice_sink *sink)
{
	static const char *const of_rocm[] = {HIP, ROCR};
	const char *cuda = mxt_environ_get(environment, CUDA);
	int64_t count = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(of_rocm); i++)
		if (mxt_environ_get(environment, of_rocm[i]))
			tell(sink, MXT_ADVICE_WARN, of_rocm[i], "unset it; CUDA reads " CUDA,
			     "no effect: nothing reads it on NVIDIA's GPUs");
	if (!cuda)
		return;
	look_at_list(CUDA, cuda, &count, sink);
	look_at_number(CUDA, count, needed, sink);
}

void mxt_visible_devices_advise(char *const *environment, enum mxt_gpu_stack stack, int64_t needed,
				const struct mxt_advice_sink *sink)
{
	if (stack == MXT_STACK_ROCM)
		advise_amd(environment, needed, sink);
	else if (stack == MXT_STACK_CUDA)
		advise_nvidia(environment, needed, sink);
}
