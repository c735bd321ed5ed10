/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown while files are hashed, on a terminal and elsewhere, and how a signal ends the work. */
#include "hash_meter.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "command.h"
#include "error.h"
#include "exit_status.h"
#include "figures.h"

#define GB UINT64_C(1000000000)

static uint64_t simulated_now(void *context)
{
	return *(uint64_t *)context;
}

struct show {
	struct mxt_hash_meter meter;
	uint64_t now_ns;
	struct mxt_clock clock;
};

static void start(struct show *show, FILE *out, char *const *environment)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	show->now_ns = 1;
	show->clock = (struct mxt_clock){simulated_now, &show->now_ns};
	struct mxt_hash_meter_request request = {.out = out, .environment = environment, .clock = &show->clock};
	assert_int_equal(mxt_hash_meter_start(&show->meter, &request, &err), 0);
}

static bool look_after(struct show *show, uint64_t seconds, struct mxt_hash_progress progress)
{
	show->now_ns += seconds * MXT_NS_PER_S;
	return show->meter.watch.progress(show->meter.watch.context, &progress);
}

static void test_lines_stay_elsewhere(void **state)
{
	(void)state;
	struct show show;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	start(&show, out, (char *const[]){NULL});
	assert_true(look_after(&show, 0, (struct mxt_hash_progress){GB, 9 * GB, 1, 5, "first"}));
	assert_true(look_after(&show, 5, (struct mxt_hash_progress){2 * GB, 9 * GB, 1, 5, "first"}));
	assert_true(look_after(&show, 5, (struct mxt_hash_progress){3 * GB, 9 * GB, 1, 5, "first"}));
	assert_true(look_after(&show, 400, (struct mxt_hash_progress){3 * GB, 9 * GB, 1, 5, "second"}));
	assert_true(look_after(&show, 10, (struct mxt_hash_progress){.files_done = 2, .files_total = 5, .path = "b"}));
	assert_int_equal(mxt_hash_meter_end(&show.meter, 0, NULL), 0);
	(void)fclose(out);
	assert_string_equal(text, "hashing: 3.00 GB of 9.00 GB, 200 MB/s, 30 s left\n"
				  "hashing: 3.00 GB of 9.00 GB, 100 MB/s, 60 s left\n"
				  "hashing: 2 of 5 files\n");
	free(text);
}

/* What was written in pieces comes in pieces. */
static void expect_to_read(int fd, const char *expected)
{
	char text[512] = "";
	size_t len = 0;
	while (len < strlen(expected)) {
		ssize_t n = read(fd, text + len, sizeof text - 1 - len);
		assert_true(n > 0);
		len += (size_t)n;
	}
	assert_string_equal(text, expected);
}

static void expect_line(unsigned short columns, const char *expected)
{
	struct show show;
	char term[] = "TERM=xterm", no_color[] = "NO_COLOR=1";
	int master = -1, slave = -1;
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
	FILE *out = fdopen(slave, "w");
	start(&show, out, (char *[]){term, no_color, NULL});
	assert_true(look_after(&show, 0, (struct mxt_hash_progress){0, 8 * GB, 0, 1, "x"}));
	assert_true(
	    look_after(&show, 1, (struct mxt_hash_progress){2 * GB, 8 * GB, 0, 1, "a\033[2J/model.safetensors"}));
	assert_int_equal(mxt_hash_meter_end(&show.meter, -EIO, NULL), -EIO);
	expect_to_read(master, expected);
	(void)fclose(out);
	(void)close(master);
}

static void test_a_terminal_has_one_line(void **state)
{
	(void)state;
	expect_line(90, "\rhashing  =====---------------  2.00 GB of 8.00 GB, 2.00 GB/s, 3 s left"
			"  a?[2J/model.sa...\033[K\r\033[K");
	expect_line(60, "\rhashing  2.00 GB of 8.00 GB, 2.00 GB/s, 3 s left  a?[2J/...\033[K\r\033[K");
}

static void test_a_signal_ends_the_work(void **state)
{
	(void)state;
	struct show show;
	sigset_t now;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_hash_progress progress = {.path = ""};
	start(&show, NULL, NULL);
	assert_true(look_after(&show, 0, progress));
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(raise(SIGINT), 0);
	assert_false(look_after(&show, 0, progress));
	assert_false(look_after(&show, 0, progress));
	assert_true(mxt_hash_meter_end(&show.meter, -ECANCELED, &err) < 0);
	assert_int_equal(err.id, MXT_E_INTERRUPTED);
	int status = mxt_exit_status(&err);
	assert_true(status == MXT_EXIT_SIGNAL + SIGTERM || status == MXT_EXIT_SIGNAL + SIGINT);
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
	assert_false(sigismember(&now, SIGINT));
}

static void test_bytes_for_people(void **state)
{
	(void)state;
	static const struct row {
		uint64_t bytes;
		const char *text;
	} rows[] = {
	    {0, "0 B"},
	    {999, "999 B"},
	    {1000, "1.00 kB"},
	    {1234567, "1.23 MB"},
	    {9995000, "10.0 MB"},
	    {99950000, "100 MB"},
	    {999499999, "999 MB"},
	    {999500000, "1.00 GB"},
	    {UINT64_C(53687091200), "53.7 GB"},
	    {UINT64_MAX, "9223 PB"},
	};
	char buf[MXT_FIGURE_SIZE];
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		assert_string_equal(mxt_figure_bytes(buf, rows[i].bytes), rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines_stay_elsewhere),
	    cmocka_unit_test(test_a_terminal_has_one_line),
	    cmocka_unit_test(test_a_signal_ends_the_work),
	    cmocka_unit_test(test_bytes_for_people),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
