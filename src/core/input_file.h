/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that the user named and that is missing, unreadable or of the wrong kind is a bad input (exit class INPUT),
 * while a disk that fails in the middle of a read is not.
 */
#ifndef MXT_CORE_INPUT_FILE_H
#define MXT_CORE_INPUT_FILE_H

struct mxt_error;

/* Turns such a failure of mxt_file_read() and its callers into MXT_E_INPUT_FILE; returns `status`. */
int mxt_input_refine(int status, struct mxt_error *err);

#endif
