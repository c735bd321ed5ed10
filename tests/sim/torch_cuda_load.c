/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a libtorch_cuda does while it is loaded: it asks the libraries that it needs, and gives torch its operators.
 * SIM_NEEDS_GONE builds one that cannot be loaded.
 */
#include "sim_torch.h"

#ifdef SIM_NEEDS_GONE
int mxtstub_gone(void); /* of a library that is not there when this one is loaded */
#endif

/* Of libraries that torch needs. */
size_t cublasLtGetVersion(void);
size_t cudnnGetVersion(void);
int ncclGetVersion(int *version);

__attribute__((constructor)) static void load(void)
{
	static const struct mxt_sim_gpu gpu = {.ck = false};
	(void)mxt_sim_enter("load.cuda");
#ifdef SIM_NEEDS_GONE
	(void)mxtstub_gone();
#endif
	int nccl = 0;
	if (cublasLtGetVersion() > 0 && cudnnGetVersion() > 0 && ncclGetVersion(&nccl) == 0)
		mxt_sim_gpu_load(&gpu);
}
