/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's log says of GPUs and their drivers.
 */
#ifndef MXT_DOCTOR_KERNEL_LOG_H
#define MXT_DOCTOR_KERNEL_LOG_H

struct mxt_buf;

/* Appends the messages of the log that a driver of GPUs wrote, or one line that says why the log cannot be read. */
void mxt_kernel_log_gpus(struct mxt_buf *out);

#endif
