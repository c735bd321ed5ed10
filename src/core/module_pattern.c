/* SPDX-License-Identifier: Apache-2.0 */
#include "module_pattern.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/*
 * The pattern becomes a small program; all places in it that a prefix of the name can lead to are followed at once, so
 * nothing is ever tried twice. Offsets are relative: a part that is moved stays what it is.
 */
enum kind {
	TAKE, /* a byte of `set`, then the next step */
	FORK, /* both `first` and `second` */
	JUMP, /* `first` */
	DONE,
};

#define MAX_DEPTH 64

struct parser {
	const char *at;
	unsigned depth;
	struct mxt_module_pattern *pattern;
};

static int parse_alternatives(struct parser *p);

/* ---- sets of bytes ---- */

static void set_add(uint8_t set[32], unsigned char byte)
{
	set[byte / 8] = (uint8_t)(set[byte / 8] | 1U << byte % 8);
}

static bool set_has(const uint8_t set[32], unsigned char byte)
{
	return (set[byte / 8] >> byte % 8 & 1) != 0;
}

static bool in_shorthand(char letter, int byte)
{
	switch (tolower((unsigned char)letter)) {
	case 'd':
		return byte >= '0' && byte <= '9';
	case 'w':
		return (byte < 128 && isalnum(byte)) || byte == '_';
	default:
		return byte == ' ' || (byte >= '\t' && byte <= '\r');
	}
}

/* What follows a backslash: a shorthand, or punctuation that stands for itself. */
static int add_escape(char letter, uint8_t set[32])
{
	if (letter != '\0' && strchr("dwsDWS", letter)) {
		bool opposite = isupper((unsigned char)letter) != 0;
		for (int byte = 1; byte < 256; byte++)
			if (in_shorthand(letter, byte) != opposite)
				set_add(set, (unsigned char)byte);
		return 0;
	}
	if (!ispunct((unsigned char)letter))
		return -ENOTSUP;
	set_add(set, (unsigned char)letter);
	return 0;
}

/* One member of a class: a character, an escape, or a range of characters. */
static int parse_member(struct parser *p, uint8_t set[32])
{
	if (*p->at == '\\') {
		p->at += 2;
		return add_escape(p->at[-1], set);
	}
	unsigned char low = (unsigned char)*p->at++, high = low;
	if (p->at[0] == '-' && p->at[1] != ']' && p->at[1] != '\0') {
		high = (unsigned char)p->at[1];
		p->at += 2;
	}
	if (high < low || high == '\\')
		return -ENOTSUP;
	for (unsigned byte = low; byte <= high; byte++)
		set_add(set, (unsigned char)byte);
	return 0;
}

/* Behind the opening bracket. */
static int parse_class(struct parser *p, uint8_t set[32])
{
	bool opposite = *p->at == '^';
	p->at += opposite ? 1 : 0;
	if (*p->at == ']')
		return -ENOTSUP;
	while (*p->at != ']') {
		if (*p->at == '\0' || (*p->at == '\\' && p->at[1] == '\0'))
			return -ENOTSUP;
		int rc = parse_member(p, set);
		if (rc < 0)
			return rc;
	}
	p->at++;
	for (size_t i = 0; opposite && i < 32; i++)
		set[i] = (uint8_t)~set[i];
	return 0;
}

/* ---- the program ---- */

static int append(struct parser *p, struct mxt_module_step step)
{
	if (p->pattern->count == MXT_MODULE_PATTERN_MAX)
		return -ENOTSUP;
	p->pattern->steps[p->pattern->count++] = step;
	return 0;
}

/* A step before what was appended since `start`. */
static int insert(struct parser *p, size_t start, struct mxt_module_step step)
{
	struct mxt_module_step *at = &p->pattern->steps[start];
	size_t behind = p->pattern->count - start;
	int rc = append(p, step);
	if (rc < 0)
		return rc;
	memmove(at + 1, at, behind * sizeof *at);
	*at = step;
	return 0;
}

static struct mxt_module_step fork_to(size_t first, size_t second)
{
	return (struct mxt_module_step){.kind = FORK, .first = (int16_t)first, .second = (int16_t)second};
}

/* Behind the opening parenthesis. */
static int parse_group(struct parser *p)
{
	if (strncmp(p->at, "?:", 2) == 0)
		p->at += 2;
	else if (*p->at == '?')
		return -ENOTSUP;
	int rc = parse_alternatives(p);
	if (rc < 0 || *p->at != ')')
		return -ENOTSUP;
	p->at++;
	return 0;
}

