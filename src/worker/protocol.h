/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages between a supervisor and its worker: one packet of a SOCK_SEQPACKET socket each, little-endian.
 *
 *   offset 0  u32 magic "MXTW"
 *          4  u16 version
 *          6  u16 type
 *          8  u32 length of what follows the header
 *         12  u32 request: chosen by the supervisor, repeated in the answer; 0 in what nobody asked for
 *
 * Encoding and decoding do no I/O. The decoder trusts nothing: every value is bounded, and a packet has exactly the
 * length that its type and counts imply.
 */
#ifndef MXT_WORKER_PROTOCOL_H
#define MXT_WORKER_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#include "problem.h"
#include "worker.h"

#define MXT_PROTOCOL_VERSION   6
#define MXT_MESSAGE_MAX_BYTES  ((size_t)64 << 10) /* header included */
#define MXT_MESSAGE_HEAD_BYTES ((size_t)16)
#define MXT_MESSAGE_TEXT_BYTES ((size_t)2048)     /* longest reason */
#define MXT_MESSAGE_PART_BYTES ((size_t)48 << 10) /* longest part of a larger result */
#define MXT_FACTS_MAX_BYTES    ((size_t)1 << 20)

enum mxt_message_type {
	/* supervisor to worker */
	MXT_MESSAGE_PREPARE = 1,
	MXT_MESSAGE_TIME = 2,
	MXT_MESSAGE_QUIT = 3,
	MXT_MESSAGE_RANK = 4,
	/* worker to supervisor */
	MXT_MESSAGE_HELLO = 17, /* the device is open; the facts follow in parts */
	MXT_MESSAGE_FACTS = 18,
	MXT_MESSAGE_PREPARED = 19,
	MXT_MESSAGE_TIMED = 20,
	MXT_MESSAGE_REFUSED = 21, /* instead of HELLO, PREPARED, TIMED or RANKED */
	MXT_MESSAGE_RANKED = 22,
};

enum mxt_message_flow { MXT_TO_WORKER, MXT_FROM_WORKER };

/* Bytes inside a message: borrowed from the packet when decoded, from the caller when encoded. */
struct mxt_message_bytes {
	const unsigned char *data;
	uint32_t len;
};

struct mxt_message {
	enum mxt_message_type type;
	uint32_t request;
	union {
		struct {
			uint32_t id;
			struct mxt_problem problem;
		} prepare;
		struct {
			uint64_t max_warm_ns, target_ns;
			uint32_t n_steps; /* 1 to MXT_WORKER_MAX_STEPS */
			struct mxt_sequence_step steps[MXT_WORKER_MAX_STEPS];
		} time;
		struct {
			uint32_t id;
			uint64_t limit_ns;
		} rank;
		struct {
			uint32_t facts_bytes; /* of all parts; 1 to MXT_FACTS_MAX_BYTES */
		} hello;
		struct mxt_message_bytes facts; /* 1 to MXT_MESSAGE_PART_BYTES of JSON text */
		struct {
			uint32_t id;
			struct mxt_prepared result;
		} prepared;
		struct mxt_timing timed;
		struct mxt_ranking ranked;
		struct {
			enum mxt_outcome outcome; /* MXT_UNSUPPORTED or MXT_FAILED */
			struct mxt_message_bytes text;
		} refused;
	} as;
};

struct mxt_packet {
	size_t len;
	unsigned char bytes[MXT_MESSAGE_MAX_BYTES];
};

/* 0, or -EINVAL when the message holds a value that no decoder would take. */
int mxt_message_encode(const struct mxt_message *message, struct mxt_packet *ret_packet);

/*
 * 0, or -EBADMSG with *ret_fault set to a static text in plain words ("bad magic"). What *ret_message borrows lies in
 * *packet.
 */
int mxt_message_decode(enum mxt_message_flow flow, const struct mxt_packet *packet, struct mxt_message *ret_message,
		       const char **ret_fault);

#endif
