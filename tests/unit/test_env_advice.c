/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/stat.h>

#include "env_policy_run.h"
#include "scratch.h"

/* A plan of a GPU: `gpus` is JSON text, or NULL for one. */
static struct mxt_plan *make_gpu_plan(const char *arch, const char *gpus)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	assert_int_equal(plan_example_set(decision, "platform.arch", arch), 0);
	assert_int_equal(plan_example_set(decision, "platform.link", gpus ? "\"nvlink\"" : "\"none\""), 0);
	assert_int_equal(plan_example_set(decision, "env", "{\"NCCL_PROTO\":\"LL\"}"), 0);
	assert_int_equal(plan_example_set(decision, "unset", "[\"NCCL_ALGO\"]"), 0);
	if (gpus) {
		assert_int_equal(plan_example_set(decision, "workload.training.gpus", gpus), 0);
		assert_int_equal(plan_example_set(decision, "collective.config", "\"nvlink\""), 0);
	} else {
		assert_int_equal(plan_example_set(decision, "platform.link", NULL), 0);
	}
	return seal_plan(decision);
}

static const struct {
	const char *arch, *gpus;
	const char *rocr, *hip, *cuda; /* NULL: not set */
	const char *words;             /* of the refusal; NULL: none */
} device_cases[] = {
    {"\"gfx942\"", NULL, NULL, NULL, NULL, NULL},
    {"\"gfx942\"", NULL, NULL, "3", "3", NULL},
    {"\"gfx942\"", NULL, NULL, "3", "4", "they differ"},
    {"\"gfx942\"", NULL, "4,5", "1", NULL, NULL},
    {"\"gfx942\"", NULL, "4,5", NULL, "4", "counts from 0 what the first leaves, 2 GPUs, and names number 4"},
    {"\"gfx942\"", NULL, "4,5", "4,5", NULL, "names number 5"},
    {"\"gfx942\"", NULL, NULL, "", NULL, "it leaves 0 GPUs, and the job has 1"},
    {"\"gfx942\"", "8", NULL, "0,1", NULL, "it leaves 2 GPUs, and the job has 8"},
    {"\"gfx942\"", "8", NULL, "0,1,2,3,4,5,6,7", NULL, NULL},
    {"\"gfx942\"", "8", "0,1,2,3", NULL, NULL, "it leaves 4 GPUs, and the job has 8"},
    {"\"sm_90\"", "2", NULL, NULL, "0,1", NULL},
    {"\"sm_90\"", "2", NULL, NULL, " GPU-a , GPU-b ", NULL},
    {"\"sm_90\"", "2", NULL, NULL, "0,-1,1", "it leaves 1 GPU, and the job has 2"},
    {"\"sm_90\"", "2", NULL, NULL, "0,0", "names a GPU twice"},
    {"\"sm_90\"", NULL, "7", "5", "0", NULL}, /* nothing reads the first two */
    {"\"x86_64-v4\"", NULL, "0", "1", "2", NULL},
};

static void devices_contradict(void **state)
{
	(void)state;
	static const char *const names[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(device_cases); i++) {
		CLEANUP_RUN struct run run = RUN_INIT;
		MXT_CLEANUP_PLAN struct mxt_plan *plan = make_gpu_plan(device_cases[i].arch, device_cases[i].gpus);
		const char *const values[] = {device_cases[i].rocr, device_cases[i].hip, device_cases[i].cuda};
		const char *caller[4] = {NULL};
		char items[3][64];
		size_t n = 0;
		for (size_t j = 0; j < 3; j++)
			if (values[j]) {
				(void)snprintf(items[n], sizeof items[n], "%s=%s", names[j], values[j]);
				caller[n] = items[n];
				n++;
			}
		run.request.plan = plan;
		run_policy(&run, caller);
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		int rc = mxt_remarks_verdict(&run.remarks, &err);
		if ((rc < 0) != (device_cases[i].words != NULL))
			fail_msg("case %zu: %s", i, rc < 0 ? mxt_error_text(&err) : "not refused");
		if (rc < 0) {
			assert_int_equal(err.id, MXT_E_LAUNCH_ENV);
			want_remark(&run, MXT_REMARK_REFUSED, device_cases[i].words);
		}
	}
}

