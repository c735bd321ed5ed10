/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may compete, and what is said about it: on sessions that are made up, without a device.
 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "attention_today.h"
#include "buf.h"
#include "competition.h"
#include "error.h"
#include "events.h"
#include "session.h"
#include "today.h"

struct scene {
	struct mxt_workload workload;
	struct mxt_today today;
	struct mxt_event_sink sink;
	struct mxt_tune_request request;
	struct mxt_problem problem;
	struct mxt_session session;
};

/* An Axolotl 0.18 on torch 2.11 whose config asks for flash_attention_2. */
static void begin(struct scene *scene, bool packing)
{
	*scene = (struct scene){.workload.training.packing = packing};
	scene->workload.attention_config.axolotl = true;
	scene->workload.attention = MXT_ATTENTION_FA2;
	scene->workload.model.head_dim = 128;
	const struct mxt_attention_stack stack = {
	    .known = true, .axolotl = "0.18.0", .torch = "2.11.0", .flash_attn = "2.8.3"};
	scene->workload.attention_config.flags = UINT32_C(1) << MXT_ATTENTION_FA2;
	mxt_today_resolve(&scene->workload, &stack, &scene->today);
	scene->request = (struct mxt_tune_request){.workload = &scene->workload,
						   .today = &scene->today,
						   .target.python = "/usr/bin/python3",
						   .sink = &scene->sink};
	scene->problem.kind = MXT_PROBLEM_ATTENTION;
	scene->session = (struct mxt_session){.request = &scene->request};
	scene->session.set = (struct mxt_problem_set){.problems = &scene->problem, .n_problems = 1};
	scene->session.inventory.stack = json_pack("{s:s}", "torch", "2.11.0");
	scene->session.yours = json_object();
	scene->session.skipped = json_array();
	scene->session.yours_provider = scene->today.yours.provider;
	scene->session.bare_provider = scene->today.bare.provider;
	scene->session.yours_differs = true;
}

static void end(struct scene *scene)
{
	json_decref(scene->session.inventory.stack);
	json_decref(scene->session.yours);
	json_decref(scene->session.skipped);
}

/* Why a candidate may not compete, to be freed; NULL: it may. */
static char *why_not(const struct scene *scene, const char *provider, const char *choice)
{
	struct mxt_candidate item = {.provider = provider, .choice = strdup(choice)};
	struct mxt_candidate_list list = {.items = &item, .count = 1};
	assert_int_equal(mxt_competition_rule_out(&scene->session, &list, NULL), 0);
	free(item.choice);
	return item.skip;
}

static void assert_ruled_out(const struct scene *scene, const char *provider, const char *choice, const char *part)
{
	char *why = why_not(scene, provider, choice);
	if (!why || !strstr(why, part))
		fail_msg("%s: %s", choice, why ? why : "it competes");
	free(why);
}

static void assert_competes(const struct scene *scene, const char *provider, const char *choice)
{
	char *why = why_not(scene, provider, choice);
	if (why)
		fail_msg("%s: %s", choice, why);
}

static void kernels_of_another_vendor(void **state)
{
	(void)state;
	struct scene scene;
	struct mxt_device_ops ops = {.vendor = "nvidia"};
	begin(&scene, false);
	scene.workload.attention_config.axolotl = false; /* no key of its config asks for aiter */
	scene.request.ops = &ops;
	assert_ruled_out(&scene, "aiter", "aiter", "AMD's GPUs");
	assert_competes(&scene, "fa3", "fa3");
	ops.vendor = "amd";
	assert_competes(&scene, "aiter", "aiter");
	assert_competes(&scene, "fa2", "fa2");
	assert_ruled_out(&scene, "fa3", "fa3", "NVIDIA's GPUs");
	ops.vendor = NULL;
	assert_competes(&scene, "aiter", "aiter");
	end(&scene);
}

static void unpacked_everybody_competes(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, false);
	assert_null(scene.session.bare_provider);
	assert_competes(&scene, NULL, "flash");
	assert_competes(&scene, "fa3", "fa3");
	assert_competes(&scene, "flex", "flex");
	assert_ruled_out(&scene, "varlen", "varlen", "packed sequences only");
	assert_ruled_out(&scene, "aiter", "aiter", "no key");
	assert_ruled_out(&scene, "newer", "newer", "does not know");
	end(&scene);
}

