/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_env.h"
#include "plan_example.h"
#include "plan_handoff.h"
#include "scratch.h"
#include "shell_quote.h"

/* ---- quoting, as real shells read it ---- */

static const char *const nasty_values[] = {
    "",
    " ",
    "plain",
    "'",
    "''",
    "'\\''",
    "\\",
    "\\\\'",
    "a b  c",
    "\n",
    "two\nlines\n",
    "tab\tand\rreturn",
    "$(echo broken)",
    "`echo broken`",
    "$HOME ${PATH} $1 $$ $?",
    "!history !!",
    "; exit 9",
    "&& exit 9 || exit 9",
    "| cat > /dev/null &",
    "*?[a-z]~{1,2}",
    "# comment",
    "\"double\" \"",
    "-n",
    "-e \\n",
    "a=b",
    "'; exit 9; '",
    "caf\xc3\xa9 \xe2\x82\xac",
    "\xff\xfe\x80",
    "\x01\x02\x1b[2J\x7f",
    "$'\\n'",
    "(a) <b> %s %n",
};

/* Runs `shell -c script` and collects what it prints. Status 0 is demanded. */
static void run_shell(const char *shell, const char *script, struct mxt_buf *out)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(ends[1], STDOUT_FILENO);
		execlp(shell, shell, "-c", script, (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	char chunk[4096];
	for (ssize_t got; (got = read(ends[0], chunk, sizeof chunk)) > 0;)
		mxt_buf_append(out, chunk, (size_t)got);
	(void)close(ends[0]);
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s ends with %d for: %s", shell, status, script);
}

static bool is_installed(const char *shell)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "/bin/%s", shell);
	return access(mxt_buf_text(&path), X_OK) == 0;
}

/* The export line, evaluated from a quoted string as a user would, then printed byte by byte. */
static void expect_survival(const char *shell, const char *value)
{
	MXT_CLEANUP_BUF struct mxt_buf line = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf script = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	mxt_buf_puts(&line, "export MXT_PROBE=");
	mxt_shell_quote(value, &line);
	mxt_buf_puts(&script, "eval ");
	mxt_shell_quote(mxt_buf_text(&line), &script); /* as the argument of eval: quoted twice */
	mxt_buf_puts(&script, " && printf '%s' \"$MXT_PROBE\"");
	run_shell(shell, mxt_buf_text(&script), &out);
	if (out.len != strlen(value) || memcmp(mxt_buf_text(&out), value, out.len) != 0)
		fail_msg("%s reads '%s' as '%s'", shell, value, mxt_buf_text(&out));
}

static void quotes_for_real_shells(void **state)
{
	(void)state;
	static const char *const shells[] = {"sh", "dash", "bash"};
	for (size_t s = 0; s < MXT_ARRAY_LEN(shells); s++) {
		if (!is_installed(shells[s]))
			continue;
		for (size_t i = 0; i < MXT_ARRAY_LEN(nasty_values); i++)
			expect_survival(shells[s], nasty_values[i]);
	}
}

static void quotes_every_byte(void **state)
{
	(void)state;
	char all[256];
	for (int c = 1; c < 256; c++)
		all[c - 1] = (char)c;
	all[255] = '\0';
	expect_survival("sh", all);
}

/* ---- formats and hand-offs ---- */

#define TABLE                                                                                                          \
	"[{\"collective\":\"allgather\",\"max_bytes\":65536,\"algorithm\":\"tree\",\"protocol\":\"ll\",\"channels\":"  \
	"4},"                                                                                                          \
	"{\"collective\":\"allgather\",\"max_bytes\":1048576,\"algorithm\":\"ring\",\"protocol\":\"ll128\"},"          \
	"{\"collective\":\"allreduce\",\"max_bytes\":9007199254740991,\"algorithm\":\"ring\",\"protocol\":\"simple\"}" \
	"]"

/* The example, with one change to its decision, and perhaps a second one. */
static struct mxt_plan *make_plan(const char *path, const char *value, const char *path2, const char *value2)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	struct mxt_plan *plan = NULL;
	if (path)
		assert_int_equal(plan_example_set(decision, path, value), 0);
	if (path2)
		assert_int_equal(plan_example_set(decision, path2, value2), 0);
	assert_int_equal(mxt_plan_seal(decision, evidence, &document, NULL), 0);
	assert_int_equal(mxt_json_canonical(document, &buf, NULL), 0);
	assert_int_equal(mxt_plan_parse("p", buf.data, buf.len, &plan, NULL), 0);
	return plan;
}

static struct mxt_plan *make_handoff_plan(void)
{
	return make_plan("collective.table", TABLE, "env.NCCL_TUNER_CONFIG_FILE", "\"@file:collectives.csv@\"");
}

static void expect_env(const struct mxt_plan *plan, enum mxt_env_format format, const char *dir, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_plan_env_write(plan, format, dir, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), text);
}

static void writes_all_formats(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NULL, NULL, NULL, NULL);
	expect_env(plan, MXT_ENV_SH, NULL,
		   "unset BLIS_NUM_THREADS\nunset OMP_NUM_THREADS\n"
		   "export MINDXTRAIN_CPU_ATTENTION='flash'\nexport OPENBLAS_CORETYPE='Haswell'\n");
	expect_env(plan, MXT_ENV_JSON, NULL,
		   "{\"env\":{\"MINDXTRAIN_CPU_ATTENTION\":\"flash\",\"OPENBLAS_CORETYPE\":\"Haswell\"},"
		   "\"unset\":[\"BLIS_NUM_THREADS\",\"OMP_NUM_THREADS\"]}\n");
	expect_env(plan, MXT_ENV_ENV_FILE, NULL,
		   "# unset BLIS_NUM_THREADS\n# unset OMP_NUM_THREADS\n"
		   "MINDXTRAIN_CPU_ATTENTION=flash\nOPENBLAS_CORETYPE=Haswell\n");
	MXT_CLEANUP_PLAN struct mxt_plan *bare = make_plan("env", NULL, "unset", NULL);
	expect_env(bare, MXT_ENV_SH, NULL, "");
	expect_env(bare, MXT_ENV_JSON, NULL, "{\"env\":{},\"unset\":[]}\n");
}

