/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of Python sources: what it reports lies inside of the source.
 */
#include <stdint.h>
#include <stdlib.h>

#include "axolotl_package.h"
#include "axolotl_schema.h"
#include "python_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bounds {
	const char *begin, *end;
};

static void hold(const struct bounds *bounds, struct mxt_python_text text)
{
	if (text.len > 0 && (text.at < bounds->begin || text.at + text.len > bounds->end))
		abort();
}

static int on_class(void *context, struct mxt_python_text name, struct mxt_python_text bases)
{
	hold(context, name);
	hold(context, bases);
	return 0;
}

static int on_field(void *context, struct mxt_python_text class_name, struct mxt_python_text name,
		    struct mxt_python_text type)
{
	hold(context, type);
	hold(context, class_name);
	hold(context, name);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bounds bounds = {(const char *)data, (const char *)data + size};
	const struct mxt_python_fields_sink sink = {on_class, on_field, &bounds};
	struct mxt_axolotl_schema *schema = NULL;
	struct mxt_axolotl_key *keys = NULL;
	size_t count = 0;
	if (mxt_python_fields(bounds.begin, size, &sink) != 0)
		abort();
	if (mxt_axolotl_schema_create(&schema, NULL) < 0)
		return 0;
	if (mxt_axolotl_schema_take(schema, NULL, bounds.begin, size, NULL) == 0 &&
	    mxt_axolotl_schema_take(schema, "plugin", bounds.begin, size, NULL) == 0 &&
	    mxt_axolotl_schema_keys(schema, &keys, &count, NULL) == 0)
		mxt_axolotl_keys_destroy(keys, count);
	mxt_axolotl_schema_destroy(schema);
	return 0;
}
