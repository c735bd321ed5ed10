/* SPDX-License-Identifier: Apache-2.0 */
#include "secret_text.h"

#include <string.h>
#include <strings.h>

#include "buf.h"
#include "compiler.h"

/* Words of names; "tokens" is none: a number of them is given. */
static const char *const secret_words[] = {
    "apikey",     "apitoken", "auth", "authtoken", "credential", "credentials", "key",       "passwd",
    "passphrase", "password", "pat",  "pwd",       "secret",     "secrets",     "secretkey", "token",
};

/* Prefixes, and how many characters follow at least; what follows is letters, digits, '-' and '_'. */
static const struct {
	const char *prefix;
	size_t least;
} token_forms[] = {
    {"hf_", 20},       {"ghp_", 30},  {"gho_", 30},  {"ghu_", 30},  {"ghs_", 30},   {"github_pat_", 30},
    {"glpat-", 16},    {"sk-", 20},   {"xoxb-", 16}, {"xoxp-", 16}, {"AKIA", 16},   {"AIza", 30},
    {"wandb_v1_", 16}, {"pypi-", 30}, {"eyJ", 40},   {"dapi", 32},  {"nvapi-", 30},
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z');
}

static bool is_alnum(char c)
{
	return is_letter(c) || is_digit(c);
}

static bool is_token_char(char c)
{
	return is_alnum(c) || c == '-' || c == '_';
}

static bool is_name_char(char c)
{
	return is_token_char(c) || c == '.';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t span(const char *text, bool (*takes)(char))
{
	size_t len = 0;
	while (text[len] && takes(text[len]))
		len++;
	return len;
}

static bool is_secret_word(const char *word, size_t len)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(secret_words); i++)
		if (strlen(secret_words[i]) == len && strncasecmp(secret_words[i], word, len) == 0)
			return true;
	return false;
}

/* A word ends before what is no letter or digit, and where capitals begin: apiKey. */
static size_t word_length(const char *name, size_t len)
{
	size_t end = 1;
	while (end < len && is_alnum(name[0]) && is_alnum(name[end]) &&
	       (is_upper(name[end - 1]) || !is_upper(name[end])))
		end++;
	return end;
}

bool mxt_secret_name(const char *name, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t word = word_length(name + at, len - at);
		if (is_secret_word(name + at, word))
			return true;
		at += word;
	}
	return false;
}

/* Length of a service's token at `text`, which is the start of a word; 0: there is none. */
static size_t token_length(const char *text)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(token_forms); i++) {
		size_t prefix = strlen(token_forms[i].prefix);
		if (strncmp(text, token_forms[i].prefix, prefix) != 0)
			continue;
		size_t rest = span(text + prefix, is_token_char);
		if (rest >= token_forms[i].least)
			return prefix + rest;
	}
	return 0;
}

/* The same for the password in what follows "://": where it begins, and its length. */
static size_t password_length(const char *authority, size_t *ret_begin)
{
	size_t end = strcspn(authority, "/?# \t\n\"'");
	const char *host = memchr(authority, '@', end);
	const char *colon = host ? memchr(authority, ':', (size_t)(host - authority)) : NULL;
	if (!colon)
		return 0;
	while (memchr(host + 1, '@', end - (size_t)(host + 1 - authority)))
		host = memchr(host + 1, '@', end - (size_t)(host + 1 - authority));
	*ret_begin = (size_t)(colon + 1 - authority);
	return (size_t)(host - colon - 1);
}

/* Where the value ends that begins here: at its closing quote, or at a blank. */
static size_t value_length(const char *text)
{
	if (text[0] != '"' && text[0] != '\'')
		return strcspn(text, " \t\n\r\"'");
	const char *close = strchr(text + 1, text[0]);
	return close ? (size_t)(close - text) + 1 : strlen(text);
}

/*
 * At a name: appends it with what stands between it and its secret value, and the mask. Returns how much of the text
 * that was; 0: no secret is given here. `first`: the text begins with it, so that all the rest is its value.
 */
static size_t mask_named(const char *text, bool first, struct mxt_buf *buf)
{
	size_t name = span(text, is_name_char);
	size_t value = name;
	if (!mxt_secret_name(text, name))
		return 0;
	if (text[value] == '=')
		value++;
	else if (text[0] == '-' && is_blank(text[value]))
		value += span(text + value, is_blank);
	else
		return 0;
	size_t len = first && text[name] == '=' ? strlen(text + value) : value_length(text + value);
	mxt_buf_append(buf, text, value);
	mxt_buf_puts(buf, len > 0 ? MXT_SECRET_MASK : "");
	return value + len;
}

/* The same at "://". */
static size_t mask_address(const char *text, struct mxt_buf *buf)
{
	static const char mark[] = "://";
	size_t begin = 0;
	if (strncmp(text, mark, strlen(mark)) != 0)
		return 0;
	size_t len = password_length(text + strlen(mark), &begin);
	if (len == 0)
		return 0;
	mxt_buf_append(buf, text, strlen(mark) + begin);
	mxt_buf_puts(buf, MXT_SECRET_MASK);
	return strlen(mark) + begin + len;
}

void mxt_secret_mask(const char *text, struct mxt_buf *buf)
{
	for (size_t at = 0; text[at];) {
		bool starts = at == 0 || !is_name_char(text[at - 1]);
		size_t token = at == 0 || !is_alnum(text[at - 1]) ? token_length(text + at) : 0;
		size_t done = token;
		if (token > 0)
			mxt_buf_puts(buf, MXT_SECRET_MASK);
		if (done == 0 && starts)
			done = mask_named(text + at, at == 0, buf);
		if (done == 0)
			done = mask_address(text + at, buf);
		if (done == 0) {
			mxt_buf_putc(buf, text[at]);
			done = 1;
		}
		at += done;
	}
}
