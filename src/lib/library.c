/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the installed library adds to the rungs that it is made of: its version, and error objects whose inside stays
 * its own.
 */
#include <mindxtrain/mindxtrain.h>
#include <stdlib.h>

#include "config.h"
#include "error.h"

const char *mxt_version(void)
{
	return MXT_VERSION;
}

struct mxt_error *mxt_error_create(void)
{
	struct mxt_error *err = malloc(sizeof *err);
	if (err)
		*err = (struct mxt_error)MXT_ERROR_INIT;
	return err;
}

void mxt_error_destroy(struct mxt_error *err)
{
	mxt_error_clear(err);
	free(err);
}

const char *mxt_error_message(const struct mxt_error *err)
{
	return err->id == MXT_E_NONE ? "" : mxt_error_text(err);
}

int mxt_error_number(const struct mxt_error *err)
{
	return (int)err->id;
}
