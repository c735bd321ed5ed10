/* SPDX-License-Identifier: Apache-2.0 */
#include "field_python.h"

#include <stdlib.h>

#include "buf.h"
#include "error.h"
#include "field.h"
#include "field_entry.h"

bool mxt_field_needs_python(const struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++)
		if (field->entries[i].provider && !field->entries[i].lent && field->entries[i].outcome == MXT_OK)
			return true;
	return false;
}

void mxt_field_lend_python(struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++)
		if (!field->entries[i].provider) {
			field->entries[i].provider = "sdpa";
			field->entries[i].lent = true;
		}
}

const char *mxt_field_broken_loan(const struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->lent && mxt_entry_is_incumbent(entry) && entry->outcome != MXT_OK)
			return entry->reason ? entry->reason : "its worker does not start";
	}
	return NULL;
}

int mxt_field_take_back(struct mxt_field *field, const char *why, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf reason = MXT_BUF_INIT;
	mxt_buf_printf(&reason, "torch itself cannot be measured in this Python: %s", why);
	int rc = mxt_field_retire(field, 0, err);
	for (size_t i = 0; i < field->n_entries; i++) {
		struct mxt_entry *entry = &field->entries[i];
		if (!entry->lent) {
			if (entry->outcome == MXT_OK)
				mxt_entry_fail(entry, MXT_UNSUPPORTED, mxt_buf_text(&reason));
			continue;
		}
		free(entry->reason);
		json_decref(entry->facts);
		entry->reason = NULL;
		entry->facts = NULL;
		entry->provider = NULL;
		entry->lent = false;
		entry->outcome = MXT_OK;
	}
	return rc;
}
