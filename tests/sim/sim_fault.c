/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_fault.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_scenario.h"

#define ILLEGAL_ADDRESS 700 /* cudaErrorIllegalAddress */
#define PRINTED_LINES   2000

static void die_of(int number)
{
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

static void act_crash(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)fault;
	(void)outcome;
	die_of(SIGSEGV);
}

static void act_abort(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)outcome;
	(void)fprintf(stderr, "terminate called after throwing an instance of 'c10::Error'\n  what():  %s\n",
		      fault->text ? fault->text : "invalid argument");
	die_of(SIGABRT);
}

static void act_exit(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)outcome;
	_Exit(fault->code < 0 ? 0 : fault->code);
}

static void act_hang(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)fault;
	(void)outcome;
	for (;;)
		(void)pause();
}

/* Text, and bytes that are none, on both outputs: more than a pipe holds. */
static void act_print(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	const char *text = fault->text ? fault->text : "\x1b[2J{\"event\": \"plan\"} \xff\xfe garbage of a library";
	(void)outcome;
	for (int i = 0; i < PRINTED_LINES; i++) {
		(void)fprintf(stdout, "%s %d\n", text, i);
		(void)fprintf(stderr, "%s %d\n", text, i);
	}
	(void)fflush(stdout);
}

static void act_wrong(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)fault;
	outcome->effects |= MXT_SIM_WRONG;
}

static void act_nan(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)fault;
	outcome->effects |= MXT_SIM_NAN;
}

static void act_unrepeatable(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)fault;
	outcome->effects |= MXT_SIM_UNSTEADY;
}

static void act_instant(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	(void)fault;
	outcome->effects |= MXT_SIM_INSTANT;
}

static void act_error(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	outcome->effects |= MXT_SIM_FAIL;
	outcome->code = fault->code;
	outcome->text = fault->text;
}

static void act_illegal_address(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	outcome->effects |= MXT_SIM_BREAK;
	outcome->code = fault->code < 0 ? ILLEGAL_ADDRESS : fault->code;
}

static const struct {
	const char *kind;
	void (*act)(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome);
} kinds[] = {
    {"abort", act_abort},
    {"crash", act_crash},
    {"error", act_error},
    {"exit", act_exit},
    {"hang", act_hang},
    {"illegal_address", act_illegal_address},
    {"nan", act_nan},
    {"instant", act_instant},
    {"print", act_print},
    {"wrong", act_wrong},
    {"unrepeatable", act_unrepeatable},
};

/* "attention.flash" is the place of attention.flash.forward, and of no attention.flash_v4. */
static bool at_site(const char *at, const char *site)
{
	size_t len = strlen(at);
	return strncmp(at, site, len) == 0 && (site[len] == '\0' || site[len] == '.');
}

static bool in_force(json_t *env)
{
	const char *variable;
	json_t *value;
	json_object_foreach(env, variable, value)
	{
		const char *set = getenv(variable);
		if (!set || !json_is_string(value) || strcmp(set, json_string_value(value)) != 0)
			return false;
	}
	return true;
}

static void act(const struct mxt_sim_fault *fault, struct mxt_sim_outcome *outcome)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].kind, fault->kind) == 0) {
			kinds[i].act(fault, outcome);
			return;
		}
	(void)fprintf(stderr, "stand-in torch: there is no fault '%s'\n", fault->kind);
	_Exit(97);
}

struct mxt_sim_outcome mxt_sim_fault_run(const struct mxt_sim_scenario *scenario, const char *site, long long *calls)
{
	struct mxt_sim_outcome outcome = {0, -1, NULL};
	for (size_t i = 0; i < scenario->n_faults; i++) {
		const struct mxt_sim_fault *fault = &scenario->faults[i];
		if (!at_site(fault->at, site) || !in_force(fault->env))
			continue;
		long long call = calls[i]++;
		if (call >= fault->after && (fault->times < 0 || call < fault->after + fault->times))
			act(fault, &outcome);
	}
	return outcome;
}
