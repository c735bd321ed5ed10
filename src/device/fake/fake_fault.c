/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_fault.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "compiler.h"
#include "error.h"

#define SOCKET_FD 3 /* MXT_WORKER_SOCKET_FD: faults of the protocol go around the code that speaks it */

MXT_NORETURN static void sleep_forever(void)
{
	for (;;)
		(void)pause();
}

static int act_raise(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	(void)err;
	(void)signal(fault->status, SIG_DFL); /* whatever a sanitizer made of it */
	(void)raise(fault->status);
	return 0;
}

static int act_hang(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)effect;
	(void)err;
	sleep_forever();
}

static int act_ignore_term(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)effect;
	(void)err;
	(void)signal(SIGTERM, SIG_IGN);
	sleep_forever();
}

static int act_exit(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	(void)err;
	(void)fprintf(stderr, "%s\n", fault->text);
	_exit(fault->status);
}

static int act_fail(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	return mxt_error_set(err, -EIO, MXT_E_SIMULATED, "%s", fault->text);
}

static int act_unsupported(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	return mxt_error_set(err, -ENOTSUP, MXT_E_SIMULATED, "%s", fault->text);
}

static int act_absent(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	return mxt_error_set(err, -ENODEV, MXT_E_SIMULATED, "%s", fault->text);
}

static int act_no_memory(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)effect;
	return mxt_error_oom(err);
}

/* Touches every page, as a kernel that needs a workspace would; leaves when it gets all that it wants. */
static int act_eat_memory(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	const size_t block = (size_t)1 << 20, page = 4096;
	for (uint64_t eaten = 0; eaten < fault->bytes; eaten += block) {
		volatile char *memory = malloc(block); /* volatile: no compiler may see that it is useless */
		if (!memory)
			return mxt_error_oom(err);
		for (size_t at = 0; at < block; at += page)
			memory[at] = 1;
	}
	return 0;
}

static int act_wrong_result(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)err;
	effect->error_ppb = fault->bytes ? fault->bytes : 500000000;
	return 0;
}

static int act_not_a_number(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)err;
	effect->error_ppb = UINT64_MAX;
	return 0;
}

static int act_unrepeatable(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)err;
	effect->repeatable = false;
	return 0;
}

static int act_backend(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)err;
	effect->backend = fault->text;
	return 0;
}

static int act_too_fast(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)err;
	effect->time_factor = 1e-3;
	return 0;
}

static int act_no_time(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)err;
	effect->time_factor = 0;
	return 0;
}

static int act_slow(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	(void)err;
	struct timespec left = {(time_t)(fault->ms / 1000), (long)(fault->ms % 1000) * 1000000};
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	return 0;
}

static int act_print(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	(void)err;
	static const char garbage[] = "MXTW\001\033[31m \377\376 %s%n {\"outcome\": \"ok\"}\n";
	for (uint64_t printed = 0; printed < fault->bytes; printed += sizeof garbage)
		(void)fwrite(garbage, 1, sizeof garbage, printed / sizeof garbage % 2 ? stderr : stdout);
	(void)fprintf(stderr, "%s\n", fault->text);
	(void)fflush(stdout);
	return 0;
}

static int act_garbage(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	(void)err;
	(void)send(SOCKET_FD, fault->text, strlen(fault->text), MSG_NOSIGNAL);
	return 0;
}

static int act_oversize(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	size_t len = fault->bytes ? (size_t)fault->bytes : 100000;
	MXT_CLEANUP_FREE char *packet = calloc(1, len);
	if (!packet)
		return mxt_error_oom(err);
	(void)send(SOCKET_FD, packet, len, MSG_NOSIGNAL);
	return 0;
}

/* A head that is right (magic, version 5, type TIMED) and promises 64 bytes, and no body. */
static int act_truncated(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)effect;
	(void)err;
	static const unsigned char head[16] = {'M', 'X', 'T', 'W', 6, 0, 20, 0, 64};
	(void)send(SOCKET_FD, head, sizeof head, MSG_NOSIGNAL);
	return 0;
}