static void packed_only_what_isolates_competes(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, true);
	assert_string_equal(scene.session.bare_provider, "varlen");
	assert_ruled_out(&scene, NULL, "flash", "by a mask only");
	assert_competes(&scene, "fa3", "fa3");
	assert_competes(&scene, "varlen", "varlen");
	assert_competes(&scene, "xformers", "xformers");
	scene.session.bare_provider = NULL; /* a torch without varlen: the mask is all there is */
	assert_competes(&scene, NULL, "efficient");
	end(&scene);
}

/* Under padding the two are called in different ways. */
static void padded_the_dispatcher_is_apart(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, false);
	scene.session.bare_provider = "fa2"; /* as where padded batches bring sdpa a mask */
	assert_ruled_out(&scene, NULL, "flash", "bring it a mask");
	assert_competes(&scene, "fa3", "fa3");
	end(&scene);
}

static void old_trainers_and_torches_rule_out_more(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, true);
	strcpy(scene.today.axolotl, "0.16.1");
	assert_ruled_out(&scene, "varlen", "varlen", "since 0.18");
	assert_ruled_out(&scene, "fa3", "fa3", "since 0.17");
	assert_competes(&scene, "flex", "flex");
	json_object_set_new(scene.session.inventory.stack, "torch", json_string("2.9.1"));
	assert_ruled_out(&scene, "varlen", "varlen", "too old");
	end(&scene);
}

static void windows_need_kernels_that_take_them(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, false);
	scene.problem.as.attention.window = 1024;
	assert_ruled_out(&scene, "xformers", "xformers", "window");
	assert_competes(&scene, "fa2", "fa2");
	end(&scene);
}

/* Without an Axolotl config there are no keys that could be missing. */
static void transformers_alone_has_no_keys(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, false);
	scene.workload.attention_config.axolotl = false;
	assert_competes(&scene, "aiter", "aiter");
	end(&scene);
}

static void assert_line(const struct scene *scene, const char *today, const char *change)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_today_text(&scene->session, &text);
	assert_string_equal(mxt_buf_text(&text), today);
	mxt_buf_truncate(&text, 0);
	mxt_today_change_text(&scene->session, &text);
	assert_string_equal(mxt_buf_text(&text), change);
}

static void the_line_says_what_stays(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, true);
	assert_line(&scene, "flash_attention_2 by flash_attn 2.8.3, documents isolated", "the plan keeps it");
	end(&scene);
}

static void the_line_says_what_changes_and_by_which_keys(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, true);
	struct mxt_candidate fa3 = {.provider = "fa3", .choice = strdup("fa3"), .env = json_object()};
	struct mxt_probe_result *result = &scene.session.probes[MXT_PROBLEM_ATTENTION];
	*result = (struct mxt_probe_result){.done = true, .winner = &fa3};
	assert_line(&scene, "flash_attention_2 by flash_attn 2.8.3, documents isolated",
		    "the plan: flash_attention_3, by attn_implementation: flash_attention_3");
	*result = (struct mxt_probe_result){.done = true, .ships_bare = true};
	assert_line(&scene, "flash_attention_2 by flash_attn 2.8.3, documents isolated",
		    "the plan: torch's varlen attention, by attn_implementation: sdpa, sdpa_varlen: true");
	json_decref(fa3.env);
	free(fa3.choice);
	end(&scene);
}

