/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "compiler.h"
#include "json.h"
#include "words.h"

/*
 * The first pattern that fits. The names are those that python/mindxtrain_plan/recorder_operators.py records; packages
 * of the Hub have a suffix of their own behind the name.
 */
static const struct {
	const char *pattern, *backend;
} operators[] = {
    {"aten::_scaled_dot_product_flash_attention*", "flash"},
    {"aten::_flash_attention_*", "flash"},
    {"aten::_scaled_dot_product_efficient_attention*", "efficient"},
    {"aten::_efficient_attention_*", "efficient"},
    {"aten::_scaled_dot_product_cudnn_attention*", "cudnn"},
    {"aten::_cudnn_attention_*", "cudnn"},
    {"torch_attn::_varlen_attn*", "varlen"},
    {"higher_order::flex_attention*", "flex"},
    {"xformers*::*", "xformers"},
    {"aiter::*", "aiter"},
    {"sageattention*::*", "sage"},
    {"*flash_attn_3*::*", "fa3"},
    {"*flash_attn3*::*", "fa3"},
    {"flash_attn::*", "fa2"},
    {"*flash_attn_2*::*", "fa2"},
    {"*flash_attn2*::*", "fa2"},
};

#define N_OPERATORS MXT_ARRAY_LEN(operators)

static size_t index_of(const char *name)
{
	size_t i = 0;
	while (i < N_OPERATORS && fnmatch(operators[i].pattern, name, 0) != 0)
		i++;
	return i;
}

const char *mxt_operator_backend(const char *name)
{
	size_t i = index_of(name);
	return i < N_OPERATORS ? operators[i].backend : NULL;
}

static double product_of(const json_t *list)
{
	double product = 1;
	size_t i;
	json_t *factor;
	json_array_foreach(list, i, factor)
	{
		product *= (double)json_integer_value(factor);
	}
	return product;
}

static double sum_of(const json_t *list)
{
	double sum = 0;
	size_t i;
	json_t *term;
	json_array_foreach(list, i, term)
	{
		sum += (double)json_integer_value(term);
	}
	return sum;
}

static bool is_forward_attention(const json_t *call)
{
	return strcmp(mxt_json_text(call, "kind"), "attention") == 0 &&
	       strcmp(mxt_json_text(call, "direction"), "forward") == 0;
}

/* Queries that went through the operators of a backend. */
static double queries_of(const json_t *recording, const char *backend)
{
	double queries = 0;
	size_t i;
	json_t *call;
	json_array_foreach(json_object_get(recording, "calls"), i, call)
	{
		const char *other = is_forward_attention(call) ? mxt_operator_backend(mxt_json_text(call, "op")) : NULL;
		if (other && strcmp(other, backend) == 0)
			queries += product_of(json_object_get(json_object_get(call, "q"), "shape")) *
				   sum_of(json_object_get(call, "counts"));
	}
	return queries;
}

const char *mxt_operators_seen(const json_t *recording)
{
	const char *seen = "";
	double most = 0;
	for (size_t i = 0; i < N_OPERATORS; i++) {
		double queries = queries_of(recording, operators[i].backend);
		if (queries <= most)
			continue;
		most = queries;
		seen = operators[i].backend;
	}
	return seen;
}

bool mxt_operators_contradict(const char *seen, const char *planned)
{
	static const char silent[] = "math eager", amd[] = "ck aotriton";
	if (seen[0] == '\0' || planned[0] == '\0' || mxt_words_index(silent, planned, strlen(planned), false) >= 0)
		return false;
	if (mxt_words_index(amd, planned, strlen(planned), false) >= 0)
		return strcmp(seen, "flash") != 0;
	return strcmp(seen, planned) != 0;
}
