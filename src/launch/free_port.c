/* SPDX-License-Identifier: Apache-2.0 */
#include "free_port.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "cleanup.h"

#define TRIES 64

/* On all addresses, as torch's store listens. */
static bool is_free(uint16_t port)
{
	MXT_CLEANUP_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct sockaddr_in any = {
	    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
	return fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0;
}

int64_t mxt_free_port(uint64_t seed)
{
	for (uint64_t i = 0; i < TRIES; i++) {
		uint16_t port = (uint16_t)(MXT_FIRST_PORT + (seed + i) % MXT_N_PORTS);
		if (is_free(port))
			return port;
	}
	return 0;
}
