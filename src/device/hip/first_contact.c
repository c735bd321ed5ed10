/* SPDX-License-Identifier: Apache-2.0 */
#include "first_contact.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "error.h"

#define SEEN_BYTES 512

int mxt_first_contact_failed(struct mxt_error *err, const char *assumption, const char *seen, ...)
{
	char text[SEEN_BYTES];
	va_list args;
	va_start(args, seen);
	(void)vsnprintf(text, sizeof text, seen, args);
	va_end(args);
	return mxt_error_set(
	    err, -EIO, MXT_E_FIRST_CONTACT,
	    "MXT-%d: an assumption about AMD's libraries does not hold (%s): %s; no times are taken with it, for they "
	    "could not be trusted: please report this with `mindxtrain doctor --bundle report.tar`",
	    (int)MXT_E_FIRST_CONTACT, assumption, text);
}
