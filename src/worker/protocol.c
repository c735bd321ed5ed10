/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define MAGIC UINT32_C(0x5754584d) /* "MXTW" */
#define PPM   1000000              /* all of a time */

/*
 * A walk over the fields of a packet, in either direction: each field function takes the value to write and returns
 * the value read or written, so that a layout is stated once. The first field that does not fit or is out of range
 * sets `fault`; what follows is then without effect.
 */
struct wire {
	unsigned char *out;      /* writing: the packet; NULL when reading */
	const unsigned char *in; /* the packet */
	size_t at, end;
	const char *fault; /* static text */
};

static bool take(struct wire *wire, size_t bytes)
{
	if (!wire->fault && wire->end - wire->at < bytes)
		wire->fault = "a message is shorter than its content";
	return !wire->fault;
}

static uint64_t number(struct wire *wire, uint64_t value, size_t bytes)
{
	if (!take(wire, bytes))
		return 0;
	for (size_t i = 0; wire->out && i < bytes; i++)
		wire->out[wire->at + i] = (unsigned char)(value >> (8 * i));
	uint64_t result = 0;
	for (size_t i = 0; i < bytes; i++)
		result |= (uint64_t)wire->in[wire->at + i] << (8 * i);
	wire->at += bytes;
	return result;
}

static uint32_t u16(struct wire *wire, uint32_t value)
{
	return (uint32_t)number(wire, value, 2);
}

static uint32_t u32(struct wire *wire, uint32_t value)
{
	return (uint32_t)number(wire, value, 4);
}

static uint64_t u64(struct wire *wire, uint64_t value)
{
	return number(wire, value, 8);
}

static int32_t i32(struct wire *wire, int32_t value)
{
	return (int32_t)u32(wire, (uint32_t)value);
}

static int64_t i64(struct wire *wire, int64_t value)
{
	return (int64_t)u64(wire, (uint64_t)value);
}

/* A u32 in [min, max]; min stands in for what is not, so that callers may use the result as a count or an enum. */
static uint32_t ranged(struct wire *wire, uint32_t value, uint32_t min, uint32_t max)
{
	uint32_t result = u32(wire, value);
	if (result >= min && result <= max)
		return result;
	if (!wire->fault)
		wire->fault = "a value is out of range";
	return min;
}

static bool boolean(struct wire *wire, bool value)
{
	return ranged(wire, value, 0, 1) != 0;
}

static void blob(struct wire *wire, struct mxt_message_bytes *bytes, uint32_t min, size_t max)
{
	bytes->len = ranged(wire, bytes->len, min, (uint32_t)max);
	if (!take(wire, bytes->len))
		return;
	if (!wire->out)
		bytes->data = wire->in + wire->at;
	else if (bytes->len > 0)
		memcpy(wire->out + wire->at, bytes->data, bytes->len);
	wire->at += bytes->len;
}

static void fixed(struct wire *wire, uint8_t *bytes, size_t len)
{
	if (!take(wire, len))
		return;
	if (wire->out)
		memcpy(wire->out + wire->at, bytes, len);
	else
		memcpy(bytes, wire->in + wire->at, len);
	wire->at += len;
}

static void walk_attention(struct wire *wire, struct mxt_attention *a)
{
	a->batch = i32(wire, a->batch);
	a->seq = i32(wire, a->seq);
	a->heads = i32(wire, a->heads);
	a->kv_heads = i32(wire, a->kv_heads);
	a->head_dim = i32(wire, a->head_dim);
	a->causal = boolean(wire, a->causal);
	a->masked = boolean(wire, a->masked);
	a->repeated = boolean(wire, a->repeated);
	a->window = i32(wire, a->window);
	a->dtype = (enum mxt_dtype)ranged(wire, a->dtype, 0, MXT_DTYPE_COUNT - 1);
	a->direction = (enum mxt_direction)ranged(wire, a->direction, 0, MXT_DIRECTION_COUNT - 1);
	a->n_documents = ranged(wire, a->n_documents, 0, MXT_MAX_DOCUMENTS);
	for (uint32_t i = 0; i < a->n_documents && !wire->fault; i++)
		a->documents[i] = i32(wire, a->documents[i]);
}

static void walk_gemm(struct wire *wire, struct mxt_gemm *g)
{
	g->m = i64(wire, g->m);
	g->n = i64(wire, g->n);
	g->k = i64(wire, g->k);
	g->lda = i64(wire, g->lda);
	g->ldb = i64(wire, g->ldb);
	g->ldc = i64(wire, g->ldc);
	g->trans_a = boolean(wire, g->trans_a);
	g->trans_b = boolean(wire, g->trans_b);
	g->accumulate = boolean(wire, g->accumulate);
	g->bias = boolean(wire, g->bias);
	g->batch = i32(wire, g->batch);
	g->dtype = (enum mxt_dtype)ranged(wire, g->dtype, 0, MXT_DTYPE_COUNT - 1);
}

