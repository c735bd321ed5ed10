/* SPDX-License-Identifier: Apache-2.0 */
#include "channel.h"

#include <errno.h>
#include <sys/socket.h>

#include "error.h"
#include "protocol.h"

int mxt_channel_pair(int ret_ends[2], struct mxt_error *err)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return mxt_error_errno(err, errno, "cannot create a socket pair for a worker");
	ret_ends[0] = ends[0];
	ret_ends[1] = ends[1];
	return 0;
}

int mxt_channel_send(int fd, const struct mxt_packet *packet, int flags)
{
	ssize_t sent;
	do
		sent = send(fd, packet->bytes, packet->len, flags | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int mxt_channel_receive(int fd, struct mxt_packet *ret_packet, int flags)
{
	struct iovec vector = {ret_packet->bytes, sizeof ret_packet->bytes};
	/* Without a control buffer the kernel drops passed descriptors itself and says so with MSG_CTRUNC. */
	struct msghdr header = {.msg_iov = &vector, .msg_iovlen = 1};
	ssize_t got;
	do
		got = recvmsg(fd, &header, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (header.msg_flags & MSG_CTRUNC)
		return -EPROTO;
	if (header.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	ret_packet->len = (size_t)got;
	return 0;
}
