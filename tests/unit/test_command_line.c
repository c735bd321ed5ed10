/* SPDX-License-Identifier: Apache-2.0 */
#include "command_line.h"

#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "import_check.h"
#include "json.h"
#include "launch_packages.h"
#include "python_packages.h"
#include "remarks.h"

static const struct mxt_nodes one_node = {.found_by = "one node", .count = 1};
static const struct mxt_nodes second_of_two = {
    .found_by = "Slurm", .count = 2, .rank = 1, .address = (char[]){"gpu07"}, .port = 61234, .job = (char[]){"4242"}};
static const struct mxt_nodes no_job = {
    .found_by = "Kubeflow", .count = 2, .rank = 0, .address = (char[]){"m-0"}, .port = 29500};

static struct mxt_command_request request_of(enum mxt_launcher launcher, int64_t gpus, const struct mxt_nodes *nodes)
{
	return (struct mxt_command_request){.launcher = launcher,
					    .python = "/env/bin/python3",
					    .config = "/runs/1/run.axolotl.yaml",
					    .accelerate_config = "/runs/1/accelerate.yaml",
					    .gpus = gpus,
					    .nodes = nodes,
					    .dtype = "bfloat16"};
}

static void join(char *const *argv, struct mxt_buf *buf)
{
	for (; *argv; argv++)
		mxt_buf_printf(buf, "%s%s", buf->len ? " " : "", *argv);
}

/* ---- words ---- */

struct line_case {
	enum mxt_launcher launcher;
	int64_t gpus;
	const struct mxt_nodes *nodes;
	const char *before, *after; /* a port that was free stands between them; NULL: nothing does */
};

#define TRAIN      " -m axolotl.cli.train /runs/1/run.axolotl.yaml"
#define PYTHON     "/env/bin/python3"
#define ACCELERATE PYTHON " -m accelerate.commands.launch --config_file /runs/1/accelerate.yaml"
#define TORCHRUN   PYTHON " -m torch.distributed.run"

static const struct line_case lines[] = {
    {MXT_LAUNCHER_ACCELERATE, 0, &one_node,
     ACCELERATE " --cpu --num_processes 1 --num_machines 1 --machine_rank 0" TRAIN, NULL},
    {MXT_LAUNCHER_ACCELERATE, 1, &one_node, ACCELERATE " --num_processes 1 --num_machines 1 --machine_rank 0" TRAIN,
     NULL},
    {MXT_LAUNCHER_ACCELERATE, 8, &one_node,
     ACCELERATE " --multi_gpu --num_processes 8 --num_machines 1 --machine_rank 0 --main_process_port ", TRAIN},
    {MXT_LAUNCHER_ACCELERATE, 8, &second_of_two,
     ACCELERATE " --multi_gpu --num_processes 16 --num_machines 2 --machine_rank 1 --main_process_ip gpu07 "
		"--main_process_port 61234 --rdzv_conf timeout=1800" TRAIN,
     NULL},
    {MXT_LAUNCHER_ACCELERATE, 1, &second_of_two,
     ACCELERATE " --multi_gpu --num_processes 2 --num_machines 2 --machine_rank 1 --main_process_ip gpu07 "
		"--main_process_port 61234 --rdzv_conf timeout=1800" TRAIN,
     NULL},
    {MXT_LAUNCHER_TORCHRUN, 0, &one_node,
     TORCHRUN " --nnodes=1 --nproc_per_node=1 --max_restarts=0 --standalone --local_addr=127.0.0.1" TRAIN, NULL},
    {MXT_LAUNCHER_TORCHRUN, 8, &one_node,
     TORCHRUN " --nnodes=1 --nproc_per_node=8 --max_restarts=0 --standalone --local_addr=127.0.0.1" TRAIN, NULL},
    {MXT_LAUNCHER_TORCHRUN, 8, &second_of_two,
     TORCHRUN " --nnodes=2 --nproc_per_node=8 --max_restarts=0 --node_rank=1 --rdzv_backend=static "
	      "--rdzv_conf=timeout=1800 --rdzv_id=4242 --master_addr=gpu07 --master_port=61234" TRAIN,
     NULL},
    {MXT_LAUNCHER_TORCHRUN, 4, &no_job,
     TORCHRUN " --nnodes=2 --nproc_per_node=4 --max_restarts=0 --node_rank=0 --rdzv_backend=static "
	      "--rdzv_conf=timeout=1800 --rdzv_id=mindxtrain --master_addr=m-0 --master_port=29500" TRAIN,
     NULL},
    {MXT_LAUNCHER_PYTHON, 1, &one_node, PYTHON TRAIN, NULL},
    {MXT_LAUNCHER_PYTHON, 0, &one_node, PYTHON TRAIN, NULL},
};

