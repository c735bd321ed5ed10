/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that speak the protocol well and lie in it. This program is its own worker; MXT_LIE names the lie.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "cleanup.h"
#include "protocol.h"
#include "worker_fixture.h"

#define AMPLE_MS 60000

/* ---- the worker ---- */

static struct mxt_packet packet;
static struct mxt_message message;

static void say(const struct mxt_message *said)
{
	if (mxt_message_encode(said, &packet) < 0 || mxt_channel_send(MXT_WORKER_SOCKET_FD, &packet, 0) < 0)
		_exit(70);
}

static void say_hello(uint32_t facts_bytes)
{
	const struct mxt_message hello = {.type = MXT_MESSAGE_HELLO, .as.hello.facts_bytes = facts_bytes};
	say(&hello);
}

static void say_facts(const char *text, size_t len)
{
	struct mxt_message facts = {.type = MXT_MESSAGE_FACTS};
	facts.as.facts = (struct mxt_message_bytes){(const unsigned char *)text, (uint32_t)len};
	say(&facts);
}

static void start_well(void)
{
	say_hello(2);
	say_facts("{}", 2);
}

static void hear(void)
{
	const char *fault = NULL;
	if (mxt_channel_receive(MXT_WORKER_SOCKET_FD, &packet, 0) < 0 || packet.len == 0)
		_exit(71);
	if (mxt_message_decode(MXT_TO_WORKER, &packet, &message, &fault) < 0)
		_exit(72);
}

static void say_timed(uint32_t request)
{
	const struct mxt_message timed = {
	    .type = MXT_MESSAGE_TIMED, .request = request, .as.timed = {.ns = 5, .samples = 1, .repeats = 1}};
	say(&timed);
}

static void say_prepared(uint32_t request, uint32_t id)
{
	const struct mxt_message prepared = {
	    .type = MXT_MESSAGE_PREPARED, .request = request, .as.prepared = {.id = id}};
	say(&prepared);
}

static void facts_without_hello(void)
{
	say_facts("{}", 2);
}

static void hello_twice(void)
{
	say_hello(2);
	say_hello(2);
}

static void more_facts_than_announced(void)
{
	say_hello(3);
	say_facts("{}", 2);
	say_facts("  ", 2);
}

static void facts_that_are_no_json(void)
{
	say_hello(8);
	say_facts("{\"a\": \x1b[", 8);
}

static void facts_with_a_float(void)
{
	say_hello(10);
	say_facts("{\"a\": 1.5}", 10);
}

static void facts_that_stop_half_way(void)
{
	say_hello(2);
	say_facts("{", 1);
	_exit(4);
}

static void an_answer_before_any_request(void)
{
	start_well();
	say_timed(1);
}

static void timed_instead_of_hello(void)
{
	say_timed(0);
}

static void the_wrong_request(void)
{
	start_well();
	hear();
	say_prepared(message.request + 1, message.as.prepare.id);
}

static void the_wrong_problem(void)
{
	start_well();
	hear();
	say_prepared(message.request, message.as.prepare.id + 1);
}

static void the_wrong_kind(void)
{
	start_well();
	hear();
	say_timed(message.request);
}

static void two_answers(void)
{
	start_well();
	hear();
	say_prepared(message.request, message.as.prepare.id);
	say_prepared(message.request, message.as.prepare.id);
}

static void an_empty_packet(void)
{
	start_well();
	hear();
	(void)send(MXT_WORKER_SOCKET_FD, "", 0, 0);
}

