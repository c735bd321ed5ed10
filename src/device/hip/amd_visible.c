/* SPDX-License-Identifier: Apache-2.0 */
#include "amd_visible.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "environ.h"

#define UUID_SIZE  21 /* "GPU-" and 16 digits, with the NUL */
#define TOKEN_SIZE 64 /* what is longer is understood by nobody */
#define NOBODY     SIZE_MAX

/* One entry of a list, cut at its comma. Returns the rest behind the comma; NULL at the end. */
static const char *next_token(const char *list, char token[TOKEN_SIZE])
{
	size_t len = strcspn(list, ",");
	size_t kept = len < TOKEN_SIZE - 1 ? len : TOKEN_SIZE - 1;
	memcpy(token, list, kept);
	token[kept] = '\0';
	return list[len] ? list + len + 1 : NULL;
}

static bool has(const struct mxt_amd_choice *choice, uint32_t item)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->items[i] == item)
			return true;
	return false;
}

/* Takes the blanks off both ends, and makes all letters large, as ROCm's layer does first. */
static void normalize(char token[TOKEN_SIZE])
{
	size_t start = strspn(token, " \t\n\v\f\r"), len = strlen(token + start);
	memmove(token, token + start, len + 1);
	while (len && isspace((unsigned char)token[len - 1]))
		token[--len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (token[i] >= 'a' && token[i] <= 'z')
			token[i] = (char)(token[i] - 'a' + 'A');
}

/* The only GPU whose UUID begins like this. Partitions of a card share theirs, so no UUID chooses one of them. */
static size_t find_beginning(const char *token, const uint64_t *ids, const struct mxt_amd_choice *from)
{
	size_t found = NOBODY, len = strlen(token);
	if (len <= strlen("GPU-") || len >= UUID_SIZE)
		return NOBODY;
	for (size_t i = 0; i < from->count; i++) {
		char uuid[UUID_SIZE];
		(void)snprintf(uuid, sizeof uuid, "GPU-%016" PRIX64, ids[from->items[i]]);
		if (ids[from->items[i]] == 0 || strncmp(uuid, token, len) != 0)
			continue;
		if (found != NOBODY)
			return NOBODY;
		found = i;
	}
	return found;
}

/* A number as strtol(3) reads it: a sign and 0x are allowed. */
static size_t read_index(const char *token)
{
	char *end = NULL;
	long index = strtol(token, &end, 0);
	return *token && *end == '\0' && index >= 0 && index < MXT_AMD_MAX_GPUS ? (size_t)index : NOBODY;
}

static void choose_rocr(const char *value, const uint64_t *ids, const struct mxt_amd_choice *from,
			struct mxt_amd_choice *ret_choice)
{
	ret_choice->count = 0;
	const char *rest = *value ? value : NULL;
	for (size_t i = 0; rest && i < from->count; i++) {
		char token[TOKEN_SIZE];
		rest = next_token(rest, token);
		normalize(token);
		size_t place = token[0] == 'G' ? find_beginning(token, ids, from) : read_index(token);
		if (place >= from->count || has(ret_choice, from->items[place]))
			return;
		ret_choice->items[ret_choice->count++] = from->items[place];
	}
}

/* The first GPU whose UUID holds the token. */
static size_t find_part(const char *token, const uint64_t *ids, const struct mxt_amd_choice *from)
{
	for (size_t i = 0; i < from->count; i++) {
		char uuid[UUID_SIZE] = "GPU-XX";
		if (ids[from->items[i]])
			(void)snprintf(uuid, sizeof uuid, "GPU-%016" PRIx64, ids[from->items[i]]);
		if (strstr(uuid, token))
			return i;
	}
	return NOBODY;
}

/* A number as it would be printed: no blanks, no sign, no leading zeros. */
static size_t read_plain_index(const char *token)
{
	size_t len = strlen(token);
	if (len == 0 || len > 4 || strspn(token, "0123456789") != len || (token[0] == '0' && len > 1))
		return NOBODY;
	return (size_t)strtoul(token, NULL, 10);
}

static void choose_hip(const char *value, const uint64_t *ids, const struct mxt_amd_choice *from,
		       struct mxt_amd_choice *ret_choice)
{
	ret_choice->count = 0;
	const char *rest = *value ? value : NULL;
	while (rest && *rest) {
		char token[TOKEN_SIZE];
		rest = next_token(rest, token);
		size_t place = strstr(token, "GPU-") ? find_part(token, ids, from) : read_plain_index(token);
		if (place >= from->count)
			return;
		if (!has(ret_choice, from->items[place]))
			ret_choice->items[ret_choice->count++] = from->items[place];
	}
}

typedef void choose(const char *value, const uint64_t *ids, const struct mxt_amd_choice *from,
		    struct mxt_amd_choice *ret_choice);

/* Replaces *choice by what a variable leaves of it. */
static const char *apply(const char *name, const char *value, choose *choose_by, const uint64_t *ids,
			 struct mxt_amd_choice *choice)
{
	struct mxt_amd_choice from = *choice;
	choose_by(value, ids, &from, choice);
	return choice->count < from.count ? name : NULL;
}

const char *mxt_amd_visible(char *const *environment, const uint64_t *ids, size_t n, struct mxt_amd_choice *ret_choice)
{
	static const char *const of_hip[] = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};
	const char *hides = NULL;
	const char *value = mxt_environ_get(environment, "ROCR_VISIBLE_DEVICES");
	ret_choice->count = n;
	for (uint32_t i = 0; i < n; i++)
		ret_choice->items[i] = i;
	if (value)
		hides = apply("ROCR_VISIBLE_DEVICES", value, choose_rocr, ids, ret_choice);
	for (size_t i = 0; i < MXT_ARRAY_LEN(of_hip); i++) {
		value = mxt_environ_get(environment, of_hip[i]);
		if (!value)
			continue;
		const char *name = apply(of_hip[i], value, choose_hip, ids, ret_choice);
		return name ? name : hides;
	}
	return hides;
}
