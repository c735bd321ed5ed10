/* SPDX-License-Identifier: Apache-2.0 */
#include "argv_json.h"

#include <stdbool.h>
#include <string.h>

#include "buf.h"
#include "json.h"
#include "secret_text.h"

/* "--hub_token": the next word is the secret, unless it is an option itself. */
static bool announces_secret(const char *word)
{
	return word[0] == '-' && !strchr(word, '=') && mxt_secret_name(word, strlen(word));
}

static json_t *word_json(const char *word, bool secret)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	if (secret)
		mxt_buf_puts(&buf, MXT_SECRET_MASK);
	else
		mxt_secret_mask(word, &buf);
	return buf.failed ? NULL : mxt_json_clean_text(mxt_buf_text(&buf), MXT_JSON_MAX_BYTES);
}

json_t *mxt_argv_json(char *const *argv)
{
	json_t *list = json_array();
	for (size_t i = 0; list && argv[i]; i++) {
		bool secret = i > 0 && announces_secret(argv[i - 1]) && strncmp(argv[i], "--", 2) != 0;
		if (json_array_append_new(list, word_json(argv[i], secret)) == 0)
			continue;
		json_decref(list);
		list = NULL;
	}
	return list;
}
