/* SPDX-License-Identifier: Apache-2.0 */
#include "value_rule.h"

#include <inttypes.h>
#include <string.h>

#include "number.h"
#include "words.h"

#define MAX_PROCESSOR 65535
#define MAX_PLACES    4096

static bool is_word(const struct mxt_value_rule *rule, const char *value)
{
	return mxt_words_index(rule->words, value, strlen(value), false) >= 0;
}

static bool is_word_of_any_case(const struct mxt_value_rule *rule, const char *value)
{
	return mxt_words_index(rule->words, value, strlen(value), true) >= 0;
}

static bool is_words(const struct mxt_value_rule *rule, const char *value)
{
	uint64_t seen = 0;
	const char *at = value + (value[0] == '^' ? 1 : 0);
	for (;;) {
		size_t len = strcspn(at, ",");
		int index = mxt_words_index(rule->words, at, len, false);
		if (index < 0 || index > 63 || (seen >> index & 1))
			return false;
		seen |= UINT64_C(1) << index;
		if (at[len] == '\0')
			return true;
		at += len + 1;
	}
}

static bool is_integer(const struct mxt_value_rule *rule, const char *value)
{
	int64_t number = 0;
	return strcmp(value, "-0") != 0 && mxt_parse_i64_in(value, rule->min, rule->max, &number) == 0;
}

/* Takes a decimal number of at most `max` at *at; false when there is none. */
static bool take_number(const char **at, uint64_t max)
{
	const char *end = *at;
	uint64_t number = 0;
	if ((*at)[0] == '0' && (*at)[1] != '\0' && strchr("0123456789xX", (*at)[1]))
		return false; /* leading zeros, 0x */
	if (mxt_parse_u64(*at, &end, &number) < 0 || number > max)
		return false;
	*at = end;
	return true;
}

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* `start[:length[:stride]]` of OMP_PLACES. */
static bool take_interval(const char **at)
{
	if (!take_number(at, MAX_PROCESSOR))
		return false;
	if (take_char(at, ':') && !take_number(at, MAX_PLACES))
		return false;
	return !take_char(at, ':') || take_number(at, MAX_PROCESSOR);
}

/* `{interval,…}`, then perhaps `:count[:stride]`. */
static bool take_place(const char **at)
{
	if (!take_char(at, '{'))
		return false;
	do {
		if (!take_interval(at))
			return false;
	} while (take_char(at, ','));
	if (!take_char(at, '}'))
		return false;
	if (!take_char(at, ':'))
		return true;
	return take_number(at, MAX_PLACES) && (!take_char(at, ':') || take_number(at, MAX_PROCESSOR));
}

static bool is_place_list(const char *at)
{
	do {
		if (!take_place(&at))
			return false;
	} while (take_char(&at, ','));
	return *at == '\0';
}

/* An abstract name, perhaps with a count, or a list of places. */
static bool is_places(const struct mxt_value_rule *rule, const char *value)
{
	size_t len = strcspn(value, "(");
	if (mxt_words_index(rule->words, value, len, false) < 0)
		return is_place_list(value);
	const char *at = value + len;
	if (*at == '\0')
		return true;
	return take_char(&at, '(') && take_number(&at, MAX_PLACES) && take_char(&at, ')') && *at == '\0';
}

/* `N`, `N-M` or `N-M:S`, separated by one comma or blank. */
static bool is_processors(const struct mxt_value_rule *rule, const char *at)
{
	(void)rule;
	do {
		if (!take_number(&at, MAX_PROCESSOR))
			return false;
		bool range = take_char(&at, '-');
		if (range && !take_number(&at, MAX_PROCESSOR))
			return false;
		if (range && take_char(&at, ':') && !take_number(&at, MAX_PROCESSOR))
			return false;
	} while (take_char(&at, ',') || take_char(&at, ' '));
	return *at == '\0';
}

static bool is_file(const struct mxt_value_rule *rule, const char *value)
{
	size_t len = strlen(value);
	return len > 7 && strncmp(value, "@file:", 6) == 0 && value[len - 1] == '@' &&
	       mxt_words_index(rule->words, value + 6, len - 7, false) >= 0;
}

static bool is_nothing(const struct mxt_value_rule *rule, const char *value)
{
	(void)rule;
	(void)value;
	return false;
}

bool mxt_value_allowed(const struct mxt_value_rule *rule, const char *value)
{
	static bool (*const is_allowed[])(const struct mxt_value_rule *rule, const char *value) = {
	    [MXT_VALUE_NONE] = is_nothing,
	    [MXT_VALUE_INTEGER] = is_integer,
	    [MXT_VALUE_WORD] = is_word,
	    [MXT_VALUE_ANY_CASE] = is_word_of_any_case,
	    [MXT_VALUE_WORDS] = is_words,
	    [MXT_VALUE_PLACES] = is_places,
	    [MXT_VALUE_PROCESSORS] = is_processors,
	    [MXT_VALUE_FILE] = is_file,
	};
	return is_allowed[rule->kind](rule, value);
}

void mxt_value_rule_text(const struct mxt_value_rule *rule, struct mxt_buf *buf)
{
	static const char *const texts[] = {
	    [MXT_VALUE_NONE] = "nothing",
	    [MXT_VALUE_WORD] = "one of ",
	    [MXT_VALUE_ANY_CASE] = "one of ",
	    [MXT_VALUE_WORDS] = "a comma-separated list (after ^: of exclusions) of ",
	    [MXT_VALUE_PLACES] = "places such as {0:4},{4:4}, or one of ",
	    [MXT_VALUE_PROCESSORS] = "processors such as 0-3,8-15:2",
	    [MXT_VALUE_FILE] = "@file:NAME@ with the NAME ",
	};
	if (rule->kind == MXT_VALUE_INTEGER) {
		mxt_buf_printf(buf, "a whole number from %" PRId64 " to %" PRId64, rule->min, rule->max);
		return;
	}
	mxt_buf_puts(buf, texts[rule->kind]);
	mxt_words_text(rule->words, buf);
}