static int act_pass_descriptor(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect,
			       struct mxt_error *err)
{
	(void)fault;
	(void)effect;
	(void)err;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	memset(&control, 0, sizeof control);
	char byte = 0;
	struct iovec vector = {&byte, 1};
	struct msghdr header = {
	    .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	const int passed = STDIN_FILENO;
	memcpy(CMSG_DATA(rights), &passed, sizeof passed);
	(void)sendmsg(SOCKET_FD, &header, MSG_NOSIGNAL);
	return 0;
}

static int act_close_socket(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)fault;
	(void)effect;
	(void)err;
	(void)close(SOCKET_FD);
	sleep_forever();
}

/* A child that outlives its parent and holds on to the socket and the output. */
static int act_leave_child(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err)
{
	(void)effect;
	(void)err;
	if (fork() == 0)
		sleep_forever();
	_exit(fault->status);
}

struct kind {
	const char *name;
	int (*act)(const struct mxt_fake_fault *fault, struct mxt_fake_effect *effect, struct mxt_error *err);
	int status; /* unless the scenario gives one */
};

static const struct kind kinds[] = {
    {"crash", act_raise, SIGSEGV},
    {"kill", act_raise, SIGKILL},
    {"stop", act_raise, SIGSTOP},
    {"hang", act_hang, 0},
    {"ignore-term", act_ignore_term, 0},
    {"exit", act_exit, 3},
    {"fail", act_fail, 0},
    {"unsupported", act_unsupported, 0},
    {"absent", act_absent, 0},
    {"no-memory", act_no_memory, 0},
    {"eat-memory", act_eat_memory, 0},
    {"wrong-result", act_wrong_result, 0},
    {"not-a-number", act_not_a_number, 0},
    {"unrepeatable", act_unrepeatable, 0},
    {"backend", act_backend, 0},
    {"too-fast", act_too_fast, 0},
    {"no-time", act_no_time, 0},
    {"slow", act_slow, 0},
    {"print", act_print, 0},
    {"garbage", act_garbage, 0},
    {"oversize", act_oversize, 0},
    {"truncated", act_truncated, 0},
    {"pass-descriptor", act_pass_descriptor, 0},
    {"close-socket", act_close_socket, 0},
    {"leave-child", act_leave_child, 0},
};

static const char *const sites[MXT_FAKE_SITE_COUNT] = {
    [MXT_FAKE_OPEN] = "open", [MXT_FAKE_DESCRIBE] = "describe", [MXT_FAKE_PREPARE] = "prepare",
    [MXT_FAKE_TIME] = "time", [MXT_FAKE_CHECK] = "check",
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static enum mxt_fake_site find_site(const char *name)
{
	size_t site = 0;
	while (site < MXT_FAKE_SITE_COUNT && strcmp(sites[site], name) != 0)
		site++;
	return (enum mxt_fake_site)site;
}

int mxt_fake_fault_parse(json_t *json, struct mxt_fake_fault *ret_fault, struct mxt_error *err)
{
	const char *name = "", *at = "time", *text = "the scenario asked for this";
	int first = 1, count = 1, status = -1;
	json_int_t bytes = 0, ms = 0;
	json_error_t fault;
	if (json_unpack_ex(json, &fault, 0, "{s:s, s?s, s?s, s?i, s?i, s?i, s?I, s?I !}", "fault", &name, "at", &at,
			   "text", &text, "call", &first, "count", &count, "status", &status, "bytes", &bytes, "ms",
			   &ms) < 0)
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "a fault of the scenario: %s", fault.text);
	const struct kind *kind = find_kind(name);
	enum mxt_fake_site site = find_site(at);
	if (!kind || site == MXT_FAKE_SITE_COUNT)
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "the scenario asks for an unknown %s '%s'",
				     kind ? "place" : "fault", kind ? at : name);
	if (first < 1 || count < 1 || bytes < 0 || ms < 0)
		return mxt_error_set(err, -EINVAL, MXT_E_SCENARIO, "fault '%s' of the scenario has a negative number",
				     name);
	*ret_fault = (struct mxt_fake_fault){
	    kind->act,    site, (uint32_t)first, (uint32_t)count, status < 0 ? kind->status : status, (uint64_t)bytes,
	    (uint64_t)ms, text};
	return 0;
}

int mxt_fake_fault_run(const struct mxt_fake_fault *fault, enum mxt_fake_site site, uint32_t call,
		       struct mxt_fake_effect *effect, struct mxt_error *err)
{
	if (fault->site != site || call < fault->first || call - fault->first >= fault->count)
		return 0;
	return fault->act(fault, effect, err);
}
