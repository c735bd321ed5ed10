/* SPDX-License-Identifier: Apache-2.0 */
#include "pin_form.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hipblaslt_override.h"
#include "json.h"
#include "number.h"
#include "pin.h"
#include "release.h"
#include "tunableop_csv.h"

#define MAX_VARIABLES 3

/* Files end their fields at commas, and lines at what no name of a plan may hold. */
static bool is_field(const char *text)
{
	return text[0] != '\0' && !strpbrk(text, ", ");
}

static bool torch_reads(const char *torch, const char *library, const json_t *built)
{
	static const char *const needed[] = {"arch", "hip", "hipblaslt", "rocblas"};
	if (!mxt_release_at_least(torch, 2, 9) ||
	    (strcmp(library, "hipblaslt") != 0 && strcmp(library, "rocblas") != 0))
		return false;
	for (size_t i = 0; i < MXT_ARRAY_LEN(needed); i++)
		if (!is_field(mxt_json_text(built, needed[i])))
			return false;
	return true;
}

static bool hipblaslt_reads(const char *torch, const char *library, const json_t *built)
{
	const char *revision = "";
	unsigned version = mxt_hipblaslt_version(mxt_json_text(built, "hipblaslt"), &revision);
	(void)torch;
	return strcmp(library, "hipblaslt") == 0 && version >= MXT_HIPBLASLT_OVERRIDE_SINCE && is_field(revision) &&
	       is_field(mxt_json_text(built, "arch"));
}

/* The first that is read wins. */
static const struct {
	bool (*read)(const char *torch, const char *library, const json_t *built);
	bool (*can_pin)(const char *library, const struct mxt_pin *pin);
	void (*key)(const struct mxt_gemm *product, struct mxt_buf *buf);
	struct {
		const char *name, *value;
	} variables[MAX_VARIABLES]; /* the file's own first */
} forms[MXT_PIN_FORM_COUNT] = {
    [MXT_PIN_FORM_TUNABLEOP] = {torch_reads,
				mxt_tunableop_can_pin,
				mxt_tunableop_key,
				{{"PYTORCH_TUNABLEOP_FILENAME", "@file:tunableop.csv@"},
				 {"PYTORCH_TUNABLEOP_ENABLED", "1"},
				 {"PYTORCH_TUNABLEOP_TUNING", "0"}}},
    [MXT_PIN_FORM_HIPBLASLT] = {hipblaslt_reads,
				mxt_hipblaslt_override_can_pin,
				mxt_hipblaslt_override_key,
				{{"HIPBLASLT_TUNING_OVERRIDE_FILE", "@file:hipblaslt.txt@"}}},
};

enum mxt_pin_form mxt_pin_form(const char *torch, const char *library, const json_t *built)
{
	for (int i = MXT_PIN_FORM_NONE + 1; i < MXT_PIN_FORM_COUNT; i++)
		if (forms[i].read(torch, library, built))
			return (enum mxt_pin_form)i;
	return MXT_PIN_FORM_NONE;
}

/* What hides solutions from its reader. */
static const char *const hiding[] = {"PYTORCH_TUNABLEOP_HIPBLASLT_ENABLED", "PYTORCH_TUNABLEOP_RECORD_UNTUNED",
				     "PYTORCH_TUNABLEOP_ROCBLAS_ENABLED"};

int mxt_pin_form_export(enum mxt_pin_form form, json_t *env)
{
	for (size_t i = 0; form != MXT_PIN_FORM_NONE && i < MXT_ARRAY_LEN(hiding); i++)
		(void)json_object_del(env, hiding[i]);
	for (size_t i = 0; i < MAX_VARIABLES && forms[form].variables[i].name; i++) {
		json_t *value = json_string(forms[form].variables[i].value);
		if (json_object_set_new(env, forms[form].variables[i].name, value) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* True when `env` sets every variable of the form as the form does. */
static bool sets_all(enum mxt_pin_form form, const json_t *env)
{
	for (size_t i = 0; i < MAX_VARIABLES && forms[form].variables[i].name; i++)
		if (strcmp(mxt_json_text(env, forms[form].variables[i].name), forms[form].variables[i].value) != 0)
			return false;
	return true;
}

enum mxt_pin_form mxt_pin_form_of_env(const json_t *env)
{
	enum mxt_pin_form found = MXT_PIN_FORM_NONE;
	for (int i = MXT_PIN_FORM_NONE + 1; i < MXT_PIN_FORM_COUNT; i++) {
		enum mxt_pin_form form = (enum mxt_pin_form)i;
		if (!json_object_get(env, forms[form].variables[0].name))
			continue;
		found = found == MXT_PIN_FORM_NONE && sets_all(form, env) ? form : MXT_PIN_FORM_COUNT;
	}
	for (size_t i = 0; found != MXT_PIN_FORM_NONE && i < MXT_ARRAY_LEN(hiding); i++)
		if (json_object_get(env, hiding[i]))
			return MXT_PIN_FORM_COUNT;
	return found;
}

void mxt_pin_hip_number(const char *version, char number[MXT_PIN_HIP_NUMBER])
{
	uint64_t major = 0, minor = 0;
	number[0] = '\0';
	if (mxt_parse_u64(version, &version, &major) < 0 || *version != '.' ||
	    mxt_parse_u64(version + 1, &version, &minor) < 0)
		return;
	if (major <= 999 && minor <= 99)
		(void)snprintf(number, MXT_PIN_HIP_NUMBER, "%u", (unsigned)(major * 100 + minor));
}

bool mxt_pin_env_tunes(const json_t *env)
{
	return strcmp(mxt_json_text(env, "PYTORCH_TUNABLEOP_ENABLED"), "1") == 0 &&
	       strcmp(mxt_json_text(env, "PYTORCH_TUNABLEOP_TUNING"), "0") != 0;
}

bool mxt_pin_form_can_pin(enum mxt_pin_form form, const char *library, const struct mxt_pin *pin)
{
	return forms[form].can_pin && forms[form].can_pin(library, pin);
}

void mxt_pin_form_key(enum mxt_pin_form form, const struct mxt_gemm *product, struct mxt_buf *buf)
{
	if (forms[form].key)
		forms[form].key(product, buf);
}
