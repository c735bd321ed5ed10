/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both directions of the worker protocol. The first byte says which way the packet goes (even: to the worker), the rest
 * is the packet. What decodes must encode to the same bytes; what lies behind the packet must not matter; and what a
 * worker says as a reason must come out fit for a terminal and for JSON.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_reason(const struct mxt_message_bytes *text)
{
	struct mxt_buf buf = MXT_BUF_INIT;
	mxt_clean_text(&buf, (const char *)text->data, text->len);
	json_t *string = json_stringn(mxt_buf_text(&buf), buf.len); /* takes nothing but UTF-8 */
	require(string != NULL);
	for (size_t i = 0; i < buf.len; i++)
		require(buf.data[i] == '\n' || (unsigned char)buf.data[i] >= 0x20);
	json_decref(string);
	mxt_buf_finish(&buf);
}

static void check_message(const struct mxt_message *message, const struct mxt_packet *packet)
{
	static struct mxt_packet again;
	require(mxt_message_encode(message, &again) == 0);
	require(again.len == packet->len && memcmp(again.bytes, packet->bytes, again.len) == 0);
	if (message->type == MXT_MESSAGE_REFUSED)
		check_reason(&message->as.refused.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mxt_packet packet;
	static struct mxt_message message, other;
	if (size < 1 || size - 1 > MXT_MESSAGE_MAX_BYTES)
		return 0;
	enum mxt_message_flow flow = data[0] & 1 ? MXT_FROM_WORKER : MXT_TO_WORKER;
	size_t rest = MXT_MESSAGE_MAX_BYTES - (size - 1) < 64 ? MXT_MESSAGE_MAX_BYTES - (size - 1) : 64;
	packet.len = size - 1;
	memcpy(packet.bytes, data + 1, packet.len);
	const char *fault = NULL, *other_fault = NULL;
	memset(packet.bytes + packet.len, 0, rest);
	int rc = mxt_message_decode(flow, &packet, &message, &fault);
	memset(packet.bytes + packet.len, 0xff, rest);
	require(mxt_message_decode(flow, &packet, &other, &other_fault) == rc && fault == other_fault);
	if (rc < 0)
		return 0;
	check_message(&message, &packet);
	check_message(&other, &packet);
	return 0;
}
