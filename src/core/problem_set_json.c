/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler.h"
#include "problem_json.h"
#include "workload.h"

static json_t *weighted(const struct mxt_problem *problem)
{
	return json_pack("{s:o, s:I, s:I}", "problem", mxt_problem_json(problem), "calls", (json_int_t)problem->calls,
			 "share_ppm", (json_int_t)problem->share_ppm);
}

static json_t *layer_step(const struct mxt_layer_step *step)
{
	if (step->problem == MXT_LAYER_FILLER)
		return json_pack("{s:I}", "filler_bytes", (json_int_t)step->filler_bytes);
	return json_pack("{s:I}", "problem", (json_int_t)step->problem);
}

static json_t *problems(const struct mxt_problem_set *set)
{
	json_t *list = json_array();
	int rc = list ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < set->n_problems; i++)
		rc = json_array_append_new(list, weighted(&set->problems[i]));
	if (rc == 0)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *layer(const struct mxt_problem_set *set)
{
	json_t *list = json_array();
	int rc = list ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < set->n_layer; i++)
		rc = json_array_append_new(list, layer_step(&set->layer[i]));
	if (rc == 0)
		return list;
	json_decref(list);
	return NULL;
}

json_t *mxt_problem_set_json(const struct mxt_problem_set *set)
{
	json_t *json = json_object();
	if (json && json_object_set_new(json, "problems", problems(set)) == 0 &&
	    json_object_set_new(json, "layer", layer(set)) == 0 &&
	    json_object_set_new(json, "scaled", json_boolean(set->scaled)) == 0)
		return json;
	json_decref(json);
	return NULL;
}
