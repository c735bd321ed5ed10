/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <string.h>

#include "attention_provider.h"

static void is_sorted_and_found_by_name(void **state)
{
	(void)state;
	assert_true(mxt_attention_provider_count() > 0);
	for (size_t i = 0; i < mxt_attention_provider_count(); i++) {
		const struct mxt_attention_provider *row = mxt_attention_provider_at(i);
		assert_ptr_equal(mxt_attention_provider_find(row->name), row);
		if (i > 0)
			assert_true(strcmp(mxt_attention_provider_at(i - 1)->name, row->name) < 0);
	}
}

static void knows_what_isolates(void **state)
{
	(void)state;
	const struct mxt_attention_provider *fa2 = mxt_attention_provider_find("fa2");
	assert_non_null(fa2);
	assert_int_equal(fa2->kind, MXT_ATTENTION_FA2);
	assert_string_equal(fa2->package, "flash_attn");
	assert_true(fa2->isolates);
	assert_int_equal(mxt_attention_provider_find("varlen")->since_torch, 10);
	assert_null(mxt_attention_provider_find("sage"));
	assert_null(mxt_attention_provider_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(is_sorted_and_found_by_name),
	    cmocka_unit_test(knows_what_isolates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
