/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_stack.h"

#include <string.h>

#include "environ.h"
#include "python_packages.h"

static const char *version_of(const struct mxt_python_packages *packages, const char *name)
{
	return mxt_python_package_version(packages, name);
}

struct mxt_attention_stack mxt_attention_stack_of(char *const *environment, const struct mxt_python_packages *packages,
						  const char *torch, const char *vendor)
{
	const char *triton = mxt_environ_get(environment, "FLASH_ATTENTION_TRITON_AMD_ENABLE");
	return (struct mxt_attention_stack){
	    .known = torch != NULL,
	    .axolotl = version_of(packages, "axolotl"),
	    .torch = torch,
	    .transformers = version_of(packages, "transformers"),
	    .kernels = version_of(packages, "kernels"),
	    .flash_attn = version_of(packages, "flash_attn"),
	    .flash_attn_3 = version_of(packages, "flash_attn_3"),
	    .flash_attn_4 = version_of(packages, "flash_attn_4"),
	    .xformers = version_of(packages, "xformers"),
	    .sageattention = version_of(packages, "sageattention"),
	    .cuda = vendor && strcmp(vendor, "nvidia") == 0,
	    .rocm = vendor && strcmp(vendor, "amd") == 0,
	    .flash_triton = triton && strcmp(triton, "TRUE") == 0,
	};
}
