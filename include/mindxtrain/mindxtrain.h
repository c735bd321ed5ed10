/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads, verifies and queries the plans (docs/plan.md) and manifests (docs/manifest.md) of mindXtrain.
 *
 * Functions that can fail return 0, or a negative errno value after filling *err; outputs (ret_*) are written on
 * success only. `err` may be NULL. Strings belong to the object that they come from and live as long. Objects may be
 * shared between threads as long as nobody destroys them; an error object belongs to one thread.
 */
#ifndef MXT_MINDXTRAIN_H
#define MXT_MINDXTRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MXT_API __attribute__((visibility("default")))
#else
#define MXT_API
#endif

struct mxt_error;
struct mxt_finding;
struct mxt_manifest;
struct mxt_plan;
struct mxt_verification;

/* Version of the library, such as "0.1.0". */
MXT_API const char *mxt_version(void);

/* An empty error object for any number of calls; NULL when memory ran out. */
MXT_API struct mxt_error *mxt_error_create(void);
MXT_API void mxt_error_destroy(struct mxt_error *err); /* NULL-tolerant */

/* What the last failed call left: a text for people, never NULL, and the permanent number NNN of MXT-NNN (0: none). */
MXT_API const char *mxt_error_message(const struct mxt_error *err);
MXT_API int mxt_error_number(const struct mxt_error *err);

/*
 * Reads a plan and verifies all of it: the text, the schema, the id, every field, and every environment variable that
 * it wants to set. There is no plan that is read in part. `name` is what messages call the text; "-" as path reads
 * standard input.
 */
MXT_API int mxt_plan_parse(const char *name, const char *text, size_t len, struct mxt_plan **ret_plan,
			   struct mxt_error *err);
MXT_API int mxt_plan_read(const char *path, struct mxt_plan **ret_plan, struct mxt_error *err);
MXT_API void mxt_plan_destroy(struct mxt_plan *plan); /* NULL-tolerant */

/* 64 lower-case hexadecimal digits. */
MXT_API const char *mxt_plan_id(const struct mxt_plan *plan);

/* The canonical bytes of the decision, which the id is the BLAKE3-256 of. */
MXT_API const char *mxt_plan_canonical(const struct mxt_plan *plan, size_t *ret_len);

/* Made by the built-in provider (it tunes no training), or on hardware that was only simulated. */
MXT_API bool mxt_plan_is_self_test(const struct mxt_plan *plan);
MXT_API bool mxt_plan_is_simulated(const struct mxt_plan *plan);

enum mxt_plan_use {
	MXT_PLAN_TRAIN, /* to start a training: no self-test */
	MXT_PLAN_RUN,   /* to run a command: no self-test, but for one on simulated hardware, which is for tests */
};

/* 0 when the plan may be used so. A simulated plan may only where the user allowed it. */
MXT_API int mxt_plan_usable(const struct mxt_plan *plan, enum mxt_plan_use use, bool allow_simulated,
			    struct mxt_error *err);

/*
 * A string or an integer of the plan by its path, such as "decision.attention.backend": members only, no elements of
 * arrays. NULL, or -ENOENT, when there is none (keys at their default are left out) or when it is of another type.
 */
MXT_API const char *mxt_plan_string(const struct mxt_plan *plan, const char *path);
MXT_API int mxt_plan_integer(const struct mxt_plan *plan, const char *path, int64_t *ret_value);

/* What to export, sorted by name, and what to remove before. `i` must be below the count. */
MXT_API size_t mxt_plan_env_count(const struct mxt_plan *plan);
MXT_API const char *mxt_plan_env_name(const struct mxt_plan *plan, size_t i);
MXT_API const char *mxt_plan_env_value(const struct mxt_plan *plan, size_t i);
MXT_API size_t mxt_plan_unset_count(const struct mxt_plan *plan);
MXT_API const char *mxt_plan_unset_name(const struct mxt_plan *plan, size_t i);

/*
 * Reads a manifest and checks all of it but the files that it lists: the text, the schema, the id, every field. `name`
 * is what messages call the text; "-" as path reads standard input.
 */
MXT_API int mxt_manifest_parse(const char *name, const char *text, size_t len, struct mxt_manifest **ret_manifest,
			       struct mxt_error *err);
MXT_API int mxt_manifest_read(const char *path, struct mxt_manifest **ret_manifest, struct mxt_error *err);
MXT_API void mxt_manifest_destroy(struct mxt_manifest *manifest); /* NULL-tolerant */

