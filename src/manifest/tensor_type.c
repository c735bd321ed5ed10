/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_type.h"

#include <stddef.h>
#include <string.h>

#include "compiler.h"

unsigned mxt_tensor_element_bits(const char *dtype)
{
	static const struct {
		char name[12];
		unsigned char bits;
	} types[] = {
	    {"BOOL", 8},    {"F4", 4},          {"F6_E2M3", 6},     {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
	    {"F8_E5M2", 8}, {"F8_E4M3", 8},     {"F8_E8M0", 8},     {"I16", 16},    {"U16", 16}, {"F16", 16},
	    {"BF16", 16},   {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I32", 32},    {"U32", 32}, {"F32", 32},
	    {"C64", 64},    {"F64", 64},        {"I64", 64},        {"U64", 64},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(types); i++)
		if (strcmp(types[i].name, dtype) == 0)
			return types[i].bits;
	return 0;
}
