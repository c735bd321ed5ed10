/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files from which libraries and launchers take variables by themselves, behind the back of whoever set the
 * environment. A variable of the environment wins over such a file; what is not set, the file sets, even where it was
 * unset on purpose.
 *
 * NCCL reads NCCL_CONF_FILE, or .nccl.conf of the home; then /etc/nccl.conf. RCCL the same with rccl in the names; only
 * newer ones know NCCL_CONF_FILE. The home was that of passwd, and is $HOME in newer ones: both are looked at. Source:
 * src/misc/param.cc of NCCL 2.19 to 2.30 and of RCCL. DeepSpeed's launcher exports ~/.deepspeed_env and
 * ./.deepspeed_env to other nodes.
 */
#ifndef MXT_CORE_SETTING_FILES_H
#define MXT_CORE_SETTING_FILES_H

#include <jansson.h>

#include "visible_devices.h"

struct mxt_advice_sink;
struct mxt_sysroot;

/* All borrowed. */
struct mxt_setting_files {
	const struct mxt_sysroot *root;
	char *const *environment; /* in which the job will run */
	const json_t *unset;      /* array: names that are removed on purpose; NULL: none */
	enum mxt_gpu_stack stack; /* whose collectives library reads its files */
};

/*
 * Names what each file sets that the environment does not. Never values. What such a file sets although it is removed
 * on purpose is MXT_ADVICE_MISMATCH; what chooses kernels, or names code, MXT_ADVICE_WARN; the rest a note.
 */
void mxt_setting_files_advise(const struct mxt_setting_files *files, const struct mxt_advice_sink *sink);

/* The same for the text of one file, as if `reader` had found it at `path`. */
void mxt_setting_text_advise(const struct mxt_setting_files *files, const char *path, const char *reader,
			     const char *text, const struct mxt_advice_sink *sink);

#endif
