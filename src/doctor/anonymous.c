/* SPDX-License-Identifier: Apache-2.0 */
#include "anonymous.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "affix.h"
#include "cleanup.h"
#include "environ.h"
#include "number.h"

#define UUID_LEN 36
#define MAC_LEN  17
#define ID_MAX   72
#define MIN_NAME 2 /* shorter names are found everywhere */

/* ---- who is named ---- */

static char *copy_of(struct mxt_anonymous *anonymous, const char *text, size_t len)
{
	char *copy = strndup(text, len);
	anonymous->failed = anonymous->failed || !copy;
	return copy;
}

static void add_user(struct mxt_anonymous *anonymous, const char *name, size_t len)
{
	if (len < MIN_NAME || anonymous->n_users == MXT_ANONYMOUS_NAMES || (len == 4 && memcmp(name, "root", 4) == 0))
		return;
	anonymous->users[anonymous->n_users] = copy_of(anonymous, name, len);
	anonymous->n_users += anonymous->users[anonymous->n_users] ? 1 : 0;
}

void mxt_anonymous_init(struct mxt_anonymous *anonymous, const char *host, char *const *environment)
{
	static const char *const variables[] = {"USER", "LOGNAME", "SUDO_USER"};
	static const char home[] = "/home/";
	*anonymous = (struct mxt_anonymous){.host = NULL};
	size_t host_len = host ? strcspn(host, ".") : 0; /* of a full name, the first part tells enough */
	if (host_len >= MIN_NAME && strncmp(host, "localhost", host_len) != 0)
		anonymous->host = copy_of(anonymous, host, host_len);
	for (size_t i = 0; environment && i < MXT_ARRAY_LEN(variables); i++) {
		const char *name = mxt_environ_get(environment, variables[i]);
		if (name)
			add_user(anonymous, name, strlen(name));
	}
	const char *folder = environment ? mxt_environ_get(environment, "HOME") : NULL;
	if (folder && strncmp(folder, home, sizeof home - 1) == 0)
		add_user(anonymous, folder + sizeof home - 1, strcspn(folder + sizeof home - 1, "/"));
}

void mxt_anonymous_finish(struct mxt_anonymous *anonymous)
{
	free(anonymous->host);
	for (size_t i = 0; i < anonymous->n_users; i++)
		free(anonymous->users[i]);
	for (size_t i = 0; i < anonymous->n_ids; i++)
		free(anonymous->ids[i]);
	free(anonymous->ids);
	*anonymous = (struct mxt_anonymous){.host = NULL};
}

/* The number of an identifier, from 1: that of the same one before, or a new one. */
static unsigned number_of(struct mxt_anonymous *anonymous, const char *text)
{
	for (size_t i = 0; i < anonymous->n_ids; i++)
		if (strcmp(anonymous->ids[i], text) == 0)
			return (unsigned)i + 1;
	char **ids = realloc(anonymous->ids, (anonymous->n_ids + 1) * sizeof *ids);
	if (ids)
		anonymous->ids = ids;
	char *copy = ids ? strdup(text) : NULL;
	if (!copy) {
		anonymous->failed = true;
		return 0;
	}
	ids[anonymous->n_ids] = copy;
	return (unsigned)++anonymous->n_ids;
}

/* ---- what an identifier looks like ---- */

/* A position in a text. In a path, a word that is the host's name ("vm") is most likely something else. */
struct place {
	const char *at, *begin, *end;
	bool path;
};

