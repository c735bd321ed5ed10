/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmocka_all.h"
#include "collective_choice.h"
#include "json.h"
#include "variables.h"

static bool is_listed(const char *name)
{
	for (const char *const *row = mxt_collective_variables; *row; row++)
		if (strcmp(*row, name) == 0)
			return true;
	return false;
}

/* Every row sets what plans may set and decide on; one and no more ships without a measurement. */
static void rows_are_sound(void **state)
{
	(void)state;
	size_t documented = 0, settings = 0;
	for (size_t i = 0; i < mxt_collective_choice_count(); i++) {
		const struct mxt_collective_choice *choice = mxt_collective_choice_at(i);
		MXT_CLEANUP_JSON json_t *env = mxt_collective_choice_env(choice);
		const char *name;
		json_t *value;
		json_object_foreach(env, name, value)
		{
			const struct mxt_variable *variable = mxt_variable_find(name);
			assert_non_null(variable);
			assert_true(mxt_variable_settable(variable, json_string_value(value)));
			assert_true(is_listed(name));
			settings++;
		}
		documented += choice->documented;
		assert_true(choice->source[0] && choice->name[0]);
	}
	assert_int_equal(settings, 2 * mxt_collective_choice_count());
	assert_int_equal(documented, 1);
	for (size_t i = 1; mxt_collective_variables[i]; i++)
		assert_true(strcmp(mxt_collective_variables[i - 1], mxt_collective_variables[i]) < 0);
}

static void what_was_announced(void **state)
{
	(void)state;
	const struct mxt_collective_choice *choice = mxt_collective_choice_documented();
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_collective_choice_settings(choice, &text);
	mxt_buf_putc(&text, ';');
	mxt_collective_choice_versions(choice, &text);
	assert_string_equal(choice->name, "announced");
	assert_string_equal(mxt_buf_text(&text), "GPU_MAX_HW_QUEUES=1 NCCL_MIN_NCHANNELS=112;ROCm 6.2 to 7.2");
}

static const struct {
	const char *platform, *stack;
	const char *why; /* NULL: it applies */
} machines[] = {
    {"{\"arch\":\"gfx942\",\"units\":304}", "{\"hip\":\"7.2.53211\"}", NULL},
    {"{\"arch\":\"gfx942\",\"units\":304}", "{\"hip\":\"6.2.41133-dd7f95766\"}", NULL},
    {"{\"arch\":\"gfx942\",\"units\":304}", "{\"hip\":\"6.1.40093\"}", "built with ROCm 6.1.40093"},
    {"{\"arch\":\"gfx942\",\"units\":304}", "{\"hip\":\"7.14.1\"}", "built with ROCm 7.14.1"},
    {"{\"arch\":\"gfx942\",\"units\":304}", "{}", "of an unknown version"},
    {"{\"arch\":\"gfx942\",\"units\":304}", "{\"hip\":\"seven\"}", "built with ROCm seven"},
    {"{\"arch\":\"gfx942\",\"units\":80}", "{\"hip\":\"7.2.0\"}", "gfx942 with 80 compute units"},
    {"{\"arch\":\"gfx942\",\"units\":38}", "{\"hip\":\"7.2.0\"}", "gfx942 with 38 compute units"},
    {"{\"arch\":\"gfx950\",\"units\":256}", "{\"hip\":\"7.2.0\"}", "gfx950 with 256 compute units"},
    {"{}", "{}", "these GPUs are unknown"},
};

static void where_a_row_applies(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(machines); i++) {
		MXT_CLEANUP_JSON json_t *platform = json_loads(machines[i].platform, 0, NULL);
		MXT_CLEANUP_JSON json_t *stack = json_loads(machines[i].stack, 0, NULL);
		MXT_CLEANUP_BUF struct mxt_buf why = MXT_BUF_INIT;
		const struct mxt_collective_choice *choice = mxt_collective_choice_documented();
		bool applies = mxt_collective_choice_applies(choice, platform, stack, &why);
		assert_int_equal(applies, machines[i].why == NULL);
		if (machines[i].why)
			assert_non_null(strstr(mxt_buf_text(&why), machines[i].why));
		else
			assert_int_equal(why.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_sound),
	    cmocka_unit_test(what_was_announced),
	    cmocka_unit_test(where_a_row_applies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