/* The environment alone makes Axolotl take no other attention: what else it takes is told as well. */
static void tells_the_keys_of_axolotl(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan("stack.torch", "\"2.11.0+cu130\"", "env", NULL);
	expect_env(plan, MXT_ENV_SH, NULL,
		   "unset BLIS_NUM_THREADS\nunset OMP_NUM_THREADS\n"
		   "# config of Axolotl 0.17 and later: attn_implementation: sdpa, sdpa_varlen: false\n");
	MXT_CLEANUP_PLAN struct mxt_plan *fa2 =
	    make_plan("stack.torch", "\"2.11.0+cu130\"", "attention.backend", "\"fa2\"");
	expect_env(fa2, MXT_ENV_ENV_FILE, NULL,
		   "# unset BLIS_NUM_THREADS\n# unset OMP_NUM_THREADS\n"
		   "MINDXTRAIN_CPU_ATTENTION=flash\nOPENBLAS_CORETYPE=Haswell\n"
		   "# config of Axolotl 0.17 and later: attn_implementation: flash_attention_2\n"
		   "# config of Axolotl before 0.17: flash_attention: true\n");
	expect_env(fa2, MXT_ENV_JSON, NULL,
		   "{\"axolotl\":{\"remove\":[\"xformers_attention\",\"sage_attention\",\"flex_attention\","
		   "\"flash_attention\",\"sdp_attention\",\"eager_attention\"],"
		   "\"set\":{\"attn_implementation\":\"flash_attention_2\"}},"
		   "\"env\":{\"MINDXTRAIN_CPU_ATTENTION\":\"flash\",\"OPENBLAS_CORETYPE\":\"Haswell\"},"
		   "\"unset\":[\"BLIS_NUM_THREADS\",\"OMP_NUM_THREADS\"]}\n");
	MXT_CLEANUP_PLAN struct mxt_plan *nothing =
	    make_plan("stack.torch", "\"2.11.0+cu130\"", "attention.backend", "\"aiter\"");
	expect_env(nothing, MXT_ENV_SH, NULL,
		   "unset BLIS_NUM_THREADS\nunset OMP_NUM_THREADS\n"
		   "export MINDXTRAIN_CPU_ATTENTION='flash'\nexport OPENBLAS_CORETYPE='Haswell'\n");
}

static void handoffs_need_a_folder(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_handoff_plan();
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_true(mxt_plan_has_handoffs(plan));
	assert_true(mxt_plan_env_write(plan, MXT_ENV_SH, NULL, &buf, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_HANDOFF);
	assert_non_null(strstr(mxt_error_text(&err), "--files DIR"));
}

static void odd_folders_break_no_format(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan =
	    make_plan("collective.table", TABLE, "env", "{\"NCCL_TUNER_CONFIG_FILE\":\"@file:collectives.csv@\"}");
	static const char *const odd[] = {"/a\nexport X=1", "/a\r", "/\xff", "/\x1b[2J"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(odd); i++) {
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_true(mxt_plan_env_write(plan, MXT_ENV_ENV_FILE, odd[i], &buf, &err) < 0);
		assert_int_equal(err.id, MXT_E_PLAN_FORMAT);
		assert_true(mxt_plan_env_write(plan, MXT_ENV_JSON, odd[i], &buf, &err) < 0);
		assert_int_equal(mxt_plan_env_write(plan, MXT_ENV_SH, odd[i], &buf, &err), 0);
	}
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_plan_env_write(plan, MXT_ENV_ENV_FILE, "/a b'$(c)", &buf, NULL), 0);
	assert_non_null(strstr(mxt_buf_text(&buf), "\nNCCL_TUNER_CONFIG_FILE=/a b'$(c)/collectives.csv\n"));
}

static void writes_handoffs(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_handoff_plan();
	assert_int_equal(mxt_plan_write_handoffs(plan, *state, NULL), 0);
	char *path = mxt_scratch_path(*state, "collectives.csv");
	mxt_scratch_expect(path, "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks\n"
				 "allgather,0,65536,tree,ll,4,1,1\n"
				 "allgather,65537,1048576,ring,ll128,-1,1,1\n"
				 "allreduce,0,9007199254740991,ring,simple,-1,1,1\n");
	free(path);
}

static void expect_no_handoff(const char *path, const char *value, const char *words)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(path, value, NULL, NULL);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_plan_write_handoffs(plan, "/nonexistent", &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_HANDOFF);
	assert_non_null(strstr(mxt_error_text(&err), words));
}

static void says_which_handoff_is_missing(void **state)
{
	(void)state;
	expect_no_handoff("env.NCCL_TUNER_CONFIG_FILE", "\"@file:collectives.csv@\"", "nothing to write there");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quotes_for_real_shells),
	    cmocka_unit_test(quotes_every_byte),
	    cmocka_unit_test(writes_all_formats),
	    cmocka_unit_test(tells_the_keys_of_axolotl),
	    cmocka_unit_test(handoffs_need_a_folder),
	    cmocka_unit_test(odd_folders_break_no_format),
	    cmocka_unit_test_setup_teardown(writes_handoffs, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(says_which_handoff_is_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