static void walk_problem(struct wire *wire, struct mxt_problem *problem)
{
	problem->kind = (enum mxt_problem_kind)ranged(wire, problem->kind, 0, MXT_PROBLEM_KIND_COUNT - 1);
	problem->calls = u32(wire, problem->calls);
	problem->share_ppm = u32(wire, problem->share_ppm);
	if (problem->kind == MXT_PROBLEM_GEMM)
		walk_gemm(wire, &problem->as.gemm);
	else
		walk_attention(wire, &problem->as.attention);
	if (!wire->fault && mxt_problem_validate(problem) < 0)
		wire->fault = "a problem has a dimension out of range";
}

static void walk_prepare(struct wire *wire, struct mxt_message *message)
{
	message->as.prepare.id = ranged(wire, message->as.prepare.id, 0, MXT_WORKER_MAX_PROBLEMS - 1);
	walk_problem(wire, &message->as.prepare.problem);
}

static void walk_step(struct wire *wire, struct mxt_sequence_step *step)
{
	step->id = u32(wire, step->id);
	step->filler_bytes = u64(wire, step->filler_bytes);
	if (!wire->fault && step->id >= MXT_WORKER_MAX_PROBLEMS && step->id != MXT_WORKER_FILLER)
		wire->fault = "a step names no problem";
}

static void walk_time(struct wire *wire, struct mxt_message *message)
{
	message->as.time.max_warm_ns = u64(wire, message->as.time.max_warm_ns);
	message->as.time.target_ns = u64(wire, message->as.time.target_ns);
	message->as.time.n_steps = ranged(wire, message->as.time.n_steps, 1, MXT_WORKER_MAX_STEPS);
	for (uint32_t i = 0; i < message->as.time.n_steps && !wire->fault; i++)
		walk_step(wire, &message->as.time.steps[i]);
}

static void walk_quit(struct wire *wire, struct mxt_message *message)
{
	(void)wire;
	(void)message;
}

static void walk_hello(struct wire *wire, struct mxt_message *message)
{
	message->as.hello.facts_bytes = ranged(wire, message->as.hello.facts_bytes, 1, (uint32_t)MXT_FACTS_MAX_BYTES);
}

static void walk_facts(struct wire *wire, struct mxt_message *message)
{
	blob(wire, &message->as.facts, 1, MXT_MESSAGE_PART_BYTES);
}

/* Printable, from `first` (a space, or what follows it) on, and ended within its buffer; "" is one, too. */
static bool is_printable(const char *text, size_t size, char first)
{
	size_t len = strnlen(text, size);
	for (size_t i = 0; i < len; i++)
		if (text[i] < first || text[i] > '~')
			return false;
	return len < size;
}

static void walk_prepared(struct wire *wire, struct mxt_message *message)
{
	struct mxt_prepared *result = &message->as.prepared.result;
	message->as.prepared.id = ranged(wire, message->as.prepared.id, 0, MXT_WORKER_MAX_PROBLEMS - 1);
	result->first_call_ns = u64(wire, result->first_call_ns);
	result->check.error_ppb = u64(wire, result->check.error_ppb);
	result->check.bound_ppb = u64(wire, result->check.bound_ppb);
	fixed(wire, result->check.bits, sizeof result->check.bits);
	fixed(wire, (uint8_t *)result->check.backend, sizeof result->check.backend);
	result->check.repeatable = boolean(wire, result->check.repeatable);
	if (!wire->fault && !is_printable(result->check.backend, sizeof result->check.backend, '!'))
		wire->fault = "a backend that is no word";
}

static void walk_timed(struct wire *wire, struct mxt_message *message)
{
	struct mxt_timing *timing = &message->as.timed;
	timing->ns = u64(wire, timing->ns);
	timing->samples = ranged(wire, timing->samples, 1, UINT32_MAX);
	timing->repeats = ranged(wire, timing->repeats, 1, UINT32_MAX);
	if (!wire->fault && timing->ns == 0)
		wire->fault = "a time of 0 ns";
}

static void walk_rank(struct wire *wire, struct mxt_message *message)
{
	message->as.rank.id = ranged(wire, message->as.rank.id, 0, MXT_WORKER_MAX_PROBLEMS - 1);
	message->as.rank.limit_ns = u64(wire, message->as.rank.limit_ns);
}

static void walk_ranked(struct wire *wire, struct mxt_message *message)
{
	struct mxt_ranking *ranking = &message->as.ranked;
	fixed(wire, (uint8_t *)ranking->library, sizeof ranking->library);
	fixed(wire, (uint8_t *)ranking->remark, sizeof ranking->remark);
	ranking->offered = ranged(wire, ranking->offered, 1, MXT_WORKER_MAX_ALGORITHMS);
	ranking->algorithms = ranged(wire, ranking->algorithms, 1, MXT_WORKER_MAX_ALGORITHMS);
	ranking->rounds = ranged(wire, ranking->rounds, 1, UINT32_MAX);
	ranking->default_ns = u64(wire, ranking->default_ns);
	ranking->best_ns = u64(wire, ranking->best_ns);
	ranking->gain_ppm = i32(wire, ranking->gain_ppm);
	ranking->floor_ppm = ranged(wire, ranking->floor_ppm, 0, MXT_WORKER_MAX_FLOOR_PPM);
	ranking->bound_ppm = i32(wire, ranking->bound_ppm);
	ranking->solution = i32(wire, ranking->solution);
	if (!wire->fault && !is_printable(ranking->library, sizeof ranking->library, ' '))
		wire->fault = "a library whose name cannot be shown";
	if (!wire->fault && !is_printable(ranking->remark, sizeof ranking->remark, ' '))
		wire->fault = "a remark that cannot be shown";
	if (!wire->fault && (ranking->default_ns == 0 || ranking->best_ns == 0))
		wire->fault = "a time of 0 ns";
	if (!wire->fault && (ranking->gain_ppm > PPM || ranking->bound_ppm > ranking->gain_ppm))
		wire->fault = "a gain that there cannot be";
}

