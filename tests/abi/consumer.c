/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of somebody else's, in the common part of C and C++: prints what the library says about a plan.
 */
#include <mindxtrain/mindxtrain.h>
#include <stdio.h>
#include <string.h>

static void print_use(const struct mxt_plan *plan, struct mxt_error *err)
{
	printf("run %s, ", mxt_plan_usable(plan, MXT_PLAN_RUN, false, NULL) == 0 ? "yes" : "no");
	if (mxt_plan_usable(plan, MXT_PLAN_TRAIN, false, err) == 0)
		printf("train yes\n");
	else
		printf("train MXT-%d\n", mxt_error_number(err));
}

static int print_plan(const struct mxt_plan *plan, struct mxt_error *err)
{
	int64_t units = 0;
	size_t len = 0;
	const char *backend = mxt_plan_string(plan, "decision.attention.backend");
	if (mxt_plan_integer(plan, "decision.platform.units", &units) < 0 || !backend)
		return 1;
	if (strncmp(mxt_plan_canonical(plan, &len), "{\"attention\":", 13) != 0 || len < 13)
		return 1;
	printf("%s\n%s\nbackend %s\nunits %d\n", mxt_plan_id(plan), mxt_plan_is_self_test(plan) ? "self-test" : "",
	       backend, (int)units);
	print_use(plan, err);
	for (size_t i = 0; i < mxt_plan_env_count(plan); i++)
		printf("%s=%s\n", mxt_plan_env_name(plan, i), mxt_plan_env_value(plan, i));
	for (size_t i = 0; i < mxt_plan_unset_count(plan); i++)
		printf("unset %s\n", mxt_plan_unset_name(plan, i));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		printf("%s\n", mxt_version());
		return 0;
	}
	struct mxt_error *err = mxt_error_create();
	struct mxt_plan *plan = NULL;
	int status = 1;
	if (!err)
		return 1;
	if (mxt_plan_read(argv[1], &plan, err) == 0)
		status = print_plan(plan, err);
	else
		(void)fprintf(stderr, "MXT-%d: %s\n", mxt_error_number(err), mxt_error_message(err));
	mxt_plan_destroy(plan);
	mxt_error_destroy(err);
	return status;
}
