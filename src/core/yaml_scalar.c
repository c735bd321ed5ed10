/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_scalar.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define DIGITS "0123456789"

/* ---- words ---- */

struct word {
	const char *text;
	enum mxt_yaml_kind kind;
	bool truth;
};

static const struct word words[] = {
    {"yes", MXT_YAML_BOOL, true},    {"Yes", MXT_YAML_BOOL, true},    {"YES", MXT_YAML_BOOL, true},
    {"no", MXT_YAML_BOOL, false},    {"No", MXT_YAML_BOOL, false},    {"NO", MXT_YAML_BOOL, false},
    {"true", MXT_YAML_BOOL, true},   {"True", MXT_YAML_BOOL, true},   {"TRUE", MXT_YAML_BOOL, true},
    {"false", MXT_YAML_BOOL, false}, {"False", MXT_YAML_BOOL, false}, {"FALSE", MXT_YAML_BOOL, false},
    {"on", MXT_YAML_BOOL, true},     {"On", MXT_YAML_BOOL, true},     {"ON", MXT_YAML_BOOL, true},
    {"off", MXT_YAML_BOOL, false},   {"Off", MXT_YAML_BOOL, false},   {"OFF", MXT_YAML_BOOL, false},
    {"", MXT_YAML_NULL, false},      {"~", MXT_YAML_NULL, false},     {"null", MXT_YAML_NULL, false},
    {"Null", MXT_YAML_NULL, false},  {"NULL", MXT_YAML_NULL, false},  {"<<", MXT_YAML_MERGE, false},
    {"=", MXT_YAML_VALUE, false},
};

static bool resolve_word(const char *text, struct mxt_yaml_value *ret_value)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(words); i++) {
		if (strcmp(words[i].text, text) != 0)
			continue;
		*ret_value = (struct mxt_yaml_value){.kind = words[i].kind, .boolean = words[i].truth};
		return true;
	}
	return false;
}

/* ---- shapes: each advances *at over what it matches ---- */

static bool match_any(const char **at, const char *set)
{
	if (**at == '\0' || !strchr(set, **at))
		return false;
	++*at;
	return true;
}

static bool match_span(const char **at, const char *set)
{
	*at += strspn(*at, set);
	return true;
}

/* A digit, then digits and underscores. */
static bool match_digits(const char **at)
{
	return match_any(at, DIGITS) && match_span(at, DIGITS "_");
}

/* One or more ":" with a number below 60 of one or two digits behind it. */
static bool match_sixties(const char **at)
{
	bool any = false;
	while (**at == ':') {
		size_t digits = strspn(*at + 1, DIGITS);
		if (digits == 0 || digits > 2 || (digits == 2 && (*at)[1] > '5'))
			break;
		*at += 1 + digits;
		any = true;
	}
	return any;
}

/* ---- whole numbers ---- */

static int64_t signed_value(bool negative, uint64_t magnitude, bool *overflow)
{
	uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	*overflow = *overflow || magnitude > limit;
	if (*overflow)
		return negative ? INT64_MIN : INT64_MAX;
	return negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return (unsigned)((c | 0x20) - 'a') + 10;
}

struct magnitude {
	uint64_t value;
	bool overflow;
};

static void push(struct magnitude *m, unsigned base, unsigned digit)
{
	m->overflow = m->overflow || m->value > (UINT64_MAX - digit) / base;
	m->value = m->value * base + digit;
}

/* All digits of a base, underscores skipped; false when there is none. */
static bool read_base(const char *text, unsigned base, struct magnitude *m)
{
	bool any = false;
	for (; *text; text++) {
		if (*text == '_')
			continue;
		push(m, base, digit_value(*text));
		any = true;
	}
	return any;
}

/* Digits in groups of base 60: 1:30 is 90. */
static void read_sixties(const char *text, struct magnitude *m)
{
	struct magnitude group = {0, false};
	for (;; text++) {
		if (*text == ':' || *text == '\0') {
			m->overflow = m->overflow || group.overflow || m->value > (UINT64_MAX - group.value) / 60;
			m->value = m->value * 60 + group.value;
			group = (struct magnitude){0, false};
		} else if (*text != '_') {
			push(&group, 10, digit_value(*text));
		}
		if (*text == '\0')
			return;
	}
}

struct base_row {
	const char *prefix;
	const char *digits;
	unsigned base;
};

static const struct base_row base_rows[] = {
    {"0b", "01_", 2},
    {"0x", "0123456789abcdefABCDEF_", 16},
    {"0", "01234567_", 8},
};

