/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for libcudnn (cudnn.h of cuDNN 9): torch needs it, and it says which one it is. */
#include <stddef.h>

#include "sim_runtime.h"

MXT_SIM_EXPORT size_t cudnnGetVersion(void);

size_t cudnnGetVersion(void)
{
	return 92600;
}