static size_t left(const struct place *p)
{
	return (size_t)(p->end - p->at);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool starts_word(const struct place *p)
{
	return p->at == p->begin || !is_word(p->at[-1]);
}

static bool ends_word(const struct place *p, size_t len)
{
	return len == left(p) || !is_word(p->at[len]);
}

static size_t hex_run(const struct place *p)
{
	size_t n = 0;
	while (n < left(p) && isxdigit((unsigned char)p->at[n]))
		n++;
	return n;
}

/* 8-4-4-4-12 hexadecimal digits; control groups write '_' for '-'. */
static bool is_uuid(const char *text)
{
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? text[i] != '-' && text[i] != '_' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

static bool is_mac(const char *text)
{
	for (size_t i = 0; i < MAC_LEN; i++)
		if (i % 3 == 2 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

/* The number of what stands at `p`, in lower case, letters and digits only. */
static unsigned number_at(struct mxt_anonymous *anonymous, const struct place *p, size_t len)
{
	char id[ID_MAX + 1];
	size_t n = 0;
	for (size_t i = 0; i < len && n < ID_MAX; i++)
		if (isalnum((unsigned char)p->at[i]))
			id[n++] = (char)tolower((unsigned char)p->at[i]);
	id[n] = '\0';
	return number_of(anonymous, id);
}

static size_t take_uuid(struct mxt_anonymous *anonymous, const struct place *p, struct mxt_buf *out)
{
	if (left(p) < UUID_LEN || !is_uuid(p->at) || !ends_word(p, UUID_LEN))
		return 0;
	mxt_buf_printf(out, "00000000-0000-0000-0000-%012x", number_at(anonymous, p, UUID_LEN));
	return UUID_LEN;
}

static size_t take_mac(struct mxt_anonymous *anonymous, const struct place *p, struct mxt_buf *out)
{
	if (left(p) < MAC_LEN || !is_mac(p->at) || !ends_word(p, MAC_LEN))
		return 0;
	mxt_buf_printf(out, "02:00:00:00:00:%02x", number_at(anonymous, p, MAC_LEN) & 0xff);
	return MAC_LEN;
}

/* Ids of machines and containers have 32 or 64 digits; git's hashes have 40, and stay. */
static size_t take_long_hex(struct mxt_anonymous *anonymous, const struct place *p, struct mxt_buf *out)
{
	size_t len = hex_run(p);
	if ((len != 32 && len != 64) || !ends_word(p, len))
		return 0;
	mxt_buf_printf(out, "%0*x", (int)len, number_at(anonymous, p, len));
	return len;
}

/* "GPU-" and 16 digits: ROCm's name of a GPU, the digits being its unique id. */
static size_t take_gpu(struct mxt_anonymous *anonymous, const struct place *p, struct mxt_buf *out)
{
	static const char start[] = "GPU-";
	const struct place digits = {p->at + sizeof start - 1, p->begin, p->end, p->path};
	if (left(p) < sizeof start + 15 || strncmp(p->at, start, sizeof start - 1) != 0 || hex_run(&digits) != 16 ||
	    !ends_word(&digits, 16))
		return 0;
	mxt_buf_printf(out, "GPU-%016x", number_at(anonymous, &digits, 16));
	return sizeof start + 15;
}

static size_t take_name(const struct mxt_anonymous *anonymous, const struct place *p, struct mxt_buf *out)
{
	for (size_t i = 0; i <= anonymous->n_users; i++) {
		const char *name = i < anonymous->n_users ? anonymous->users[i] : p->path ? NULL : anonymous->host;
		size_t len = name ? strlen(name) : 0;
		if (len == 0 || len > left(p) || strncmp(p->at, name, len) != 0 || !ends_word(p, len))
			continue;
		mxt_buf_puts(out, i < anonymous->n_users ? "user" : "host");
		return len;
	}
	return 0;
}

/* Whoever's home it is. */
static size_t take_home(const struct place *p, struct mxt_buf *out)
{
	static const char home[] = "/home/";
	size_t len = sizeof home - 1;
	if (left(p) <= len || strncmp(p->at, home, len) != 0 || !is_word(p->at[len]))
		return 0;
	while (len < left(p) && !strchr("/ \t\n:\"'=,;", p->at[len]) && p->at[len] != '\0')
		len++;
	mxt_buf_puts(out, "/home/user");
	return len;
}

static size_t take_any(struct mxt_anonymous *anonymous, const struct place *p, struct mxt_buf *out)
{
	size_t taken = take_home(p, out);
	if (taken || !starts_word(p))
		return taken;
	taken = take_uuid(anonymous, p, out);
	taken = taken ? taken : take_mac(anonymous, p, out);
	taken = taken ? taken : take_long_hex(anonymous, p, out);
	taken = taken ? taken : take_gpu(anonymous, p, out);
	return taken ? taken : take_name(anonymous, p, out);
}

static void clean(struct mxt_anonymous *anonymous, const char *bytes, size_t len, bool path, struct mxt_buf *out)
{
	struct place p = {bytes, bytes, bytes + len, path};
	while (p.at < p.end) {
		size_t taken = take_any(anonymous, &p, out);
		if (taken == 0)
			mxt_buf_putc(out, *p.at);
		p.at += taken ? taken : 1;
	}
}

/* ---- files that are identifiers themselves ---- */

/* The number of a unique id, however it is written. 0 stays 0: there is none. */
static unsigned unique_number(struct mxt_anonymous *anonymous, uint64_t id)
{
	char text[17];
	if (id == 0)
		return 0;
	(void)snprintf(text, sizeof text, "%016" PRIx64, id);
	return number_of(anonymous, text);
}

/* A line of a KFD node: "unique_id 4376936076086227261". True when it was one. */
static bool take_kfd_line(struct mxt_anonymous *anonymous, const char *line, size_t len, struct mxt_buf *out)
{
	static const char *const keys[] = {"unique_id ", "hive_id "};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		size_t n = strlen(keys[i]);
		uint64_t id = 0;
		const char *end = NULL;
		if (len <= n || strncmp(line, keys[i], n) != 0)
			continue;
		MXT_CLEANUP_FREE char *number = strndup(line + n, len - n);
		anonymous->failed = anonymous->failed || !number;
		if (!number || mxt_parse_u64(number, &end, &id) < 0)
			return false;
		mxt_buf_printf(out, "%s%u", keys[i], unique_number(anonymous, id));
		return true;
	}
	return false;
}

static void clean_kfd(struct mxt_anonymous *anonymous, const char *bytes, size_t len, struct mxt_buf *out)
{
	for (size_t at = 0; at < len;) {
		const char *line = bytes + at, *newline = memchr(line, '\n', len - at);
		size_t n = newline ? (size_t)(newline - line) : len - at;
		if (!take_kfd_line(anonymous, line, n, out))
			clean(anonymous, line, n, false, out);
		if (newline)
			mxt_buf_putc(out, '\n');
		at += n + 1;
	}
}

/* The file `unique_id` of a card: hexadecimal, with 0x or without. */
static void clean_unique_id(struct mxt_anonymous *anonymous, const char *bytes, size_t len, struct mxt_buf *out)
{
	MXT_CLEANUP_FREE char *text = strndup(bytes, len);
	anonymous->failed = anonymous->failed || !text;
	mxt_buf_printf(out, "%016x", text ? unique_number(anonymous, strtoull(text, NULL, 16)) : 0);
}

void mxt_anonymous_text(struct mxt_anonymous *anonymous, const char *path, const char *bytes, size_t len,
			struct mxt_buf *out)
{
	if (len >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
		mxt_buf_append(out, bytes, len);
	else if (path && (mxt_has_suffix(path, "serial") || mxt_has_suffix(path, "serial_number")))
		mxt_buf_puts(out, "serial");
	else if (path && mxt_has_suffix(path, "/unique_id"))
		clean_unique_id(anonymous, bytes, len, out);
	else if (path && mxt_has_suffix(path, "/properties"))
		clean_kfd(anonymous, bytes, len, out);
	else
		clean(anonymous, bytes, len, !path, out);
	anonymous->failed = anonymous->failed || out->failed;
}