static void check_line(const struct line_case *test, const char *text)
{
	size_t len = strlen(test->before);
	if (!test->after) {
		assert_string_equal(text, test->before);
		return;
	}
	if (strncmp(text, test->before, len) != 0)
		fail_msg("%s", text);
	assert_int_equal(strspn(text + len, "0123456789"), 5);
	assert_string_equal(text + len + 5, test->after);
}

static void makes_every_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(lines); i++) {
		const struct mxt_command_request request = request_of(lines[i].launcher, lines[i].gpus, lines[i].nodes);
		struct mxt_command_line line = MXT_COMMAND_LINE_INIT;
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		assert_int_equal(mxt_command_line_make(&request, &line, NULL), 0);
		join(line.argv, &text);
		check_line(&lines[i], mxt_buf_text(&text));
		assert_string_equal(mxt_json_text(line.environment, "PYTHONUNBUFFERED"), "1");
		assert_int_equal(line.accelerate_config.len > 0, lines[i].launcher == MXT_LAUNCHER_ACCELERATE);
		mxt_command_line_finish(&line);
	}
}

static void passes_what_is_for_axolotl(void **state)
{
	(void)state;
	char *const overrides[] = {(char[]){"--learning_rate=0.0001"}, (char[]){"a b"}, (char[]){""}, NULL};
	struct mxt_command_request request = request_of(MXT_LAUNCHER_PYTHON, 1, &one_node);
	struct mxt_command_line line = MXT_COMMAND_LINE_INIT;
	request.overrides = overrides;
	assert_int_equal(mxt_command_line_make(&request, &line, NULL), 0);
	assert_string_equal(line.argv[4], "--learning_rate=0.0001");
	assert_string_equal(line.argv[5], "a b");
	assert_string_equal(line.argv[6], "");
	assert_null(line.argv[7]);
	mxt_command_line_finish(&line);
}

static void refuses_what_cannot_be(void **state)
{
	static const struct line_case cases[] = {
	    {MXT_LAUNCHER_PYTHON, 2, &one_node, NULL, NULL},
	    {MXT_LAUNCHER_PYTHON, 1, &no_job, NULL, NULL},
	    {MXT_LAUNCHER_ACCELERATE, 0, &no_job, NULL, NULL},
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		const struct mxt_command_request request = request_of(cases[i].launcher, cases[i].gpus, cases[i].nodes);
		struct mxt_command_line line = MXT_COMMAND_LINE_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_true(mxt_command_line_make(&request, &line, &err) < 0);
		assert_int_equal(err.id, MXT_E_LAUNCH_COMMAND);
		assert_null(line.argv);
	}
}

static void names_launchers(void **state)
{
	enum mxt_launcher launcher = MXT_LAUNCHER_ACCELERATE;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	(void)state;
	assert_int_equal(mxt_launcher_parse("torchrun", &launcher, &err), 0);
	assert_int_equal(launcher, MXT_LAUNCHER_TORCHRUN);
	assert_true(mxt_launcher_parse("deepspeed", &launcher, &err) < 0);
	assert_int_equal(err.id, MXT_E_USAGE);
	assert_int_equal(launcher, MXT_LAUNCHER_TORCHRUN);
}

/* ---- the file for accelerate ---- */

static void check_config(int64_t gpus, const struct mxt_nodes *nodes, const char *dtype, const char *expected)
{
	struct mxt_command_request request = request_of(MXT_LAUNCHER_ACCELERATE, gpus, nodes);
	struct mxt_command_line line = MXT_COMMAND_LINE_INIT;
	request.dtype = dtype;
	assert_int_equal(mxt_command_line_make(&request, &line, NULL), 0);
	const char *text = strchr(mxt_buf_text(&line.accelerate_config), '\n'); /* behind the comment */
	assert_non_null(text);
	assert_string_equal(text + 1, expected);
	mxt_command_line_finish(&line);
}

#define CONFIG(type, rest)                                                                                             \
	"compute_environment: LOCAL_MACHINE\ndebug: false\ndistributed_type: '" type "'\n"                             \
	"dynamo_config:\n  dynamo_backend: 'NO'\ngpu_ids: all\n" rest

