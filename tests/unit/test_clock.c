/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "clock.h"
#include "cmocka_all.h"

static void test_poll_ms(void **state)
{
	static const struct {
		uint64_t deadline_ns, now_ns;
		int ms;
	} cases[] = {
	    {0, 5, -1},
	    {5, 5, 0},
	    {4, 5, 0},
	    {6, 5, 1},
	    {MXT_NS_PER_S, 0, 1001}, /* never too early */
	    {UINT64_MAX, 0, INT32_MAX},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(mxt_poll_ms(cases[i].deadline_ns, cases[i].now_ns), cases[i].ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_poll_ms)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
