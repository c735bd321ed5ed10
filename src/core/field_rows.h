/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How rows of a field table (field_table.h) say what they expect, for the files that include such a table. OBJECT(X)
 * and LIST(X) are theirs, since X is one of their own objects.
 */
#ifndef MXT_CORE_FIELD_ROWS_H
#define MXT_CORE_FIELD_ROWS_H

#include "field_table.h"

/* clang-format off */
#define REQUIRED          true
#define OPTIONAL          false
#define INTEGER(min, max) {MXT_FIELD_INTEGER, (min), (max), "", 0}
#define FLAG(value)       {MXT_FIELD_FLAG, (value), (value), "", 0}
#define WORD(words)       {MXT_FIELD_WORD, 0, 0, (words), 0}
#define WORDS(words)      {MXT_FIELD_WORDS, 0, 0, (words), 0}
#define PLAIN(kind)       {MXT_FIELD_##kind, 0, 0, "", 0}
#define NAME     PLAIN(NAME)
#define NAMES    PLAIN(NAMES)
#define TEXT     PLAIN(TEXT)
#define TEXTS    PLAIN(TEXTS)
#define HASH     PLAIN(HASH)
#define ENV      PLAIN(ENV)
#define UNSET    PLAIN(UNSET)
#define CONTRACT PLAIN(CONTRACT)
#define ANY      PLAIN(ANY)
/* clang-format on */

#endif