/* ---- names ---- */

static void names_that_do_nothing(void **state)
{
	(void)state;
	CLEANUP_RUN struct run run = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	run.request.plan = plan;
	run.request.torch = "2.11.0+cu130";
	run_policy(&run, ENV("RCCL_DEBUG=INFO", "TORCH_CUDNN_SDPA_ENABLED=1", "nccl_algo=Ring", "NCCL_ALGOO=Ring",
			     "NCCL_WHATEVER=S3cret", "NCCL_DEBUG=WARN", "NCCL_ALGO=Ring", "MY_OWN=1", "http_proxy=a",
			     "HTTP_PROXY=b", "NCCL_TIMEOUT=1"));
	want_remark(&run, MXT_REMARK_WARNING, "RCCL_DEBUG is set: no effect: nothing reads it; RCCL reads NCCL_DEBUG");
	want_remark(&run, MXT_REMARK_WARNING, "NCCL_TIMEOUT is set: no effect");
	want_remark(&run, MXT_REMARK_WARNING, "TORCH_CUDNN_SDPA_ENABLED is set: no effect: torch for CUDA reads it");
	want_remark(&run, MXT_REMARK_WARNING,
		    "nccl_algo is set: no known reader; it differs from NCCL_ALGO by capital");
	want_remark(&run, MXT_REMARK_WARNING, "NCCL_ALGOO is set: no known reader; it differs from NCCL_ALGO by a");
	want_remark(&run, MXT_REMARK_NOTE, "NCCL_WHATEVER: no known reader");
	want_remark(&run, MXT_REMARK_NOTE, "NCCL_ALGO: set by you and not part of the plan");
	assert_null(find_remark(&run, "MY_OWN"));
	assert_null(find_remark(&run, "NCCL_DEBUG is"));
	assert_null(find_remark(&run, "http_proxy")); /* no launcher that would mix them up */
	assert_null(find_remark(&run, "S3cret"));
	assert_int_equal(mxt_remarks_verdict(&run.remarks, NULL), 0);
	want_value(&run, "nccl_algo", "Ring");
}

static void twins_under_a_launcher(void **state)
{
	(void)state;
	CLEANUP_RUN struct run run = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	MXT_CLEANUP_JSON json_t *launch = json_pack("{s:s}", "MXT_LAUNCH_DIR", "/run");
	run.request.plan = plan;
	run.request.launch = launch;
	run.request.writes_capitals = true;
	run_policy(&run, ENV("openblas_num_threads=7", "pytorch_tunableop_enabled=1", "mxt_launch_dir=x", "Path=/evil",
			     "http_proxy=S3cret", "HTTP_PROXY=b", "no_proxy=c", "ftp_proxy=d", "FTP_PROXY=d"));
	want_value(&run, "openblas_num_threads", "");
	want_value(&run, "pytorch_tunableop_enabled", "");
	want_value(&run, "mxt_launch_dir", "");
	want_value(&run, "Path", "");
	want_value(&run, "http_proxy", "S3cret");
	want_value(&run, "no_proxy", "c");
	want_change(&run, "pytorch_tunableop_enabled", "1", "", "launch");
	want_remark(&run, MXT_REMARK_WARNING, "accelerate would make PYTORCH_TUNABLEOP_ENABLED of it");
	want_remark(&run, MXT_REMARK_WARNING, "http_proxy and HTTP_PROXY differ");
	assert_null(find_remark(&run, "ftp_proxy"));
	assert_null(find_remark(&run, "S3cret"));
}

