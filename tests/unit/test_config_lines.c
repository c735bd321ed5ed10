/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table from a plan's fields to the config's keys: it has every field that a config can change, and no key that
 * Axolotl does not know.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"

struct line {
	const char *field, *keys;
};

static const struct line lines[] = {
#define MXT_CONFIG_LINE(field, keys) {field, keys},
#include "config_lines.def"
#undef MXT_CONFIG_LINE
};

struct field {
	const char *object, *name;
};

static const struct field fields[] = {
#define MXT_PLAN_FIELD(object, name, ...) {#object, name},
#include "plan_fields.def"
#undef MXT_PLAN_FIELD
};

static const char *const axolotl_keys[] = {
#define MXT_AXOLOTL_KEY(name, ...) name,
#include "axolotl_keys.def"
#undef MXT_AXOLOTL_KEY
};

static bool has_line(const char *field)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(lines); i++)
		if (strcmp(lines[i].field, field) == 0)
			return true;
	return false;
}

static void test_every_field_has_a_line(void **state)
{
	static const char *const without[] = {"gpus", "nodes", "deterministic"}; /* no config says them */
	(void)state;
	size_t seen = 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(fields); i++) {
		char path[64];
		bool none = false;
		if (strcmp(fields[i].object, "TRAINING") != 0)
			continue;
		for (size_t k = 0; k < MXT_ARRAY_LEN(without); k++)
			none = none || strcmp(without[k], fields[i].name) == 0;
		(void)snprintf(path, sizeof path, "training.%s", fields[i].name);
		if (has_line(path) == none)
			fail_msg("%s", path);
		seen++;
	}
	assert_true(seen > 20);
	assert_true(has_line("model") && has_line("excluded"));
}

static bool is_key(const char *word, size_t len)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(axolotl_keys); i++)
		if (strlen(axolotl_keys[i]) == len && memcmp(axolotl_keys[i], word, len) == 0)
			return true;
	return false;
}

static void test_every_key_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(lines); i++) {
		for (const char *at = lines[i].keys; *at;) {
			size_t len = strcspn(at, " ");
			if (!is_key(at, len))
				fail_msg("%s: %.*s", lines[i].field, (int)len, at);
			at += len;
			at += strspn(at, " ");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_field_has_a_line),
	    cmocka_unit_test(test_every_key_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
