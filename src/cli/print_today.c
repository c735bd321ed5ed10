/* SPDX-License-Identifier: Apache-2.0 */
#include "print_today.h"

#include "attention_today.h"

void mxt_print_today(FILE *out, const struct mxt_attention_today *today)
{
	if (!today->starts)
		(void)fprintf(out, "attention today: none, the job ends before its first step\n");
	else
		(void)fprintf(out, "attention today: %s%s%s\n", today->name, mxt_isolation_text(today->isolation),
			      today->modelled ? "" : "; nothing here can time it");
}

json_t *mxt_print_today_json(const struct mxt_attention_today *today)
{
	static const char *const isolations[] = {
	    [MXT_ISOLATION_NOT_NEEDED] = "not needed",
	    [MXT_ISOLATION_LENGTHS] = "lengths",
	    [MXT_ISOLATION_MASK] = "mask",
	    [MXT_ISOLATION_NONE] = "none",
	};
	json_t *json = json_pack("{s:s, s:s, s:b, s:b}", "name", today->name, "isolation", isolations[today->isolation],
				 "starts", today->starts, "modelled", today->modelled);
	if (!json || !today->note[0] || json_object_set_new(json, "note", json_string(today->note)) == 0)
		return json;
	json_decref(json);
	return NULL;
}