static void foreign_launchers(void **state)
{
	(void)state;
	CLEANUP_RUN struct run run = RUN_INIT, plain = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	MXT_CLEANUP_JSON json_t *launch = json_pack("{s:s}", "MASTER_ADDR", "10.0.0.1");
	const char *const caller[] = {"PET_NNODES=2",
				      "RANK=1",
				      "MASTER_ADDR=pod-0",
				      "MASTER_PORT=1",
				      "ACCELERATE_USE_FSDP=1",
				      "ACCELERATE_LOG_LEVEL=info",
				      "RANKS=3",
				      "PET_\xff=1",
				      "TORCHELASTIC_RUN_ID=x",
				      "PYTHON_EXEC=/other/python",
				      NULL};
	run.request.plan = plain.request.plan = plan;
	run.request.launch = launch;
	run.request.launcher_reads_pet = true;
	run_policy(&run, caller);
	static const char *const gone[] = {"PET_NNODES",          "RANK",       "MASTER_PORT", "ACCELERATE_USE_FSDP",
					   "TORCHELASTIC_RUN_ID", "PYTHON_EXEC"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(gone); i++)
		want_value(&run, gone[i], "");
	want_value(&run, "MASTER_ADDR", "10.0.0.1");
	want_value(&run, "ACCELERATE_LOG_LEVEL", "info");
	want_value(&run, "RANKS", "3");
	want_value(&run, "PET_\xff", "1"); /* no launcher reads that */
	want_remark(&run, MXT_REMARK_WARNING, "PET_NNODES, RANK, MASTER_PORT, ACCELERATE_USE_FSDP");
	run_policy(&plain, caller);
	want_value(&plain, "RANK", "1");
	want_remark(&plain, MXT_REMARK_NOTE, "the command gets them as they are");
}

/* ---- how Axolotl is started ---- */

static void memory_as_axolotl_sets_it(void **state)
{
	(void)state;
	static const struct {
		const char *torch, *set; /* the caller's */
		const char *name, *value;
	} cases[] = {
	    {"2.11.0+rocm7.2", "A=b", "PYTORCH_ALLOC_CONF", "expandable_segments:True"},
	    {"2.8.0", "A=b", "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True,roundup_power2_divisions:16"},
	    {"2.1.0", "A=b", "PYTORCH_CUDA_ALLOC_CONF", ""},
	    {NULL, "A=b", "PYTORCH_ALLOC_CONF", ""},
	    {"2.11.0", "PYTORCH_CUDA_ALLOC_CONF=x", "PYTORCH_ALLOC_CONF", ""},
	    {"2.11.0", "PYTORCH_HIP_ALLOC_CONF=x", "PYTORCH_ALLOC_CONF", ""},
	};
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		CLEANUP_RUN struct run run = RUN_INIT;
		run.request.plan = plan;
		run.request.axolotl = true;
		run.request.torch = cases[i].torch;
		run_policy(&run, ENV(cases[i].set));
		want_value(&run, cases[i].name, cases[i].value);
		want_value(&run, "XFORMERS_IGNORE_FLASH_VERSION_CHECK", "1");
	}
	CLEANUP_RUN struct run run = RUN_INIT;
	run.request.plan = plan;
	run_policy(&run, ENV("PYTORCH_ALLOC_CONF=backend:native", "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64"));
	want_value(&run, "XFORMERS_IGNORE_FLASH_VERSION_CHECK", "");
	want_remark(&run, MXT_REMARK_WARNING, "PYTORCH_ALLOC_CONF and PYTORCH_CUDA_ALLOC_CONF differ");
}

static void telemetry_that_cannot_be_sent(void **state)
{
	(void)state;
	static const struct {
		const char *offline, *silent;
		bool told;
	} cases[] = {
	    {"HF_HUB_OFFLINE=1", "A=b", true},
	    {"TRANSFORMERS_OFFLINE=true", "AXOLOTL_DO_NOT_TRACK=0", true},
	    {"HF_HUB_OFFLINE=1", "AXOLOTL_DO_NOT_TRACK=1", false},
	    {"HF_DATASETS_OFFLINE=1", "DO_NOT_TRACK=1", false},
	    {"HF_HUB_OFFLINE=0", "A=b", false},
	    {"HF_HUB_OFFLINE=", "A=b", false},
	};
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_plan(NO_PLAN_ENV, NO_PLAN_UNSET);
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		CLEANUP_RUN struct run run = RUN_INIT;
		run.request.plan = plan;
		run.request.axolotl = true;
		run_policy(&run, ENV(cases[i].offline, cases[i].silent));
		if (cases[i].told)
			want_remark(&run, MXT_REMARK_WARNING, "set AXOLOTL_DO_NOT_TRACK=1");
		else
			assert_int_equal(run.remarks.count, 0);
	}
}

