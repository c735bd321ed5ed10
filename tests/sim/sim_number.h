/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of the stored types as doubles, and back (to nearest, ties to even).
 */
#ifndef MXT_SIM_NUMBER_H
#define MXT_SIM_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Of inner loops over memory of the stand-ins' own, which sanitizers make many times as slow. What reads or writes the
 * program's memory keeps them.
 */
#define MXT_SIM_PLAIN __attribute__((no_sanitize("address", "undefined")))

/* c10::ScalarType's numbers. */
enum mxt_sim_dtype {
	MXT_SIM_INT16 = 2,
	MXT_SIM_INT32 = 3,
	MXT_SIM_INT64 = 4,
	MXT_SIM_FLOAT16 = 5,
	MXT_SIM_FLOAT32 = 6,
	MXT_SIM_FLOAT64 = 7,
	MXT_SIM_BFLOAT16 = 15
};

/* Bytes of one element; 0 for a type that there is not. */
size_t mxt_sim_dtype_bytes(int32_t dtype);
const char *mxt_sim_dtype_name(int32_t dtype);

double mxt_sim_load(const void *base, int64_t index, int32_t dtype);
void mxt_sim_store(void *base, int64_t index, int32_t dtype, double value);

/* What is left of a number in a type. */
double mxt_sim_rounded(double value, int32_t dtype);

#endif
