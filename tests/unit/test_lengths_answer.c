/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "lengths_answer.h"

#define HEAD  "{\"schema\":\"mindxtrain.lengths/1\","
#define TAIL  ",\"folder\":\"d\",\"notes\":[]}"
#define THREE "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[10,20,30]"

static void takes_all(void **state)
{
	static const char text[] = HEAD THREE ",\"folder\":\"a/b\",\"notes\":[\"one\",\"two\\u0007\"]}";
	MXT_CLEANUP_LENGTHS_ANSWER struct mxt_lengths_answer answer = MXT_LENGTHS_ANSWER_INIT;
	(void)state;
	assert_int_equal(mxt_lengths_answer_parse(text, strlen(text), &answer, NULL), 0);
	assert_string_equal(answer.lengths.source, "dataset");
	assert_int_equal(answer.lengths.documents, 3);
	assert_int_equal(answer.lengths.tokens, 60);
	assert_int_equal(answer.lengths.values, 3);
	assert_int_equal(answer.lengths.longest, 30);
	assert_int_equal(answer.lengths.n_samples, 3);
	assert_int_equal(answer.lengths.samples[2], 30);
	assert_string_equal(answer.folder, "a/b");
	assert_int_equal(answer.n_notes, 2);
	assert_string_equal(answer.notes[1], "two");
}

static const char *const refused[] = {
    "",
    "nothing",
    "[]",
    "{}",
    "{\"schema\":\"other\"}",
    HEAD THREE ",\"notes\":[]}",
    HEAD THREE ",\"folder\":3,\"notes\":[]}",
    HEAD THREE ",\"folder\":\"d\"}",
    HEAD THREE ",\"folder\":\"d\",\"notes\":[1]}",
    HEAD THREE ",\"folder\":\"d\",\"notes\":[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"]}",
    HEAD THREE TAIL "x",
    HEAD "\"documents\":0,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[]" TAIL,
    HEAD "\"documents\":3,\"tokens\":2,\"longest\":1,\"distinct\":1,\"sample\":[1,1,1]" TAIL,
    HEAD "\"documents\":3,\"tokens\":91,\"longest\":30,\"distinct\":3,\"sample\":[10,20,30]" TAIL,
    HEAD "\"documents\":3,\"tokens\":29,\"longest\":30,\"distinct\":3,\"sample\":[10,20,30]" TAIL,
    HEAD "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":4,\"sample\":[10,20,30]" TAIL,
    HEAD "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[10,20]" TAIL,
    HEAD "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[20,10,30]" TAIL,
    HEAD "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[10,20,31]" TAIL,
    HEAD "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[0,20,30]" TAIL,
    HEAD "\"documents\":3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[1.5,20,30]" TAIL,
    HEAD "\"documents\":1e3,\"tokens\":60,\"longest\":30,\"distinct\":3,\"sample\":[1,20,30]" TAIL,
    HEAD "\"documents\":1,\"tokens\":4294967296,\"longest\":4294967296,\"distinct\":1,\"sample\":[1]" TAIL,
};

static void refuses_the_rest(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_lengths_answer answer = MXT_LENGTHS_ANSWER_INIT;
		int rc = mxt_lengths_answer_parse(refused[i], strlen(refused[i]), &answer, &err);
		if (rc != -EINVAL || err.id != MXT_E_LENGTHS_ANSWER)
			fail_msg("%s: %d %s", refused[i], rc, mxt_error_text(&err));
		assert_null(answer.folder);
	}
}

static void tells_the_readers_error(void **state)
{
	static const char text[] = HEAD "\"error\":\"no pyarrow\\nhere\"}";
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_lengths_answer answer = MXT_LENGTHS_ANSWER_INIT;
	(void)state;
	assert_int_equal(mxt_lengths_answer_parse(text, strlen(text), &answer, &err), -EIO);
	assert_int_equal(err.id, MXT_E_LENGTHS);
	assert_string_equal(mxt_error_text(&err), "no pyarrow here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_all),
	    cmocka_unit_test(refuses_the_rest),
	    cmocka_unit_test(tells_the_readers_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
