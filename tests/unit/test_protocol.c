/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"
#include "protocol.h"

static struct mxt_packet packet;
static struct mxt_message back;

static struct mxt_problem gemm_problem(void)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .calls = 36, .share_ppm = 1000000};
	problem.as.gemm = (struct mxt_gemm){.m = 512,
					    .n = 2560,
					    .k = 6912,
					    .lda = 6912,
					    .ldb = 2560,
					    .ldc = 2560,
					    .accumulate = true,
					    .dtype = MXT_DTYPE_F32};
	return problem;
}

static struct mxt_problem attention_problem(void)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION, .calls = 1, .share_ppm = 400000};
	problem.as.attention = (struct mxt_attention){.batch = 2,
						      .seq = 512,
						      .heads = 32,
						      .kv_heads = 8,
						      .head_dim = 80,
						      .causal = true,
						      .dtype = MXT_DTYPE_BF16,
						      .direction = MXT_BACKWARD};
	return problem;
}

static struct mxt_problem repeated_problem(void)
{
	struct mxt_problem problem = attention_problem();
	problem.as.attention.kv_heads = problem.as.attention.heads;
	problem.as.attention.masked = problem.as.attention.repeated = true;
	return problem;
}

static enum mxt_message_flow flow_of(const struct mxt_message *message)
{
	return message->type < MXT_MESSAGE_HELLO ? MXT_TO_WORKER : MXT_FROM_WORKER;
}

/* Encodes and decodes; the result is in `back`. */
static size_t round_trip(const struct mxt_message *message)
{
	const char *fault = NULL;
	assert_int_equal(mxt_message_encode(message, &packet), 0);
	assert_int_equal(mxt_message_decode(flow_of(message), &packet, &back, &fault), 0);
	assert_null(fault);
	assert_int_equal(back.type, message->type);
	assert_int_equal(back.request, message->request);
	return packet.len;
}

static void refuses(enum mxt_message_flow flow, size_t len, const char *expected)
{
	const char *fault = NULL;
	packet.len = len;
	assert_int_equal(mxt_message_decode(flow, &packet, &back, &fault), -EBADMSG);
	assert_non_null(fault);
	assert_string_equal(fault, expected);
}

static void prepare_round_trips(void **state)
{
	(void)state;
	const struct mxt_problem problems[] = {gemm_problem(), attention_problem(), repeated_problem()};
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++) {
		struct mxt_message message = {.type = MXT_MESSAGE_PREPARE, .request = 7};
		message.as.prepare.id = 255;
		message.as.prepare.problem = problems[i];
		round_trip(&message);
		assert_int_equal(back.as.prepare.id, 255);
		assert_true(mxt_problem_equal(&back.as.prepare.problem, &problems[i]));
		assert_int_equal(back.as.prepare.problem.calls, problems[i].calls);
		assert_int_equal(back.as.prepare.problem.share_ppm, problems[i].share_ppm);
	}
}

static void time_round_trips(void **state)
{
	(void)state;
	struct mxt_message message = {.type = MXT_MESSAGE_TIME, .request = UINT32_MAX};
	message.as.time.max_warm_ns = UINT64_MAX;
	message.as.time.target_ns = 1;
	message.as.time.n_steps = MXT_WORKER_MAX_STEPS;
	for (uint32_t i = 0; i < MXT_WORKER_MAX_STEPS; i++)
		message.as.time.steps[i] = i % 2 ? (struct mxt_sequence_step){MXT_WORKER_FILLER, (uint64_t)i << 32}
						 : (struct mxt_sequence_step){i % MXT_WORKER_MAX_PROBLEMS, 0};
	assert_true(round_trip(&message) <= MXT_MESSAGE_MAX_BYTES);
	assert_int_equal(back.as.time.max_warm_ns, UINT64_MAX);
	assert_int_equal(back.as.time.n_steps, MXT_WORKER_MAX_STEPS);
	for (uint32_t i = 0; i < MXT_WORKER_MAX_STEPS; i++) {
		assert_int_equal(back.as.time.steps[i].id, message.as.time.steps[i].id);
		assert_int_equal(back.as.time.steps[i].filler_bytes, message.as.time.steps[i].filler_bytes);
	}
}

