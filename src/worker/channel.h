/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets over the SOCK_SEQPACKET pair. Stateless; both ends use it.
 */
#ifndef MXT_WORKER_CHANNEL_H
#define MXT_WORKER_CHANNEL_H

struct mxt_error;
struct mxt_packet;

/* Two connected ends, close-on-exec. */
int mxt_channel_pair(int ret_ends[2], struct mxt_error *err);

/* Sends one packet; `flags` as for send(2) (MSG_DONTWAIT). Never raises SIGPIPE. 0 or -errno. */
int mxt_channel_send(int fd, const struct mxt_packet *packet, int flags);

/*
 * Receives one packet: 0; a length of 0 means that the other end is closed. -EMSGSIZE: it was longer; -EPROTO: it
 * carried descriptors or other ancillary data, which never reach this process; else -errno.
 */
int mxt_channel_receive(int fd, struct mxt_packet *ret_packet, int flags);

#endif