/* 64 lower-case hexadecimal digits; of the result and the plan NULL where the manifest has none. */
MXT_API const char *mxt_manifest_id(const struct mxt_manifest *manifest);
MXT_API const char *mxt_manifest_result_id(const struct mxt_manifest *manifest);
MXT_API const char *mxt_manifest_plan_id(const struct mxt_manifest *manifest);

/* As of a plan: a string or an integer by its path, such as "run.exit_status". What is in the lists has none. */
MXT_API const char *mxt_manifest_string(const struct mxt_manifest *manifest, const char *path);
MXT_API int mxt_manifest_integer(const struct mxt_manifest *manifest, const char *path, int64_t *ret_value);

/*
 * The lists of files: the run's folder, then datasets, then the checkpoint. `list` and `i` must be below the counts. A
 * role is "run", "dataset" or "checkpoint"; the root is where it lay, an absolute path; paths below it are sorted by
 * their bytes. Roots, paths and links may hold any bytes that a file system takes, but no line feed. An entry is a
 * file, with a size in bytes and 32 bytes of BLAKE3, or a link, with its text, -1 and NULL.
 */
MXT_API size_t mxt_manifest_list_count(const struct mxt_manifest *manifest);
MXT_API const char *mxt_manifest_list_role(const struct mxt_manifest *manifest, size_t list);
MXT_API const char *mxt_manifest_list_root(const struct mxt_manifest *manifest, size_t list);
MXT_API size_t mxt_manifest_entry_count(const struct mxt_manifest *manifest, size_t list);
MXT_API const char *mxt_manifest_entry_path(const struct mxt_manifest *manifest, size_t list, size_t i);
MXT_API const char *mxt_manifest_entry_link(const struct mxt_manifest *manifest, size_t list, size_t i);
MXT_API int64_t mxt_manifest_entry_size(const struct mxt_manifest *manifest, size_t list, size_t i);
MXT_API const uint8_t *mxt_manifest_entry_blake3(const struct mxt_manifest *manifest, size_t list, size_t i);

/*
 * Holds files against a manifest, which must live as long. `run_folder` is where the list of the run's own folder lies
 * now; datasets and the checkpoint are looked for where the manifest says, unless they are said to be elsewhere.
 */
MXT_API int mxt_verification_create(const struct mxt_manifest *manifest, const char *run_folder,
				    struct mxt_verification **ret_verification, struct mxt_error *err);
MXT_API void mxt_verification_destroy(struct mxt_verification *verification); /* NULL-tolerant */

/* Where copies are; datasets in the order of their lists, the first ones first. Paths are copied. */
MXT_API int mxt_verification_set_plan(struct mxt_verification *verification, const char *path, struct mxt_error *err);
MXT_API int mxt_verification_set_checkpoint(struct mxt_verification *verification, const char *path,
					    struct mxt_error *err);
MXT_API int mxt_verification_add_dataset(struct mxt_verification *verification, const char *path,
					 struct mxt_error *err);

/* What lies in a listed folder and is not listed is a finding, unless it is allowed. */
MXT_API void mxt_verification_allow_extra(struct mxt_verification *verification, bool allow);

/* How many threads hash; 0: one for each processor that this process may use. */
MXT_API void mxt_verification_set_threads(struct mxt_verification *verification, unsigned threads);

/*
 * Reads all that is listed. 0: it was looked at, and only if nothing was found are the files those of the manifest. May
 * be called again, which drops what was found before. No two threads may use one verification while this runs.
 */
MXT_API int mxt_verification_run(struct mxt_verification *verification, struct mxt_error *err);

/* What was found, sorted by list and path. */
MXT_API size_t mxt_verification_finding_count(const struct mxt_verification *verification);
MXT_API const struct mxt_finding *mxt_verification_finding(const struct mxt_verification *verification, size_t i);
MXT_API uint64_t mxt_verification_bytes(const struct mxt_verification *verification); /* that were hashed */

/*
 * The word is one of "missing", "extra", "content" (another one of the same size), "size", "link" (leads elsewhere),
 * "kind" (a file that is a link now, or neither), "unreadable", "unstable" (it changed while it was read), "root" (what
 * is listed is not there at all). Expected and found are a hash, a size, a link's text or words for people, or NULL.
 */
MXT_API const char *mxt_finding_word(const struct mxt_finding *finding);
MXT_API size_t mxt_finding_list(const struct mxt_finding *finding);
MXT_API const char *mxt_finding_path(const struct mxt_finding *finding);
MXT_API const char *mxt_finding_expected(const struct mxt_finding *finding);
MXT_API const char *mxt_finding_found(const struct mxt_finding *finding);

#ifdef __cplusplus
}
#endif

#endif
