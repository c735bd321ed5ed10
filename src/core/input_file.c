/* SPDX-License-Identifier: Apache-2.0 */
#include "input_file.h"

#include <errno.h>

#include "error.h"

static int is_about_the_name(int status)
{
	static const int statuses[] = {-ENOENT, -ENOTDIR, -EACCES, -EPERM, -ELOOP, -ENAMETOOLONG, -ENXIO, -ENODEV};
	for (unsigned i = 0; i < MXT_ARRAY_LEN(statuses); i++)
		if (statuses[i] == status)
			return 1;
	return 0;
}

int mxt_input_refine(int status, struct mxt_error *err)
{
	if (err && (err->id == MXT_E_NOT_REGULAR || (err->id == MXT_E_IO && is_about_the_name(status))))
		err->id = MXT_E_INPUT_FILE;
	return status;
}
