/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of one folder (or one file) with their sizes and BLAKE3 hashes, sorted by the bytes of their paths.
 *
 * In a manifest:
 *
 *   {"role": "run" | "dataset" | "checkpoint", "root": where it lay, "single": true for one file, "hash": the folder's,
 *    "bytes": of all files, "outside_links": how many lead out of the folder (left out when 0),
 *    "files": [{"path", "size", "blake3"} | {"path", "link": its text}]}
 *
 * What is no UTF-8, or holds control characters, of a path, a link's text or the root, stands as "path_bytes",
 * "link_bytes" or "root_bytes", in hexadecimal digits.
 */
#ifndef MXT_MANIFEST_FILE_LIST_H
#define MXT_MANIFEST_FILE_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"

struct mxt_buf;
struct mxt_error;
struct stat;

#define MXT_ENTRY_PATH_MAX ((size_t)16384) /* bytes of a path: more than PATH_MAX, which no file system is bound by */

enum mxt_list_role {
	MXT_LIST_RUN,
	MXT_LIST_DATASET,
	MXT_LIST_CHECKPOINT,
};

enum mxt_entry_kind {
	MXT_ENTRY_FILE,
	MXT_ENTRY_LINK,
};

/* What tells a file from another one, and from itself at another time: of fstat(2). */
struct mxt_file_identity {
	uint64_t device, inode;
	int64_t size, mtime_ns, ctime_ns;
};
struct mxt_file_identity mxt_file_identity_of(const struct stat *status);
bool mxt_file_identity_equal(const struct mxt_file_identity *a, const struct mxt_file_identity *b);

struct mxt_file_entry {
	char *path; /* owned: relative to the root, as the kernel has it; no empty part, "." or "..", no newline */
	enum mxt_entry_kind kind;
	int64_t size;                  /* of a file, in bytes */
	uint8_t hash[MXT_HASH_SIZE];   /* of a file's content */
	char *target;                  /* owned: the text of a link; NULL for a file */
	struct mxt_file_identity seen; /* when it was listed; zero in a list that was read from a manifest */
};

struct mxt_file_list {
	enum mxt_list_role role;
	char *root;  /* owned: absolute path */
	bool single; /* the root is a file, and the only entry's path its name */
	size_t outside_links;
	struct mxt_file_entry *entries; /* owned */
	size_t count, capacity;
};
#define MXT_FILE_LIST_INIT                                                                                             \
	{                                                                                                              \
		.root = NULL                                                                                           \
	}
#define MXT_CLEANUP_FILE_LIST MXT_CLEANUP(mxt_file_list_finish)
void mxt_file_list_finish(struct mxt_file_list *list);

const char *mxt_list_role_name(enum mxt_list_role role);

/* Why a path may not be in a list, in a few words; NULL: it may. The list's order and doubles are not its matter. */
const char *mxt_entry_path_fault(const char *path, size_t len);

/* Appends a path for a message or a table: clean_text.h, and no line feed either. */
void mxt_entry_path_show(const char *path, struct mxt_buf *buf);

/* The same for where it lies; with the path "" for the root itself. */
void mxt_entry_place_show(const char *root, const char *path, struct mxt_buf *buf);

/*
 * True for what the record's own files are called in the root of a run's folder or of a checkpoint's; they are in no
 * list:
 * manifest.json, manifest.json.sig, manifest.b3, manifest.*.b3, and the hidden temporaries of mxt_file_replace().
 */
bool mxt_list_is_record(enum mxt_list_role role, const char *path);

/* By its text alone: a link at `path` that is absolute, or that climbs above the root. */
bool mxt_link_leads_out(const char *path, const char *target);

/* Takes over the entry's strings, also when it fails. */
int mxt_file_list_add(struct mxt_file_list *list, const struct mxt_file_entry *entry, struct mxt_error *err) MXT_WUR;

/* Sorts by bytes. MXT_E_LIST_PATH for one path that is there twice, or that is a file and a folder. */
int mxt_file_list_sort(struct mxt_file_list *list, struct mxt_error *err) MXT_WUR;

/* By path; NULL: not in it. The list is sorted. */
const struct mxt_file_entry *mxt_file_list_find(const struct mxt_file_list *list, const char *path);

/* Links count for nothing in these. */
size_t mxt_file_list_files(const struct mxt_file_list *list);
uint64_t mxt_file_list_bytes(const struct mxt_file_list *list);

/*
 * The folder's hash: BLAKE3 of what b3sum prints for its files, in the order of their paths' bytes, and, where there
 * are links, of an empty line and such lines for them, with the hash of the link's text. Bytes that are no UTF-8, for
 * which b3sum prints something else, stand as they are. docs/manifest.md has the shell commands.
 */
void mxt_file_list_hash(const struct mxt_file_list *list, uint8_t ret_hash[MXT_HASH_SIZE]);

/* The form above. New reference. Reading checks everything: paths, order, doubles, hashes, the folder's hash. */
int mxt_file_list_json(const struct mxt_file_list *list, json_t **ret_json, struct mxt_error *err) MXT_WUR;
int mxt_file_list_read(const json_t *json, struct mxt_file_list *ret_list, struct mxt_error *err) MXT_WUR;

#endif