static void answers_round_trip(void **state)
{
	(void)state;
	struct mxt_message message = {.type = MXT_MESSAGE_PREPARED, .request = 3};
	message.as.prepared.id = 9;
	message.as.prepared.result =
	    (struct mxt_prepared){.first_call_ns = 12345678901234, .check = {77, 1000, {1, 2}, "cudnn", true}};
	message.as.prepared.result.check.bits[31] = 0xff;
	round_trip(&message);
	assert_int_equal(back.as.prepared.id, 9);
	assert_memory_equal(&back.as.prepared.result.check, &message.as.prepared.result.check,
			    sizeof message.as.prepared.result.check);
	assert_int_equal(back.as.prepared.result.first_call_ns, 12345678901234);

	message = (struct mxt_message){.type = MXT_MESSAGE_TIMED, .request = 4, .as.timed = {1000, 5, 17}};
	round_trip(&message);
	assert_int_equal(back.as.timed.ns, 1000);
	assert_int_equal(back.as.timed.samples, 5);
	assert_int_equal(back.as.timed.repeats, 17);

	message = (struct mxt_message){.type = MXT_MESSAGE_REFUSED};
	message.as.refused.outcome = MXT_UNSUPPORTED;
	message.as.refused.text = (struct mxt_message_bytes){(const unsigned char *)"no bf16", 7};
	round_trip(&message);
	assert_int_equal(back.as.refused.outcome, MXT_UNSUPPORTED);
	assert_int_equal(back.as.refused.text.len, 7);
	assert_memory_equal(back.as.refused.text.data, "no bf16", 7);
}

static struct mxt_message ranked_message(void)
{
	struct mxt_message message = {.type = MXT_MESSAGE_RANKED, .request = 5};
	message.as.ranked = (struct mxt_ranking){.library = "cuBLASLt 13.1.0",
						 .offered = 200,
						 .remark = "solution 7 computes wrong",
						 .algorithms = 8,
						 .rounds = 24,
						 .default_ns = 1200000,
						 .best_ns = 1190000,
						 .gain_ppm = -8333,
						 .floor_ppm = 400,
						 .bound_ppm = -12000,
						 .solution = MXT_SOLUTION_DEFAULT};
	return message;
}

static void rankings_round_trip(void **state)
{
	(void)state;
	struct mxt_message message = {.type = MXT_MESSAGE_RANK, .request = 5};
	message.as.rank.id = 255;
	message.as.rank.limit_ns = UINT64_MAX;
	round_trip(&message);
	assert_int_equal(back.as.rank.id, 255);
	assert_int_equal(back.as.rank.limit_ns, UINT64_MAX);
	message.as.rank.id = MXT_WORKER_MAX_PROBLEMS;
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
	message = ranked_message();
	round_trip(&message);
	assert_string_equal(back.as.ranked.library, "cuBLASLt 13.1.0");
	assert_int_equal(back.as.ranked.offered, 200);
	assert_string_equal(back.as.ranked.remark, "solution 7 computes wrong");
	assert_int_equal(back.as.ranked.algorithms, 8);
	assert_int_equal(back.as.ranked.rounds, 24);
	assert_int_equal(back.as.ranked.default_ns, 1200000);
	assert_int_equal(back.as.ranked.best_ns, 1190000);
	assert_int_equal(back.as.ranked.gain_ppm, -8333);
	assert_int_equal(back.as.ranked.floor_ppm, 400);
	assert_int_equal(back.as.ranked.bound_ppm, -12000);
	assert_int_equal(back.as.ranked.solution, MXT_SOLUTION_DEFAULT);
}

static void rankings_are_bounded(void **state)
{
	(void)state;
	struct mxt_message bad[10];
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		bad[i] = ranked_message();
	bad[6].as.ranked.offered = 0;
	bad[8].as.ranked.gain_ppm = 1000001;
	bad[9].as.ranked.bound_ppm = bad[9].as.ranked.gain_ppm + 1;
	bad[7].as.ranked.remark[0] = '\x1b';
	bad[0].as.ranked.algorithms = 0;
	bad[1].as.ranked.algorithms = MXT_WORKER_MAX_ALGORITHMS + 1;
	bad[2].as.ranked.default_ns = 0;
	bad[3].as.ranked.best_ns = 0;
	bad[4].as.ranked.library[3] = '\n';
	memset(bad[5].as.ranked.library, 'x', MXT_RANKING_TEXT); /* not ended */
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		assert_int_equal(mxt_message_encode(&bad[i], &packet), -EINVAL);
}

static void facts_come_in_parts_below_the_limit(void **state)
{
	(void)state;
	static unsigned char part[MXT_MESSAGE_PART_BYTES];
	struct mxt_message message = {.type = MXT_MESSAGE_HELLO};
	message.as.hello.facts_bytes = (uint32_t)MXT_FACTS_MAX_BYTES;
	round_trip(&message);
	assert_int_equal(back.as.hello.facts_bytes, MXT_FACTS_MAX_BYTES);
	message = (struct mxt_message){.type = MXT_MESSAGE_FACTS};
	message.as.facts = (struct mxt_message_bytes){part, (uint32_t)sizeof part};
	assert_true(round_trip(&message) < MXT_MESSAGE_MAX_BYTES);
	assert_int_equal(back.as.facts.len, sizeof part);
	message.as.facts.len++;
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
}

