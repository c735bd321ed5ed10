/* SPDX-License-Identifier: Apache-2.0 */
#include "host_cpu.h"

#include <string.h>

#include "buf.h"
#include "compiler.h"
#include "error.h"
#include "number.h"
#include "sysroot.h"

#define MAX_BLOCK 65536 /* bytes that hold the first processor with room to spare */

struct feature_row {
	const char *flag;
	int level;
};

static const struct feature_row features[] = {
#define MXT_CPU_FEATURE(symbol, flag, level) {flag, level},
#include "cpu_features.def"
#undef MXT_CPU_FEATURE
};

_Static_assert(MXT_CPU_FEATURE_COUNT <= 64, "features are bits of one word");

struct vendor_row {
	const char *reported, *name;
};

static const struct vendor_row vendors[] = {
    {"GenuineIntel", "intel"}, {"AuthenticAMD", "amd"}, {"HygonGenuine", "hygon"}, {"CentaurHauls", "via"},
    {"0x41", "arm"},           {"0x46", "fujitsu"},     {"0x48", "hisilicon"},     {"0x4e", "nvidia"},
    {"0x51", "qualcomm"},      {"0x61", "apple"},       {"0x6d", "microsoft"},     {"0xc0", "ampere"},
};

/* A piece of the text; not NUL-terminated. */
struct span {
	const char *at;
	size_t len;
};

static bool span_is(struct span span, const char *word)
{
	return strlen(word) == span.len && memcmp(span.at, word, span.len) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(struct span span)
{
	while (span.len && is_blank(span.at[0]))
		span.at++, span.len--;
	while (span.len && is_blank(span.at[span.len - 1]))
		span.len--;
	return span;
}

/* Cuts what precedes `separator` off the front of *rest; all of it when there is none. */
static struct span cut(struct span *rest, char separator)
{
	const char *end = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
	struct span head = {rest->at, end ? (size_t)(end - rest->at) : rest->len};
	size_t used = head.len + (end ? 1 : 0);
	rest->at += used;
	rest->len -= used;
	return head;
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* Printable ASCII into a fixed buffer; longer text is cut. */
static void copy_text(struct span span, char *out, size_t size)
{
	size_t len = span.len < size ? span.len : size - 1;
	memcpy(out, span.at, len);
	for (size_t i = 0; i < len; i++)
		if (!is_printable(out[i]))
			out[i] = '?';
	out[len] = '\0';
}

static uint32_t number_of(struct span span)
{
	char text[24];
	copy_text(span, text, sizeof text);
	const char *end = NULL;
	uint64_t value = 0;
	return mxt_parse_u64(text, &end, &value) == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void set_vendor(struct mxt_host_cpu *cpu, struct span value)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(vendors); i++)
		if (span_is(value, vendors[i].reported))
			value = (struct span){vendors[i].name, strlen(vendors[i].name)};
	if (value.len == 0)
		return;
	copy_text(value, cpu->vendor, sizeof cpu->vendor);
	for (char *c = cpu->vendor; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
}

static void set_name(struct mxt_host_cpu *cpu, struct span value)
{
	copy_text(value, cpu->name, sizeof cpu->name);
}

static void set_family(struct mxt_host_cpu *cpu, struct span value)
{
	cpu->family = number_of(value);
}

static void set_model(struct mxt_host_cpu *cpu, struct span value)
{
	cpu->model = number_of(value);
}

static void set_features(struct mxt_host_cpu *cpu, struct span value)
{
	while (value.len) {
		struct span word = trim(cut(&value, ' '));
		for (size_t i = 0; i < MXT_ARRAY_LEN(features); i++)
			if (span_is(word, features[i].flag))
				cpu->features |= MXT_CPU_BIT(i);
	}
}

struct key_row {
	const char *key;
	enum mxt_cpu_kind kind;
	void (*set)(struct mxt_host_cpu *cpu, struct span value);
};

static const struct key_row keys[] = {
    {"vendor_id", MXT_CPU_X86, set_vendor},
    {"cpu family", MXT_CPU_X86, set_family},
    {"model", MXT_CPU_X86, set_model},
    {"model name", MXT_CPU_X86, set_name},
    {"flags", MXT_CPU_X86, set_features},
    {"CPU implementer", MXT_CPU_ARM, set_vendor},
    {"CPU architecture", MXT_CPU_ARM, set_family},
    {"CPU part", MXT_CPU_ARM, set_model},
    {"Features", MXT_CPU_ARM, set_features},
};

static void parse_line(struct mxt_host_cpu *cpu, struct span line)
{
	struct span key = trim(cut(&line, ':'));
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		if (!span_is(key, keys[i].key))
			continue;
		keys[i].set(cpu, trim(line));
		if (keys[i].set == set_features)
			cpu->kind = keys[i].kind; /* every x86 and Arm kernel reports them, no other one both */
	}
}

static const char *arch_of(const struct mxt_host_cpu *cpu)
{
	static const char *const levels[] = {"x86_64-v1", "x86_64-v2", "x86_64-v3", "x86_64-v4"};
	if (cpu->kind == MXT_CPU_ARM && mxt_host_cpu_has(cpu, MXT_CPU_ASIMD))
		return "aarch64";
	if (cpu->kind != MXT_CPU_X86 || !mxt_host_cpu_has(cpu, MXT_CPU_LM))
		return "other";
	int missing = 5; /* the lowest level of which a feature is missing */
	for (size_t i = 0; i < MXT_ARRAY_LEN(features); i++)
		if (features[i].level && features[i].level < missing && !(cpu->features & MXT_CPU_BIT(i)))
			missing = features[i].level;
	return levels[missing <= 2 ? 0 : missing - 2];
}

bool mxt_host_cpu_has(const struct mxt_host_cpu *cpu, enum mxt_cpu_feature feature)
{
	return (cpu->features & MXT_CPU_BIT(feature)) != 0;
}

const char *mxt_cpu_feature_name(enum mxt_cpu_feature feature)
{
	return features[feature].flag;
}

void mxt_host_cpu_parse(const char *text, size_t len, struct mxt_host_cpu *ret_cpu)
{
	struct mxt_host_cpu cpu = {.kind = MXT_CPU_OTHER, .vendor = "unknown"};
	struct span rest = {text, len};
	bool any = false;
	while (rest.len) {
		struct span line = trim(cut(&rest, '\n'));
		if (line.len == 0 && any)
			break; /* a blank line ends the first processor */
		any = any || line.len;
		parse_line(&cpu, line);
	}
	cpu.arch = arch_of(&cpu);
	*ret_cpu = cpu;
}

int mxt_host_cpu_read(const struct mxt_sysroot *root, struct mxt_host_cpu *ret_cpu, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, "/proc/cpuinfo", MAX_BLOCK, &buf, err);
	if (rc < 0)
		return rc;
	mxt_host_cpu_parse(mxt_buf_text(&buf), buf.len, ret_cpu);
	return 0;
}