/* What cannot run here is replaced: first by bare's, then by the device's own. */
static void an_absent_provider_is_replaced_and_listed(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, true);
	struct mxt_session *session = &scene.session;
	assert_true(mxt_session_yours_races(session, MXT_PROBLEM_ATTENTION));
	assert_false(mxt_session_yours_races(session, MXT_PROBLEM_GEMM));
	struct mxt_entry yours = {.role = MXT_ROLE_YOURS, .outcome = MXT_UNSUPPORTED};
	struct mxt_entry bare = {.role = MXT_ROLE_BARE, .outcome = MXT_UNSUPPORTED};
	yours.reason = strdup("No module named 'flash_attn'");
	bare.reason = strdup("needs a GPU");
	assert_int_equal(mxt_session_excuse(session, &yours, NULL), 0);
	assert_false(session->yours_differs);
	assert_string_equal(session->yours_provider, "varlen");
	assert_int_equal(mxt_session_excuse(session, &bare, NULL), 0);
	free(yours.reason);
	free(bare.reason);
	assert_false(session->yours_unheld);
	assert_null(session->yours_provider);
	assert_null(session->bare_provider);
	assert_int_equal(session->excuses, 2);
	assert_string_equal(json_string_value(json_array_get(session->skipped, 0)),
			    "fa2: No module named 'flash_attn'");
	assert_string_equal(json_string_value(json_array_get(session->skipped, 1)), "varlen: needs a GPU");
	strcpy(session->probes[MXT_PROBLEM_ATTENTION].bare_backend, "efficient");
	assert_line(&scene, "flash_attention_2 by flash_attn 2.8.3, documents isolated",
		    "the plan: memory-efficient attention, by attn_implementation: sdpa, sdpa_varlen: false");
	end(&scene);
}

/* What never started says nothing of the job. */
static void what_never_started_is_not_replaced(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, true);
	const struct mxt_entry yours = {.role = MXT_ROLE_YOURS, .outcome = MXT_FAILED};
	assert_int_equal(mxt_session_excuse(&scene.session, &yours, NULL), 0);
	assert_true(scene.session.yours_unheld);
	scene.session.probes[MXT_PROBLEM_ATTENTION].empty = true;
	assert_line(&scene, "flash_attention_2 by flash_attn 2.8.3, documents isolated", "the plan leaves it as it is");
	end(&scene);
}

static void the_line_names_torchs_choice_and_what_made_it(void **state)
{
	(void)state;
	struct scene scene;
	begin(&scene, false);
	const struct mxt_attention_stack stack = {.known = true, .axolotl = "0.18.0", .torch = "2.11.0"};
	scene.workload.attention = MXT_ATTENTION_UNSET;
	scene.workload.attention_config.flags = 0;
	mxt_today_resolve(&scene.workload, &stack, &scene.today);
	scene.session.yours_provider = NULL;
	struct mxt_probe_result *result = &scene.session.probes[MXT_PROBLEM_ATTENTION];
	strcpy(result->bare_backend, "cudnn");
	assert_line(&scene, "cuDNN attention (torch's default)", "the plan keeps it");
	struct mxt_candidate flash = {.choice = strdup("flash"),
				      .env = json_pack("{s:s}", "TORCH_CUDNN_SDPA_DEPRIORITIZED", "1")};
	result->done = true;
	result->winner = &flash;
	assert_line(&scene, "cuDNN attention (torch's default)",
		    "the plan: flash attention inside torch, by TORCH_CUDNN_SDPA_DEPRIORITIZED=1");
	json_object_update(scene.session.yours, flash.env);
	strcpy(result->yours_backend, "flash");
	*result = (struct mxt_probe_result){
	    .done = true, .ships_bare = true, .bare_backend = "cudnn", .yours_backend = "flash"};
	assert_line(&scene, "flash attention inside torch (by TORCH_CUDNN_SDPA_DEPRIORITIZED=1)",
		    "the plan: cuDNN attention, without TORCH_CUDNN_SDPA_DEPRIORITIZED");
	json_decref(flash.env);
	free(flash.choice);
	end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernels_of_another_vendor),
	    cmocka_unit_test(unpacked_everybody_competes),
	    cmocka_unit_test(packed_only_what_isolates_competes),
	    cmocka_unit_test(padded_the_dispatcher_is_apart),
	    cmocka_unit_test(old_trainers_and_torches_rule_out_more),
	    cmocka_unit_test(windows_need_kernels_that_take_them),
	    cmocka_unit_test(transformers_alone_has_no_keys),
	    cmocka_unit_test(the_line_says_what_stays),
	    cmocka_unit_test(the_line_says_what_changes_and_by_which_keys),
	    cmocka_unit_test(an_absent_provider_is_replaced_and_listed),
	    cmocka_unit_test(what_never_started_is_not_replaced),
	    cmocka_unit_test(the_line_names_torchs_choice_and_what_made_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
