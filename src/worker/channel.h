/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets over the SOCK_SEQPACKET pair. Stateless; both ends use it.
 */
#ifndef MXT_WORKER_CHANNEL_H
#define MXT_WORKER_CHANNEL_H

#include <stddef.h>

struct mxt_error;

/* Two connected ends, close-on-exec. */
int mxt_channel_pair(int ret_ends[2], struct mxt_error *err);

/* Sends one packet; `flags` as for send(2) (MSG_DONTWAIT). Never raises SIGPIPE. 0 or -errno. */
int mxt_channel_send(int fd, const unsigned char *packet, size_t len, int flags);

/*
 * Receives one packet into `packet` (MXT_MESSAGE_MAX_BYTES). 0 with *ret_len bytes; 0 bytes mean that the other end
 * is closed. -EMSGSIZE: it was longer; -EPROTO: it carried descriptors or other ancillary data, which never reach this
 * process; else -errno.
 */
int mxt_channel_receive(int fd, unsigned char *packet, int flags, size_t *ret_len);

#endif
