/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A field in which some compute in Python: then all others do as well, so that what a call costs in Python is the same
 * for all. They are lent torch's own dispatcher there, and get back what they had where that does not work.
 */
#ifndef MXT_TUNE_FIELD_PYTHON_H
#define MXT_TUNE_FIELD_PYTHON_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_field;

/* True when an entry that still races needs Python by itself. */
bool mxt_field_needs_python(const struct mxt_field *field);

void mxt_field_lend_python(struct mxt_field *field);

/* Why what was lent does not do, as the first incumbent says; borrowed from it. NULL when it does. */
const char *mxt_field_broken_loan(const struct mxt_field *field);

/* Who needs Python is out, for this reason; everybody else is as if never started. -EBUSY as mxt_field_retire(). */
int mxt_field_take_back(struct mxt_field *field, const char *why, struct mxt_error *err) MXT_WUR;

#endif