static void walk_refused(struct wire *wire, struct mxt_message *message)
{
	uint32_t outcome = ranged(wire, message->as.refused.outcome, MXT_UNSUPPORTED, MXT_FAILED);
	message->as.refused.outcome = (enum mxt_outcome)outcome;
	blob(wire, &message->as.refused.text, 0, MXT_MESSAGE_TEXT_BYTES);
}

struct layout {
	enum mxt_message_type type;
	enum mxt_message_flow flow;
	void (*walk)(struct wire *wire, struct mxt_message *message);
};

static const struct layout layouts[] = {
    {MXT_MESSAGE_PREPARE, MXT_TO_WORKER, walk_prepare}, {MXT_MESSAGE_TIME, MXT_TO_WORKER, walk_time},
    {MXT_MESSAGE_QUIT, MXT_TO_WORKER, walk_quit},       {MXT_MESSAGE_RANK, MXT_TO_WORKER, walk_rank},
    {MXT_MESSAGE_HELLO, MXT_FROM_WORKER, walk_hello},   {MXT_MESSAGE_FACTS, MXT_FROM_WORKER, walk_facts},
    {MXT_MESSAGE_TIMED, MXT_FROM_WORKER, walk_timed},   {MXT_MESSAGE_PREPARED, MXT_FROM_WORKER, walk_prepared},
    {MXT_MESSAGE_RANKED, MXT_FROM_WORKER, walk_ranked}, {MXT_MESSAGE_REFUSED, MXT_FROM_WORKER, walk_refused},
};

static const struct layout *layout_of(uint32_t type)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(layouts); i++)
		if ((uint32_t)layouts[i].type == type)
			return &layouts[i];
	return NULL;
}

int mxt_message_encode(const struct mxt_message *message, struct mxt_packet *ret_packet)
{
	const struct layout *layout = layout_of((uint32_t)message->type);
	if (!layout)
		return -EINVAL;
	unsigned char *bytes = ret_packet->bytes;
	struct mxt_message copy = *message; /* a walk takes what it may change */
	struct wire body = {bytes, bytes, MXT_MESSAGE_HEAD_BYTES, MXT_MESSAGE_MAX_BYTES, NULL};
	layout->walk(&body, &copy);
	if (body.fault)
		return -EINVAL;
	struct wire head = {bytes, bytes, 0, MXT_MESSAGE_HEAD_BYTES, NULL};
	u32(&head, MAGIC);
	u16(&head, MXT_PROTOCOL_VERSION);
	u16(&head, (uint32_t)message->type);
	u32(&head, (uint32_t)(body.at - MXT_MESSAGE_HEAD_BYTES));
	u32(&head, message->request);
	ret_packet->len = body.at;
	return 0;
}

/* The header; *ret_layout is NULL when wire->fault is set. */
static void read_head(struct wire *wire, enum mxt_message_flow flow, struct mxt_message *message,
		      const struct layout **ret_layout)
{
	uint32_t magic = u32(wire, 0);
	uint32_t version = u16(wire, 0);
	const struct layout *layout = layout_of(u16(wire, 0));
	uint32_t length = u32(wire, 0);
	message->request = u32(wire, 0);
	if (wire->fault)
		wire->fault = "a message shorter than its header";
	else if (magic != MAGIC)
		wire->fault = "bad magic";
	else if (version != MXT_PROTOCOL_VERSION)
		wire->fault = "another version of the protocol: its program is not this one";
	else if (!layout || layout->flow != flow)
		wire->fault = "a message of an unknown type";
	else if (length != wire->end - wire->at)
		wire->fault = "a message whose length is not the one that it states";
	*ret_layout = wire->fault ? NULL : layout;
}

int mxt_message_decode(enum mxt_message_flow flow, const struct mxt_packet *packet, struct mxt_message *ret_message,
		       const char **ret_fault)
{
	struct wire wire = {NULL, packet->bytes, 0, packet->len, NULL};
	struct mxt_message message;
	memset(&message, 0, sizeof message);
	const struct layout *layout = NULL;
	read_head(&wire, flow, &message, &layout);
	if (layout) {
		message.type = layout->type;
		layout->walk(&wire, &message);
	}
	if (!wire.fault && wire.at != wire.end)
		wire.fault = "a message longer than its content";
	if (wire.fault) {
		*ret_fault = wire.fault;
		return -EBADMSG;
	}
	*ret_message = message;
	return 0;
}
