/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as a CPU host makes it, for tests: they change it in one place and look at what the reader says.
 */
#ifndef MXT_TESTS_PLAN_EXAMPLE_H
#define MXT_TESTS_PLAN_EXAMPLE_H

#include <jansson.h>
#include <string.h>

static const char plan_example_decision[] =
    "{\"version\":1,"
    "\"platform\":{\"vendor\":\"amd\",\"arch\":\"x86_64-v4\",\"family\":26,\"model\":2,\"units\":2,"
    "\"memory_gib\":24},"
    "\"stack\":{\"torch\":\"none\",\"provider\":\"built-in\",\"openblas\":\"0.3.21 pthread\",\"blis\":\"0.9.0 "
    "pthread\"},"
    "\"workload\":{\"model\":{\"layers\":36,\"hidden\":2560,\"heads\":32,\"ffn\":6912,\"vocab\":50304},"
    "\"training\":{\"seq_len\":4096,\"micro_batch\":8,\"adapter\":\"lora\",\"lora_rank\":16,\"lengths\":\"packed\"},"
    "\"scaled\":{\"gemm_tokens\":256,\"attention_tokens\":512}},"
    "\"attention\":{\"backend\":\"flash\"},"
    "\"gemm\":{\"library\":\"openblas\",\"mode\":\"heuristic\"},"
    "\"collective\":{\"config\":\"1gpu_noop\"},"
    "\"env\":{\"OPENBLAS_CORETYPE\":\"Haswell\",\"MINDXTRAIN_CPU_ATTENTION\":\"flash\"},"
    "\"unset\":[\"BLIS_NUM_THREADS\",\"OMP_NUM_THREADS\"],"
    "\"policy\":\"aot_only\"}";

static const char plan_example_evidence[] =
    "{\"version\":1,\"created\":\"2026-11-30T12:00:00Z\",\"tool\":\"mindxtrain 0.1.0\",\"seed\":\"0x01\","
    "\"budget\":{\"limit_ns\":60000000000,\"used_ns\":41000000000,\"skipped\":[\"blas=blis: not installed\"]},"
    "\"samples\":[{\"probe\":\"attention\",\"candidate\":\"bare\",\"status\":\"ok\","
    "\"problem\":{\"op\":\"attention\",\"batch\":1,\"seq\":512,\"heads\":32,\"kv_heads\":32,\"head_dim\":80,"
    "\"causal\":true,\"dtype\":\"float32\",\"direction\":\"forward\"},"
    "\"n\":8,\"median_ns\":12345678,\"p20_ns\":12300000,\"p80_ns\":12400000,\"min_ns\":12200000,\"error_ppb\":120}],"
    "\"choices\":[{\"probe\":\"attention\",\"incumbent\":\"bare\",\"winner\":\"flash\",\"best\":\"flash\","
    "\"gain_ppm\":123456,\"bound_ppm\":101000,\"floor_ppm\":4200,\"blocks\":8,"
    "\"rule\":\"surely faster by more than the margin\",\"source\":\"measured\"}],"
    "\"later\":{\"x\":[1,true]}}";

static inline json_t *plan_example(const char *text)
{
	return json_loads(text, 0, NULL);
}

/*
 * Puts `value` (JSON text; NULL: removes) at a path of members, such as "workload.model.layers". Containers on the way
 * must exist; "list.#" appends to an array.
 */
static inline int plan_example_set(json_t *object, const char *path, const char *value)
{
	const char *dot;
	while ((dot = strchr(path, '.')) != NULL) {
		object = json_object_getn(object, path, (size_t)(dot - path));
		path = dot + 1;
	}
	if (!value)
		return json_object_del(object, path);
	json_t *json = json_loads(value, JSON_DECODE_ANY, NULL);
	if (!json)
		return -1;
	return strcmp(path, "#") == 0 ? json_array_append_new(object, json) : json_object_set_new(object, path, json);
}

#endif
