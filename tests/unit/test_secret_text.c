/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is masked in text that is kept, and what is not.
 */
#include <string.h>

#include "buf.h"
#include "cmocka_all.h"
#include "compiler.h"
#include "secret_text.h"

#define TWENTY "abcdefghij0123456789"

static void test_names(void **state)
{
	(void)state;
	static const char *const secret[] = {"HF_TOKEN",         "--hub_token", "--wandb-api-key",       "hubPassword",
					     "apiKey",           "secret",      "AWS_SECRET_ACCESS_KEY", "pad_token",
					     "comet.credentials"};
	static const char *const plain[] = {"",  "--max-tokens", "tokenizer", "monkey",       "keys", "--path", "PATH",
					    "_", "--",           "author",    "learning_rate"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(secret); i++)
		assert_true(mxt_secret_name(secret[i], strlen(secret[i])));
	for (size_t i = 0; i < MXT_ARRAY_LEN(plain); i++)
		assert_false(mxt_secret_name(plain[i], strlen(plain[i])));
	assert_false(mxt_secret_name("tokens", 6));
	assert_true(mxt_secret_name("tokens", 5)); /* only as far as it goes */
}

struct mask_case {
	const char *text, *masked;
};

static const struct mask_case cases[] = {
    {"", ""},
    {"python train.py --lr 1e-4", "python train.py --lr 1e-4"},
    {"--hub_token=abc", "--hub_token=[masked]"},
    {"--hub_token=abc def", "--hub_token=[masked]"},
    {"--hub_token=", "--hub_token="},
    {"HF_TOKEN=abc python t.py --seed=1", "HF_TOKEN=[masked]"},
    {"env HF_TOKEN=abc python t.py", "env HF_TOKEN=[masked] python t.py"},
    {"export A_KEY='x y'; run", "export A_KEY=[masked]; run"},
    {"export A_KEY=\"x y", "export A_KEY=[masked]"},
    {"login --token abc --fast", "login --token [masked] --fast"},
    {"the token is gone", "the token is gone"},
    {"login(\"hf_" TWENTY "\")", "login(\"[masked]\")"},
    {"hf_" TWENTY, "[masked]"},
    {"hf_short", "hf_short"},
    {"task-" TWENTY TWENTY, "task-" TWENTY TWENTY},
    {"x=sk-" TWENTY, "x=[masked]"},
    {"https://user:pw@host/a@b", "https://user:[masked]@host/a@b"},
    {"https://user:p@w@host/", "https://user:[masked]@host/"},
    {"https://host:8080/a@b", "https://host:8080/a@b"},
    {"https://user@host:80/", "https://user@host:80/"},
    {"a://b://c:d@e", "a://b://c:[masked]@e"},
    {"caf\xc3\xa9 \xff", "caf\xc3\xa9 \xff"},
};

static void test_mask(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		mxt_secret_mask(cases[i].text, &buf);
		assert_string_equal(mxt_buf_text(&buf), cases[i].masked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_mask)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
