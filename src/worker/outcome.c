/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler.h"
#include "worker.h"

const char *mxt_outcome_name(enum mxt_outcome outcome)
{
	static const char *const names[] = {
	    [MXT_OK] = "ok", [MXT_UNSUPPORTED] = "unsupported", [MXT_FAILED] = "failed", [MXT_TIMEOUT] = "timeout"};
	return names[outcome];
}
