/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `mindxtrain worker`: how the program starts its own worker processes; not for people. The socket is descriptor
 * MXT_WORKER_SOCKET_FD; --label only tells workers apart in lists of processes.
 */
#include <errno.h>
#include <sys/socket.h>

#include "command.h"
#include "error.h"
#include "worker.h"

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	(void)cli;
	int64_t ordinal = 0;
	int rc = mxt_args_int(args, "ordinal", 0, 4095, &ordinal, err);
	if (rc < 0)
		return rc;
	int type = 0;
	socklen_t len = sizeof type;
	if (getsockopt(MXT_WORKER_SOCKET_FD, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_SEQPACKET)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "'worker' is started by the program itself; see mindxtrain --help");
	if (!mxt_args_has(args, "device"))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "'worker' needs --device");
	const struct mxt_device_target target = {.ordinal = (unsigned)ordinal,
						 .torch = mxt_args_get(args, "torch"),
						 .probe = mxt_args_get(args, "probe"),
						 .deterministic = mxt_args_has(args, "deterministic")};
	mxt_worker_main(mxt_args_get(args, "device"), &target, MXT_WORKER_SOCKET_FD);
}

static const struct mxt_option options[] = {
    {"device", "NAME", "device to open"},
    {"ordinal", "N", "which device of this kind"},
    {"torch", "DIR", "the torch package whose libraries compute"},
    {"probe", "NAME", "what it will be asked for: attention or gemm"},
    {"deterministic", NULL, "only kernels that repeat their results; checks see whether they do"},
    {"label", "TEXT", "candidate that this worker stands for"},
};

const struct mxt_command mxt_cmd_worker = {
    .name = "worker",
    .summary = NULL,
    .synopsis = "--device NAME",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
