/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result_id: what a training came to, apart from when, where and under which names it ran. BLAKE3-256 over the
 * canonical bytes of the manifest's "result":
 *
 *   {"version": 1, "plan_id", "config": normalised, "datasets": [hash, in order], "checkpoint": [{"path", "blake3"}]}
 *
 * result_rules.def says which files of a checkpoint and which keys of a config do not take part, and why;
 * result_config.h how the config is normalised: the one that the trainer got, with the arguments behind it. "version"
 * is that of these rules.
 */
#ifndef MXT_MANIFEST_RESULT_H
#define MXT_MANIFEST_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "file_list.h"
#include "hash.h"
#include "result_config.h"

struct mxt_error;

/* True for final tensors and the tokenizer: files in the checkpoint's own folder, not in those below it. */
bool mxt_result_takes_file(const char *path);

/* Of one file the hash of its bytes, whether it is named itself or its folder is; of more files the folder's. */
bool mxt_result_is_one_file(const struct mxt_file_list *dataset);
void mxt_result_dataset_hash(const struct mxt_file_list *dataset, uint8_t ret_hash[MXT_HASH_SIZE]);

/* Does a manifest's document name datasets whose files it does not list? */
bool mxt_result_lacks_dataset(const json_t *document);

/* Is a result of the version that is made here? What a later one is made of cannot be checked. */
bool mxt_result_is_known(const json_t *result);

struct mxt_result_request {
	const char *plan_id;               /* NULL: unknown */
	const json_t *config;              /* of mxt_result_config(), borrowed; NULL: unknown */
	const struct mxt_file_list *lists; /* hashed */
	size_t n_lists;
	const json_t *not_listed; /* array of names of datasets that could not be hashed, borrowed; NULL: none */
};

/*
 * *ret_result is the object above (new reference) and `ret_id` its hash; or, where something is unknown, *ret_result is
 * {"unknown": [reasons], "config"}, without a config that is unknown, too, and `ret_id` is "".
 */
int mxt_result_make(const struct mxt_result_request *request, json_t **ret_result, char ret_id[MXT_HASH_HEX_SIZE],
		    struct mxt_error *err) MXT_WUR;

/*
 * Whether a manifest's result is made of what else its document says, and of its lists. MXT_E_RESULT_FORM where it is
 * not. The config is taken as it is; so is a result of later rules, and one that is not known.
 */
int mxt_result_check(const json_t *document, const struct mxt_file_list *lists, size_t n_lists,
		     struct mxt_error *err) MXT_WUR;

#endif
