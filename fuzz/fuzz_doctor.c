/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor on a machine of the fuzzer's making (fuzz_tree.h), which is looked at and shown in both forms.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "doctor.h"
#include "doctor_json.h"
#include "doctor_text.h"
#include "environ_list.h"
#include "error.h"
#include "fuzz_tree.h"
#include "json.h"
#include "sysroot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void show(const struct mxt_doctor_report *report)
{
	MXT_CLEANUP_BUF struct mxt_buf json = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const struct mxt_doctor_style style = {80, false};
	require(mxt_doctor_json(report, true, &json, NULL) == 0);
	mxt_doctor_text(report, &style, &text);
	for (size_t i = 0; i < text.len; i++)
		require(text.data[i] == '\n' || (unsigned char)text.data[i] >= ' ');
}

static void examine(const char *prefix)
{
	const struct mxt_sysroot root = {.prefix = prefix};
	MXT_CLEANUP_ENVIRON struct mxt_environ_list environment = MXT_ENVIRON_LIST_INIT;
	MXT_CLEANUP_DOCTOR_REPORT struct mxt_doctor_report report = MXT_DOCTOR_REPORT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	require(mxt_environ_list_read(&root, &environment, &err) == 0);
	MXT_CLEANUP_JSON json_t *nvidia = NULL;
	char path[PATH_MAX];
	(void)snprintf(path, sizeof path, "%s/nvidia.json", prefix);
	if (mxt_json_read_file(path, MXT_JSON_CANONICAL, &nvidia, NULL) < 0)
		nvidia = NULL;
	const struct mxt_doctor_request request = {&root, environment.entries, NULL, nvidia};
	if (mxt_doctor_run(&request, &report, &err) == 0)
		show(&report);
	else
		require(err.id == MXT_E_NOT_A_MACHINE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char root[] = MXT_FUZZ_ROOT;
	if (!mxt_fuzz_tree_make(root, data, size))
		return 0;
	examine(root);
	mxt_fuzz_tree_remove(root);
	return 0;
}
