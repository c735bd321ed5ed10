/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_pins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "json_path.h"
#include "pin.h"
#include "pin_form.h"

static int fault(const struct mxt_json_path *path, struct mxt_error *err, const char *text)
{
	return mxt_json_at(path, mxt_error_set(err, -EINVAL, MXT_E_PLAN_FIELD, "%s", text), err);
}

/* Strictly ascending by the canonical bytes of their problems: one solution for each. */
static int check_order(const json_t *pins, const struct mxt_json_path *path, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf last = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf problem = MXT_BUF_INIT;
	for (size_t i = 0; i < json_array_size(pins); i++) {
		const struct mxt_json_path at = {path, NULL, i};
		mxt_buf_truncate(&problem, 0);
		int rc = mxt_json_canonical(json_object_get(json_array_get(pins, i), "problem"), &problem, err);
		if (rc < 0)
			return rc;
		if (i > 0 && strcmp(mxt_buf_text(&last), mxt_buf_text(&problem)) >= 0)
			return fault(&at, err,
				     "pins are sorted by the canonical bytes of their problems, one for each");
		mxt_buf_truncate(&last, 0);
		mxt_buf_append(&last, problem.data, problem.len);
	}
	return mxt_buf_status(&last, err);
}

/* Members that are there only where there are pins. */
static int check_parts(const json_t *gemm, const struct mxt_json_path *path, struct mxt_error *err)
{
	static const struct {
		const char *key, *text;
	} parts[] = {{"pins", "there are pins if, and only if, mode is pinned"},
		     {"built", "it is there if, and only if, mode is pinned"}};
	bool pinned = strcmp(mxt_json_text(gemm, "mode"), "pinned") == 0;
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++) {
		const struct mxt_json_path at = {path, parts[i].key, 0};
		if (pinned != (json_object_get(gemm, parts[i].key) != NULL))
			return fault(&at, err, parts[i].text);
	}
	return 0;
}

/* Where the decision says twice what the solutions are of, it says the same. */
static int check_built(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *platform = json_object_get(decision, "platform"), *stack = json_object_get(decision, "stack");
	const json_t *built = json_object_get(json_object_get(decision, "gemm"), "built");
	const char *arch = mxt_json_text(platform, "arch"), *hip = mxt_json_text(built, "hip");
	const char *features = mxt_json_text(built, "arch");
	const struct mxt_json_path gemm = {path, "gemm", 0}, object = {&gemm, "built", 0};
	const struct mxt_json_path of_arch = {&object, "arch", 0}, of_hip = {&object, "hip", 0};
	char number[MXT_PIN_HIP_NUMBER];
	if (strcspn(features, ":") != strlen(arch) || strncmp(features, arch, strlen(arch)) != 0)
		return fault(&of_arch, err, "it is of another architecture than platform.arch");
	mxt_pin_hip_number(mxt_json_text(stack, "hip"), number);
	if (hip[0] && number[0] && strcmp(hip, number) != 0)
		return fault(&of_hip, err, "it is of another HIP than stack.hip");
	return 0;
}

/* The variables are those of the file that this stack reads, and none without pins. */
static int check_variables(const json_t *decision, const struct mxt_json_path *path, enum mxt_pin_form *ret_form,
			   struct mxt_error *err)
{
	const json_t *gemm = json_object_get(decision, "gemm"), *pins = json_object_get(gemm, "pins");
	const char *torch = mxt_json_text(json_object_get(decision, "stack"), "torch");
	enum mxt_pin_form form = mxt_pin_form(torch, mxt_json_text(gemm, "library"), json_object_get(gemm, "built"));
	const struct mxt_json_path env = {path, "env", 0}, object = {path, "gemm", 0}, list = {&object, "pins", 0};
	*ret_form = form;
	if (mxt_pin_env_tunes(json_object_get(decision, "env")))
		return fault(&env, err, "TunableOp is on, and tunes while the job runs: its TUNING must be 0");
	if (pins && form == MXT_PIN_FORM_NONE)
		return fault(&list, err, "nothing in this stack reads pins; mode must be heuristic");
	if (mxt_pin_form_of_env(json_object_get(decision, "env")) == (pins ? form : MXT_PIN_FORM_NONE))
		return 0;
	return fault(&env, err,
		     pins ? "the variables that make this stack read the pins are missing, or others are there"
			  : "a file with pins is handed over, but there are no pins");
}

/* One product of the list, and its row's key. */
struct row {
	char *key; /* owned */
	size_t i;
};

static int by_key(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->key, y->key);
	return order ? order : (x->i > y->i) - (x->i < y->i);
}

static int read_row(const json_t *gemm, enum mxt_pin_form form, struct row *row, const struct mxt_json_path *path,
		    struct mxt_error *err)
{
	const struct mxt_json_path at = {path, NULL, row->i};
	MXT_CLEANUP_BUF struct mxt_buf key = MXT_BUF_INIT;
	struct mxt_pin pin;
	int rc = mxt_pin_read(json_array_get(json_object_get(gemm, "pins"), row->i), &pin);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0)
		return fault(&at, err, "no such product; what is dense or false is left out");
	if (!mxt_pin_form_can_pin(form, mxt_json_text(gemm, "library"), &pin))
		return fault(&at, err, "what reads the pins cannot be told of this product, or of this solution");
	mxt_pin_form_key(form, &pin.product, &key);
	row->key = mxt_buf_steal(&key);
	return row->key ? 0 : mxt_error_oom(err);
}

/* What reads the pins tells fewer products apart than we do: two with one key would be one pin for both. */
static int check_rows(const json_t *gemm, enum mxt_pin_form form, const struct mxt_json_path *path,
		      struct mxt_error *err)
{
	size_t count = json_array_size(json_object_get(gemm, "pins"));
	struct row *rows = calloc(count + 1, sizeof *rows);
	int rc = rows ? 0 : mxt_error_oom(err);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rows[i].i = i;
		rc = read_row(gemm, form, &rows[i], path, err);
	}
	if (rc == 0)
		qsort(rows, count, sizeof *rows, by_key);
	for (size_t i = 1; rc == 0 && i < count; i++) {
		const struct mxt_json_path at = {path, NULL, rows[i].i};
		if (strcmp(rows[i - 1].key, rows[i].key) == 0)
			rc = fault(&at, err, "what reads the pins cannot tell this product from another one of them");
	}
	for (size_t i = 0; rows && i < count; i++)
		free(rows[i].key);
	free(rows);
	return rc;
}

int mxt_plan_pins_check(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err)
{
	const json_t *gemm = json_object_get(decision, "gemm"), *pins = json_object_get(gemm, "pins");
	const struct mxt_json_path object = {path, "gemm", 0}, at = {&object, "pins", 0};
	enum mxt_pin_form form = MXT_PIN_FORM_NONE;
	int rc = gemm ? check_parts(gemm, &object, err) : 0;
	if (rc == 0)
		rc = check_order(pins, &at, err);
	if (rc == 0 && pins)
		rc = check_built(decision, path, err);
	if (rc == 0)
		rc = check_variables(decision, path, &form, err);
	return rc == 0 && pins ? check_rows(gemm, form, &at, err) : rc;
}