/* ---- files that set variables ---- */

static void files_behind_the_environment(void **state)
{
	CLEANUP_RUN struct run run = RUN_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = make_gpu_plan("\"sm_90\"", NULL);
	const struct mxt_sysroot root = {.prefix = *state};
	char *etc = mxt_scratch_path(*state, "etc"), *home = mxt_scratch_path(*state, "home");
	assert_int_equal(mkdir(etc, 0755) | mkdir(home, 0755), 0);
	free(mxt_scratch_write(etc, "nccl.conf", "# NCCL_MIN_NCHANNELS=4\nNCCL_ALGO=S3cret\nNCCL_PROTO=LL\nno line\n"));
	free(mxt_scratch_write(etc, "rccl.conf", "NCCL_NTHREADS=64\n"));
	free(mxt_scratch_write(home, ".nccl.conf", "NCCL_DEBUG=S3cret\r\nNCCL_MAX_NCHANNELS=2\n=x\n"));
	free(mxt_scratch_write(home, ".deepspeed_env", "NCCL_BUFFSIZE=4096\nHF_TOKEN=S3cret"));
	run.request.plan = plan;
	run.request.root = &root;
	run.remarks.allowed = MXT_ALLOW_MISMATCH;
	run_policy(&run, ENV("HOME=/home"));
	want_remark(&run, MXT_REMARK_ALLOWED,
		    "/etc/nccl.conf: NCCL reads it by itself, and it sets NCCL_ALGO, which the");
	want_remark(&run, MXT_REMARK_WARNING,
		    "/home/.nccl.conf: NCCL reads it by itself, and it sets NCCL_MAX_NCHANNELS");
	want_remark(&run, MXT_REMARK_NOTE, "it sets NCCL_DEBUG");
	want_remark(&run, MXT_REMARK_WARNING, "it sets NCCL_BUFFSIZE, HF_TOKEN");
	assert_null(find_remark(&run, "NCCL_PROTO")); /* the plan sets it, and that wins */
	assert_null(find_remark(&run, "NCCL_NTHREADS"));
	assert_null(find_remark(&run, "NCCL_MIN_NCHANNELS"));
	assert_null(find_remark(&run, "S3cret"));
	CLEANUP_RUN struct run other = RUN_INIT;
	other.request = run.request;
	run_policy(&other, ENV("HOME=/home", "NCCL_CONF_FILE=/etc/rccl.conf"));
	want_remark(&other, MXT_REMARK_WARNING, "/etc/rccl.conf: NCCL reads it by itself, and it sets NCCL_NTHREADS");
	want_remark(&other, MXT_REMARK_REFUSED, "which the plan removes");
	assert_null(find_remark(&other, ".nccl.conf"));
	CLEANUP_RUN struct run named = RUN_INIT;
	named.request = run.request;
	run_policy(&named, ENV("HOME=/home", "DEEPSPEED_ENVIRONMENT_NAME=/etc/rccl.conf"));
	want_remark(&named, MXT_REMARK_WARNING, "/etc/rccl.conf: DeepSpeed's launcher, on several nodes, reads it");
	assert_null(find_remark(&named, ".deepspeed_env"));
	free(etc);
	free(home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(devices_contradict),
	    cmocka_unit_test(names_that_do_nothing),
	    cmocka_unit_test(twins_under_a_launcher),
	    cmocka_unit_test(foreign_launchers),
	    cmocka_unit_test(memory_as_axolotl_sets_it),
	    cmocka_unit_test(telemetry_that_cannot_be_sent),
	    cmocka_unit_test_setup_teardown(files_behind_the_environment, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