static size_t encode_quit(void)
{
	const struct mxt_message quit = {.type = MXT_MESSAGE_QUIT, .request = 1};
	assert_int_equal(mxt_message_encode(&quit, &packet), 0);
	assert_int_equal(packet.len, MXT_MESSAGE_HEAD_BYTES);
	return packet.len;
}

static void heads_are_checked(void **state)
{
	(void)state;
	size_t len = encode_quit();
	refuses(MXT_FROM_WORKER, len, "a message of an unknown type");
	refuses(MXT_TO_WORKER, len - 1, "a message shorter than its header");
	refuses(MXT_TO_WORKER, 0, "a message shorter than its header");
	packet.bytes[len] = 0;
	refuses(MXT_TO_WORKER, len + 1, "a message whose length is not the one that it states");
	packet.bytes[8] = 1; /* states the byte, but the type has no content */
	refuses(MXT_TO_WORKER, len + 1, "a message longer than its content");
	encode_quit();
	packet.bytes[0] = 'm';
	refuses(MXT_TO_WORKER, len, "bad magic");
	encode_quit();
	packet.bytes[4]++;
	refuses(MXT_TO_WORKER, len, "another version of the protocol: its program is not this one");
	encode_quit();
	packet.bytes[6] = 0xee;
	refuses(MXT_TO_WORKER, len, "a message of an unknown type");
}

/* Every shorter form of a good packet, its stated length corrected, is refused as well. */
static void every_truncation_is_refused(void **state)
{
	(void)state;
	struct mxt_message message = {.type = MXT_MESSAGE_PREPARE};
	message.as.prepare.problem = gemm_problem();
	size_t full = round_trip(&message);
	for (size_t len = MXT_MESSAGE_HEAD_BYTES; len < full; len++) {
		packet.bytes[8] = (unsigned char)(len - MXT_MESSAGE_HEAD_BYTES);
		refuses(MXT_TO_WORKER, len, "a message is shorter than its content");
	}
}

static void values_are_bounded(void **state)
{
	(void)state;
	struct mxt_message message = {.type = MXT_MESSAGE_PREPARE};
	message.as.prepare.problem = gemm_problem();
	message.as.prepare.id = MXT_WORKER_MAX_PROBLEMS;
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
	message.as.prepare.id = 0;
	message.as.prepare.problem.as.gemm.lda = 1;
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
	message.as.prepare.problem = gemm_problem();
	size_t len = round_trip(&message);
	packet.bytes[20] = 2; /* kind */
	refuses(MXT_TO_WORKER, len, "a value is out of range");
	round_trip(&message);
	packet.bytes[39] = 0x80; /* the sign of m */
	refuses(MXT_TO_WORKER, len, "a problem has a dimension out of range");
	round_trip(&message);
	packet.bytes[80] = 2; /* trans_a */
	refuses(MXT_TO_WORKER, len, "a value is out of range");

	message = (struct mxt_message){.type = MXT_MESSAGE_TIME};
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL); /* no step */
	message.as.time.n_steps = 1;
	message.as.time.steps[0].id = MXT_WORKER_MAX_PROBLEMS;
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
	message = (struct mxt_message){.type = MXT_MESSAGE_TIMED, .as.timed = {0, 1, 1}};
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
	message = (struct mxt_message){.type = MXT_MESSAGE_REFUSED};
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL); /* refused, yet ok */
	message.type = (enum mxt_message_type)0;
	assert_int_equal(mxt_message_encode(&message, &packet), -EINVAL);
}

static void nothing_is_written_when_refused(void **state)
{
	(void)state;
	size_t len = encode_quit();
	memset(&back, 0x5a, sizeof back);
	struct mxt_message before = back;
	refuses(MXT_FROM_WORKER, len, "a message of an unknown type");
	assert_memory_equal(&back, &before, sizeof back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(prepare_round_trips),  cmocka_unit_test(time_round_trips),
	    cmocka_unit_test(answers_round_trip),   cmocka_unit_test(rankings_round_trip),
	    cmocka_unit_test(rankings_are_bounded), cmocka_unit_test(facts_come_in_parts_below_the_limit),
	    cmocka_unit_test(heads_are_checked),    cmocka_unit_test(every_truncation_is_refused),
	    cmocka_unit_test(values_are_bounded),   cmocka_unit_test(nothing_is_written_when_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