static int parse_atom(struct parser *p)
{
	struct mxt_module_step step = {.kind = TAKE};
	char c = *p->at++;
	int rc = 0;
	if (c == '(')
		return parse_group(p);
	if (c == '[') {
		rc = parse_class(p, step.set);
	} else if (c == '\\') {
		rc = add_escape(*p->at, step.set);
		p->at += rc == 0 ? 1 : 0;
	} else if (c == '.') {
		memset(step.set, 0xff, sizeof step.set);
	} else if (strchr("*+?{}^$", c)) {
		rc = -ENOTSUP;
	} else {
		set_add(step.set, (unsigned char)c);
	}
	return rc < 0 ? rc : append(p, step);
}

/* How often what was appended since `start` may come. */
static int parse_repeat(struct parser *p, size_t start)
{
	char c = *p->at;
	size_t len = p->pattern->count - start;
	if (c == '\0' || !strchr("*+?", c))
		return 0;
	p->at++;
	p->at += *p->at == '?' ? 1 : 0; /* lazy: the same, as the whole name must match */
	if (*p->at != '\0' && strchr("*+?", *p->at))
		return -ENOTSUP;
	if (c == '+')
		return append(p, (struct mxt_module_step){.kind = FORK, .first = (int16_t) - (int)len, .second = 1});
	int rc = insert(p, start, fork_to(1, len + (c == '*' ? 2 : 1)));
	if (rc < 0 || c == '?')
		return rc;
	return append(p, (struct mxt_module_step){.kind = JUMP, .first = (int16_t) - (int)(len + 1)});
}

static bool at_end(const struct parser *p)
{
	const char *at = p->at[0] == '$' && p->at[1] == '\0' ? p->at + 1 : p->at;
	return *at == '\0' || *at == '|' || *at == ')';
}

static int parse_sequence(struct parser *p)
{
	int rc = 0;
	while (rc == 0 && !at_end(p)) {
		size_t start = p->pattern->count;
		rc = parse_atom(p);
		if (rc == 0)
			rc = parse_repeat(p, start);
	}
	return rc;
}

static int parse_alternatives(struct parser *p)
{
	if (++p->depth > MAX_DEPTH)
		return -ENOTSUP;
	size_t start = p->pattern->count;
	int rc = parse_sequence(p);
	if (rc == 0 && *p->at == '|') {
		p->at++;
		rc = insert(p, start, fork_to(1, p->pattern->count - start + 2));
		size_t jump = p->pattern->count;
		if (rc == 0)
			rc = append(p, (struct mxt_module_step){.kind = JUMP});
		if (rc == 0)
			rc = parse_alternatives(p);
		if (rc == 0)
			p->pattern->steps[jump].first = (int16_t)(p->pattern->count - jump);
	}
	p->depth--;
	return rc;
}

int mxt_module_pattern_parse(const char *text, struct mxt_module_pattern *ret_pattern)
{
	struct parser p = {.at = text + (*text == '^' ? 1 : 0), .pattern = ret_pattern};
	ret_pattern->count = 0;
	int rc = parse_alternatives(&p);
	p.at += *p.at == '$' ? 1 : 0;
	if (rc < 0 || *p.at != '\0')
		return -ENOTSUP;
	return append(&p, (struct mxt_module_step){.kind = DONE});
}

/* ---- names ---- */

/* Places in the program, each once. */
struct places {
	size_t count;
	int list[MXT_MODULE_PATTERN_MAX];
	bool in[MXT_MODULE_PATTERN_MAX];
};

static void add_place(struct places *places, int place)
{
	if (places->in[place])
		return;
	places->in[place] = true;
	places->list[places->count++] = place;
}

/* Where `byte` leads from `now`; '\0' is the end of the name. True: the pattern may end here. */
static bool follow(const struct mxt_module_pattern *pattern, struct places *now, unsigned char byte,
		   struct places *next)
{
	bool done = false;
	for (size_t i = 0; i < now->count; i++) {
		int place = now->list[i];
		const struct mxt_module_step *step = &pattern->steps[place];
		if (step->kind == DONE)
			done = true;
		if (step->kind == FORK || step->kind == JUMP)
			add_place(now, place + step->first);
		if (step->kind == FORK)
			add_place(now, place + step->second);
		if (step->kind == TAKE && byte != '\0' && set_has(step->set, byte))
			add_place(next, place + 1);
	}
	return done;
}

bool mxt_module_pattern_matches(const struct mxt_module_pattern *pattern, const char *name)
{
	struct places now = {.count = 0};
	add_place(&now, 0);
	for (;; name++) {
		struct places next = {.count = 0};
		bool done = follow(pattern, &now, (unsigned char)*name, &next);
		if (*name == '\0')
			return done;
		if (next.count == 0)
			return false;
		now = next;
	}
}
