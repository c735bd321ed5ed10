/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of somebody else's, in the common part of C and C++: prints what the library says about a plan, or about a
 * manifest and the files that lie here.
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

static void print_entries(const struct mxt_manifest *manifest, size_t list)
{
	for (size_t i = 0; i < mxt_manifest_entry_count(manifest, list); i++) {
		const char *link = mxt_manifest_entry_link(manifest, list, i);
		const uint8_t *hash = mxt_manifest_entry_blake3(manifest, list, i);
		printf("%s %d", mxt_manifest_entry_path(manifest, list, i),
		       (int)mxt_manifest_entry_size(manifest, list, i));
		if (hash)
			printf(" %02x%02x\n", hash[0], hash[31]);
		else
			printf(" -> %s\n", link ? link : "?");
	}
}

static int print_manifest(const struct mxt_manifest *manifest)
{
	int64_t created = 0;
	const char *schema = mxt_manifest_string(manifest, "schema");
	if (mxt_manifest_integer(manifest, "created", &created) < 0 || created <= 0 || !schema)
		return 1;
	printf("%s\n%s\nplan %s, result %s\n", mxt_manifest_id(manifest), schema,
	       mxt_manifest_plan_id(manifest) ? "yes" : "no", mxt_manifest_result_id(manifest) ? "yes" : "no");
	for (size_t i = 0; i < mxt_manifest_list_count(manifest); i++) {
		printf("%s %s\n", mxt_manifest_list_role(manifest, i), mxt_manifest_list_root(manifest, i));
		print_entries(manifest, i);
	}
	return 0;
}

static void print_findings(const struct mxt_verification *verification)
{
	for (size_t i = 0; i < mxt_verification_finding_count(verification); i++) {
		const struct mxt_finding *finding = mxt_verification_finding(verification, i);
		const char *expected = mxt_finding_expected(finding), *found = mxt_finding_found(finding);
		printf("%d %s %s%s%s\n", (int)mxt_finding_list(finding), mxt_finding_word(finding),
		       mxt_finding_path(finding), expected ? "" : ", nothing expected", found ? "" : ", nothing found");
	}
	printf("%d bytes hashed\n", (int)mxt_verification_bytes(verification));
}

/* "plan=PATH", "checkpoint=PATH", or the path of a dataset. */
static int set_place(struct mxt_verification *verification, const char *place, struct mxt_error *err)
{
	if (strncmp(place, "plan=", 5) == 0)
		return mxt_verification_set_plan(verification, place + 5, err);
	if (strncmp(place, "checkpoint=", 11) == 0)
		return mxt_verification_set_checkpoint(verification, place + 11, err);
	return mxt_verification_add_dataset(verification, place, err);
}

static int look(struct mxt_verification *verification, char **places, int n_places, struct mxt_error *err)
{
	int rc = 0;
	for (int i = 0; rc == 0 && i < n_places; i++)
		rc = set_place(verification, places[i], err);
	mxt_verification_set_threads(verification, 1);
	if (rc == 0)
		rc = mxt_verification_run(verification, err);
	if (rc < 0)
		return rc;
	print_findings(verification);
	mxt_verification_allow_extra(verification, true);
	rc = mxt_verification_run(verification, err);
	if (rc == 0)
		printf("%d with extra files allowed\n", (int)mxt_verification_finding_count(verification));
	return rc;
}

static int verify(const struct mxt_manifest *manifest, char **places, int n_places, struct mxt_error *err)
{
	struct mxt_verification *verification = NULL;
	int rc = mxt_verification_create(manifest, places[0], &verification, err);
	if (rc == 0)
		rc = look(verification, places + 1, n_places - 1, err);
	mxt_verification_destroy(verification);
	return rc;
}

/* consumer MANIFEST RUN_FOLDER PLACE... */
static int try_manifest(int argc, char **argv, struct mxt_error *err)
{
	struct mxt_manifest *manifest = NULL;
	int rc = mxt_manifest_read(argv[1], &manifest, err);
	if (rc == 0 && print_manifest(manifest) != 0)
		rc = -1;
	if (rc == 0)
		rc = verify(manifest, argv + 2, argc - 2, err);
	mxt_manifest_destroy(manifest);
	return rc;
}

static int try_plan(const char *path, struct mxt_error *err)
{
	struct mxt_plan *plan = NULL;
	int rc = mxt_plan_read(path, &plan, err);
	if (rc == 0)
		rc = print_plan(plan, err);
	mxt_plan_destroy(plan);
	return rc;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		printf("%s\n", mxt_version());
		return 0;
	}
	struct mxt_error *err = mxt_error_create();
	if (!err)
		return 1;
	int rc = argc > 2 ? try_manifest(argc, argv, err) : try_plan(argv[1], err);
	if (rc < 0)
		(void)fprintf(stderr, "MXT-%d: %s\n", mxt_error_number(err), mxt_error_message(err));
	mxt_error_destroy(err);
	return rc == 0 ? 0 : 1;
}
