/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_kind.h"

#include <string.h>

#include "compiler.h"

static const struct mxt_attention_kind_row rows[] = {
#define MXT_ATTENTION_KIND(kind, value, flag) {MXT_ATTENTION_##kind, value, flag},
#include "attention_kinds.def"
#undef MXT_ATTENTION_KIND
};

size_t mxt_attention_kind_count(void)
{
	return MXT_ARRAY_LEN(rows);
}

const struct mxt_attention_kind_row *mxt_attention_kind_at(size_t i)
{
	return &rows[i];
}

const char *mxt_attention_kind_value(enum mxt_attention_kind kind)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (rows[i].kind == kind)
			return rows[i].value;
	return "";
}

enum mxt_attention_kind mxt_attention_kind_parse(const char *value)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].value, value) == 0)
			return rows[i].kind;
	return strchr(value, '/') ? MXT_ATTENTION_HUB : MXT_ATTENTION_UNSET;
}
