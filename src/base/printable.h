/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from untrusted files inside messages: nothing in it may move a cursor, break a line or flood a terminal.
 */
#ifndef MXT_BASE_PRINTABLE_H
#define MXT_BASE_PRINTABLE_H

#define MXT_PRINTABLE_SIZE 68

/* At most 64 characters of `text`, everything but printable ASCII as '?', "..." where it was cut; returns buf. */
const char *mxt_printable(const char *text, char buf[MXT_PRINTABLE_SIZE]);

#endif
