/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "alloc_faults.h"
#include "cmocka_all.h"
#include "error.h"
#include "manifest.h"
#include "manifest_example.h"

static int seal(void *context)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	json_t *document = context;
	(void)json_object_del(document, "manifest_id");
	int rc = mxt_manifest_seal(document, &manifest, &err);
	return rc < 0 ? rc : mxt_manifest_text(manifest, &text, &err);
}

static void seals_or_says_so(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	assert_true(mxt_test_each_allocation(seal, document) > 20);
}

static int parse(void *context)
{
	const struct mxt_buf *text = context;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	int rc = mxt_manifest_parse("m.json", text->data, text->len, &manifest, &err);
	return rc < 0 ? -ENOMEM : 0; /* jansson's lexer loses characters of long strings then */
}

static void reads_or_says_so(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(mxt_manifest_seal(document, &manifest, NULL), 0);
	assert_int_equal(mxt_manifest_text(manifest, &text, NULL), 0);
	assert_true(mxt_test_each_allocation(parse, &text) > 100);
}

int main(void)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(seals_or_says_so),
	    cmocka_unit_test(reads_or_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