static void writes_the_config(void **state)
{
	(void)state;
	check_config(0, &one_node, "float32",
		     CONFIG("NO", "machine_rank: 0\nmain_training_function: main\nmixed_precision: 'no'\n"
				  "num_machines: 1\nnum_processes: 1\nrdzv_backend: static\nsame_network: false\n"
				  "use_cpu: true\n"));
	check_config(8, &second_of_two, "bfloat16",
		     CONFIG("MULTI_GPU",
			    "machine_rank: 1\nmain_process_ip: 'gpu07'\nmain_process_port: 61234\n"
			    "main_training_function: main\nmixed_precision: 'bf16'\nnum_machines: 2\n"
			    "num_processes: 16\nrdzv_backend: static\nsame_network: true\nuse_cpu: false\n"));
	check_config(1, &one_node, "float16",
		     CONFIG("NO", "machine_rank: 0\nmain_training_function: main\nmixed_precision: 'fp16'\n"
				  "num_machines: 1\nnum_processes: 1\nrdzv_backend: static\nsame_network: false\n"
				  "use_cpu: false\n"));
}

/* ---- packages ---- */

struct package_case {
	enum mxt_launcher launcher;
	const char *files[3];
	const char *words[2]; /* of remarks, in order */
};

static const struct package_case package_cases[] = {
    {MXT_LAUNCHER_ACCELERATE, {"accelerate-1.15.0.dist-info", "axolotl-0.18.0.dist-info"}, {NULL}},
    {MXT_LAUNCHER_ACCELERATE, {"axolotl-0.18.0.dist-info"}, {"has no accelerate"}},
    {MXT_LAUNCHER_ACCELERATE, {"accelerate-0.25.0.dist-info"}, {"accelerate 0.25.0", "has no axolotl"}},
    {MXT_LAUNCHER_ACCELERATE, {"accelerate-0.26.1.dist-info", "axolotl-0.4.0.dist-info"}, {NULL}},
    {MXT_LAUNCHER_TORCHRUN, {"axolotl-0.18.0.dist-info"}, {NULL}},
    {MXT_LAUNCHER_PYTHON, {"axolotl-0.3.0.dist-info"}, {"axolotl 0.3.0"}},
};

static void check_packages(const struct package_case *test)
{
	const struct mxt_command_request request = request_of(test->launcher, 1, &one_node);
	struct mxt_python_packages packages = {.versions = {{'\0'}}};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	size_t expected = 0;
	for (size_t i = 0; test->files[i]; i++)
		mxt_python_packages_take(&packages, test->files[i]);
	mxt_launch_packages_check(&packages, &request, &remarks);
	for (; expected < 2 && test->words[expected]; expected++) {
		assert_true(expected < remarks.count);
		assert_int_equal(remarks.items[expected].id, MXT_E_LAUNCH_PACKAGE);
		assert_non_null(strstr(remarks.items[expected].text, test->words[expected]));
	}
	assert_int_equal(remarks.count, expected);
	mxt_remarks_finish(&remarks);
}

static void looks_for_packages(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(package_cases); i++)
		check_packages(&package_cases[i]);
	const struct mxt_command_request request = request_of(MXT_LAUNCHER_ACCELERATE, 1, &one_node);
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	mxt_launch_packages_check(NULL, &request, &remarks);
	assert_int_equal(remarks.count, 0);
}

/* ---- answers of the import check ---- */

struct answer_case {
	const char *answer, *words;
};

static const struct answer_case answers[] = {
    {"try a\nok\ntry b.c\nok\nend\n", NULL},
    {"end\n", NULL},
    {"try a\nok\ntry b\nbad ImportError: x: undefined symbol: _Z\nend\n", "cannot import b: ImportError: x: undefined"},
    {"try a\n", "cannot import a: it crashes"},
    {"try a\nok\n", "ended before"},
    {"try a\nok\ntry b\nen", "ended before"},
    {"", "ended before"},
    {"bad of nothing\nend\n", NULL},
    {"try \x1b[31m\xff\nbad x\x07\nend\n", "cannot import ?[31m?: x?"},
};

static void reads_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(answers); i++) {
		struct mxt_remarks remarks = MXT_REMARKS_INIT;
		mxt_import_check_read("python3", answers[i].answer, strlen(answers[i].answer), &remarks);
		assert_int_equal(remarks.count, answers[i].words != NULL);
		if (answers[i].words) {
			assert_int_equal(remarks.items[0].id, MXT_E_LAUNCH_PACKAGE);
			assert_int_equal(remarks.items[0].kind, MXT_REMARK_REFUSED);
			assert_non_null(strstr(remarks.items[0].text, answers[i].words));
		}
		mxt_remarks_finish(&remarks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(makes_every_form),       cmocka_unit_test(passes_what_is_for_axolotl),
	    cmocka_unit_test(refuses_what_cannot_be), cmocka_unit_test(names_launchers),
	    cmocka_unit_test(writes_the_config),      cmocka_unit_test(looks_for_packages),
	    cmocka_unit_test(reads_answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