static const struct base_row *base_of(const char *text)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(base_rows); i++) {
		size_t len = strlen(base_rows[i].prefix);
		const char *rest = text + len;
		if (strncmp(text, base_rows[i].prefix, len) == 0 && *rest &&
		    rest[strspn(rest, base_rows[i].digits)] == '\0')
			return &base_rows[i];
	}
	return NULL;
}

static bool is_decimal(const char *text, bool *sixties)
{
	const char *at = text;
	if (*at == '0')
		return at[1] == '\0';
	if (!match_digits(&at))
		return false;
	*sixties = match_sixties(&at);
	return *at == '\0';
}

/* 1: a whole number; 0: something else; -EINVAL: looks like one without digits (0x_). */
static int resolve_int(const char *text, struct mxt_yaml_value *ret_value)
{
	const char *digits = text;
	match_any(&digits, "+-");
	struct magnitude m = {0, false};
	bool sixties = false;
	const struct base_row *row = base_of(digits);
	if (row) {
		bool octal = row->base == 8; /* its 0 is a digit too */
		if (!read_base(digits + strlen(row->prefix), row->base, &m) && !octal)
			return -EINVAL;
	} else if (!is_decimal(digits, &sixties)) {
		return 0;
	} else if (sixties) {
		read_sixties(digits, &m);
	} else {
		(void)read_base(digits, 10, &m);
	}
	*ret_value = (struct mxt_yaml_value){.kind = MXT_YAML_INT, .overflow = m.overflow};
	ret_value->integer = signed_value(text[0] == '-', m.value, &ret_value->overflow);
	return 1;
}

/* ---- fractions ---- */

static bool match_exponent(const char **at)
{
	const char *start = *at;
	if (match_any(at, "eE") && match_any(at, "+-") && match_any(at, DIGITS))
		return match_span(at, DIGITS);
	*at = start;
	return true; /* optional: what is left over makes the match fail */
}

static bool is_float(const char *text)
{
	const char *at = text;
	if (*at == '.') {
		at++;
		return match_digits(&at) && match_exponent(&at) && *at == '\0';
	}
	match_any(&at, "+-");
	if (!match_digits(&at))
		return false;
	bool sixties = match_sixties(&at);
	if (!match_any(&at, ".") || !match_span(&at, DIGITS "_"))
		return false;
	return (sixties || match_exponent(&at)) && *at == '\0';
}

/* strtod() of the digits without underscores, in groups of base 60, whatever the locale. */
static int read_real(const char *text, size_t len, double *ret_real)
{
	char *digits = malloc(len + 1);
	locale_t c_locale = digits ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
	if (!c_locale) {
		free(digits);
		return -ENOMEM;
	}
	size_t kept = 0;
	for (size_t i = 0; i < len; i++)
		if (text[i] != '_')
			digits[kept++] = text[i];
	digits[kept] = '\0';
	double sum = 0;
	for (char *at = digits; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
		sum = sum * 60 + strtod_l(at, NULL, c_locale);
	freelocale(c_locale);
	free(digits);
	*ret_real = sum;
	return 0;
}

struct special_row {
	const char *text;
	double real;
};

static bool resolve_special(const char *text, struct mxt_yaml_value *ret_value)
{
	static const struct special_row rows[] = {
	    {".inf", INFINITY},   {".Inf", INFINITY},    {".INF", INFINITY},    {"+.inf", INFINITY},
	    {"+.Inf", INFINITY},  {"+.INF", INFINITY},   {"-.inf", -INFINITY},  {"-.Inf", -INFINITY},
	    {"-.INF", -INFINITY}, {".nan", (double)NAN}, {".NaN", (double)NAN}, {".NAN", (double)NAN},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].text, text) != 0)
			continue;
		*ret_value = (struct mxt_yaml_value){.kind = MXT_YAML_FLOAT, .real = rows[i].real};
		return true;
	}
	return false;
}

/* 1: a fraction; 0: something else; -ENOMEM. */
static int resolve_float(const char *text, size_t len, struct mxt_yaml_value *ret_value)
{
	if (resolve_special(text, ret_value))
		return 1;
	if (!is_float(text))
		return 0;
	double real = 0;
	bool negative = text[0] == '-';
	size_t skip = negative || text[0] == '+' ? 1 : 0;
	int rc = read_real(text + skip, len - skip, &real);
	if (rc < 0)
		return rc;
	*ret_value = (struct mxt_yaml_value){.kind = MXT_YAML_FLOAT, .real = negative ? -real : real};
	return 1;
}

int mxt_yaml_scalar_float(const char *text, size_t len, struct mxt_yaml_value *ret_value)
{
	const char *digits = text;
	match_any(&digits, "+-");
	const char *at = digits;
	int rc = resolve_float(text, len, ret_value);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (!match_digits(&at) || *at != '\0')
		return -EINVAL;
	double real = 0;
	rc = read_real(digits, len - (size_t)(digits - text), &real);
	if (rc == 0)
		*ret_value = (struct mxt_yaml_value){.kind = MXT_YAML_FLOAT, .real = text[0] == '-' ? -real : real};
	return rc;
}