/* 300 KB of facts in parts of odd sizes: no lie. */
static void many_parts(void)
{
	enum { BYTES = 300000 };
	static char text[BYTES];
	memset(text, 'x', sizeof text);
	memcpy(text, "{\"a\":\"", 6);
	memcpy(text + sizeof text - 2, "\"}", 2);
	say_hello(BYTES);
	size_t part = 1;
	for (size_t at = 0; at < sizeof text; at += part) {
		part = at + part * 3 > sizeof text ? sizeof text - at : part * 3;
		part = part < MXT_MESSAGE_PART_BYTES ? part : MXT_MESSAGE_PART_BYTES - 1;
		say_facts(text + at, part);
	}
	for (;;) {
		hear();
		if (message.type == MXT_MESSAGE_QUIT)
			_exit(0);
		if (message.type == MXT_MESSAGE_PREPARE)
			say_prepared(message.request, message.as.prepare.id);
		else
			say_timed(message.request);
	}
}

/* ---- the supervisor ---- */

struct lie {
	void (*tell)(void);
	enum mxt_stage stage;
	enum mxt_outcome outcome;
	const char *reason; /* part of it */
};

static const struct lie lies[] = {
    {facts_without_hello, MXT_AT_READY, MXT_FAILED, "sent garbage (an answer that nobody asked for)"},
    {hello_twice, MXT_AT_READY, MXT_FAILED, "sent garbage (an answer that nobody asked for)"},
    {more_facts_than_announced, MXT_AT_READY, MXT_FAILED, "sent garbage (an answer that nobody asked for)"},
    {facts_that_are_no_json, MXT_AT_READY, MXT_FAILED, "sent garbage (facts"},
    {facts_with_a_float, MXT_AT_READY, MXT_FAILED, "sent garbage (facts"},
    {facts_that_stop_half_way, MXT_AT_READY, MXT_FAILED, "exited with status 4 before it was ready"},
    {an_answer_before_any_request, MXT_AT_PREPARE, MXT_FAILED, "another kind of message"},
    {timed_instead_of_hello, MXT_AT_READY, MXT_FAILED, "sent garbage (an answer that nobody asked for)"},
    {the_wrong_request, MXT_AT_PREPARE, MXT_FAILED, "answered another request"},
    {the_wrong_problem, MXT_AT_PREPARE, MXT_FAILED, "answered for another problem"},
    {the_wrong_kind, MXT_AT_PREPARE, MXT_FAILED, "another kind of message"},
    {two_answers, MXT_AT_TIME, MXT_FAILED, "answered another request"},
    {an_empty_packet, MXT_AT_PREPARE, MXT_FAILED, "closed its socket before it answered"},
    {many_parts, MXT_NOWHERE, MXT_OK, ""},
};

static void tell(size_t i)
{
	lies[i].tell();
	for (;;)
		(void)pause(); /* whoever lied waits for what comes of it */
}

static void check_lie(struct mxt_worker_fixture *fixture, size_t i)
{
	char variable[32];
	(void)snprintf(variable, sizeof variable, "MXT_LIE=%zu", i);
	char *environment[] = {variable, NULL};
	struct mxt_worker_spec spec = mxt_fixture_spec(fixture, "liar");
	spec.environment = environment;
	struct mxt_worker *worker = mxt_fixture_start(&spec);
	enum mxt_outcome outcome = MXT_OK;
	enum mxt_stage stage = mxt_fixture_course(worker, MXT_NOWHERE, AMPLE_MS, &outcome);
	if (stage != lies[i].stage || outcome != lies[i].outcome || !strstr(mxt_worker_reason(worker), lies[i].reason))
		fail_msg("lie %zu: stage %d, %s, reason '%s'", i, (int)stage, mxt_outcome_name(outcome),
			 mxt_worker_reason(worker));
	for (const char *c = mxt_worker_reason(worker); *c; c++)
		assert_true((unsigned char)*c >= 0x20);
	mxt_fixture_destroy(worker);
}

static void lies_are_found_out(void **state)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(lies); i++)
		check_lie(*state, i);
}

int main(int argc, char **argv)
{
	const char *lie = getenv("MXT_LIE");
	if (argc > 1 && strcmp(argv[1], "worker") == 0 && lie)
		tell(strtoul(lie, NULL, 10));
	const struct CMUnitTest tests[] = {MXT_WORKER_TEST(lies_are_found_out)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