/* ---- dates ---- */

/* `min` to `max` digits; their value through *ret_number. */
static bool match_number(const char **at, size_t min, size_t max, int *ret_number)
{
	size_t len = strspn(*at, DIGITS);
	len = len > max ? max : len;
	if (len < min)
		return false;
	int number = 0;
	for (size_t i = 0; i < len; i++)
		number = number * 10 + ((*at)[i] - '0');
	*at += len;
	*ret_number = number;
	return true;
}

struct date {
	int year, month, day, hour, minute, second, zone_hour, zone_minute;
	bool short_fields; /* a month or day of one digit, which needs a time */
	bool timed;
};

static bool match_day(const char **at, struct date *d)
{
	const char *start = *at;
	if (!match_number(at, 4, 4, &d->year) || !match_any(at, "-") || !match_number(at, 1, 2, &d->month) ||
	    !match_any(at, "-") || !match_number(at, 1, 2, &d->day))
		return false;
	d->short_fields = *at - start != 10;
	return true;
}

static bool match_zone(const char **at, struct date *d)
{
	match_span(at, " \t");
	if (match_any(at, "Z"))
		return true;
	if (!match_any(at, "+-") || !match_number(at, 1, 2, &d->zone_hour))
		return false;
	return **at != ':' || (match_any(at, ":") && match_number(at, 2, 2, &d->zone_minute));
}

static bool match_time(const char **at, struct date *d)
{
	if (!match_any(at, "Tt") && !match_any(at, " \t"))
		return false;
	if ((*at)[-1] == ' ' || (*at)[-1] == '\t')
		match_span(at, " \t");
	if (!match_number(at, 1, 2, &d->hour) || !match_any(at, ":") || !match_number(at, 2, 2, &d->minute) ||
	    !match_any(at, ":") || !match_number(at, 2, 2, &d->second))
		return false;
	if (match_any(at, "."))
		match_span(at, DIGITS);
	d->timed = true;
	return **at == '\0' || match_zone(at, d);
}

static bool is_day(const struct date *d)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	if (d->year < 1 || d->month < 1 || d->month > 12)
		return false;
	bool leap = (d->year % 4 == 0 && d->year % 100 != 0) || d->year % 400 == 0;
	return d->day >= 1 && d->day <= days[d->month - 1] + (d->month == 2 && leap ? 1 : 0);
}

/* 1: a date; 0: something else; -EINVAL: of its form, but none in the calendar. */
static int resolve_date(const char *text, struct mxt_yaml_value *ret_value)
{
	struct date d = {.year = 0};
	const char *at = text;
	if (!match_day(&at, &d))
		return 0;
	if (*at == '\0' ? d.short_fields : !match_time(&at, &d) || *at != '\0')
		return 0;
	bool in_day = d.hour < 24 && d.minute < 60 && d.second < 60;
	bool in_zone = d.zone_hour * 60 + d.zone_minute < 24 * 60;
	if (!is_day(&d) || !in_day || !in_zone)
		return -EINVAL;
	*ret_value = (struct mxt_yaml_value){.kind = MXT_YAML_TIMESTAMP};
	return 1;
}

/* ---- all ---- */

int mxt_yaml_scalar_resolve(const char *text, size_t len, struct mxt_yaml_value *ret_value)
{
	if (resolve_word(text, ret_value))
		return 0;
	int rc = resolve_float(text, len, ret_value);
	if (rc == 0)
		rc = resolve_int(text, ret_value);
	if (rc == 0)
		rc = resolve_date(text, ret_value);
	if (rc == 0)
		*ret_value = (struct mxt_yaml_value){.kind = MXT_YAML_STRING};
	return rc < 0 ? rc : 0;
}

const char *mxt_yaml_kind_name(enum mxt_yaml_kind kind)
{
	static const char *const names[] = {
	    [MXT_YAML_NULL] = "empty",         [MXT_YAML_BOOL] = "true or false",
	    [MXT_YAML_INT] = "a whole number", [MXT_YAML_FLOAT] = "a number with a fraction",
	    [MXT_YAML_STRING] = "text",        [MXT_YAML_TIMESTAMP] = "a date",
	    [MXT_YAML_SEQUENCE] = "a list",    [MXT_YAML_MAPPING] = "a map",
	    [MXT_YAML_MERGE] = "a merge key",  [MXT_YAML_VALUE] = "a value key",
	};
	return names[kind];
}
