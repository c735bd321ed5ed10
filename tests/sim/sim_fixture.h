/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driving the stand-ins as a program would. A process has one scenario, so every case runs in a child of its own.
 */
#ifndef MXT_SIM_FIXTURE_H
#define MXT_SIM_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mxt_sim_api {
#define SIM_SYMBOL(type, symbol, arguments) type(*symbol) arguments;
#include "sim_symbols.def"
#undef SIM_SYMBOL
};

/* Ends the child that runs a case, unless the condition holds. */
#define SIM_CHECK(condition) mxt_sim_expect(condition, __FILE__, __LINE__, #condition)
void mxt_sim_expect(bool holds, const char *file, int line, const char *text);

/*
 * Loads the libraries of a build ("2.15", or "rocm 2.9"); symbols that they do not have are NULL. On ROCm the functions
 * called cuda... are those called hip...
 */
struct mxt_sim_api mxt_sim_api_load(const char *build);

/* Environment of a child: NAME=VALUE, NULL-ended. */
#define MXT_SIM_MAX_VARIABLES 6

struct mxt_sim_case {
	const char *scenario; /* JSON; NULL: none */
	const char *variables[MXT_SIM_MAX_VARIABLES];
	void (*run)(const struct mxt_sim_api *api);
	const char *build; /* NULL: "2.15" */
};

/*
 * The wait status of a child that runs the case; a child that takes longer than a minute is ended by SIGALRM. What it
 * prints goes to `ret_output` where that is given.
 */
struct mxt_sim_output {
	char text[4096]; /* the beginning */
	size_t bytes;    /* all of it */
};
int mxt_sim_case_status(const struct mxt_sim_case *which, struct mxt_sim_output *ret_output);
/* The test fails unless the case ends well. */
void mxt_sim_case_pass(const struct mxt_sim_case *which);

/* A row-major tensor with the numbers given (NULL: zeros); the process ends when it cannot be had. */
void *mxt_sim_tensor_of(const struct mxt_sim_api *api, int32_t place, int32_t dtype, int64_t ndim, const int64_t *sizes,
			const double *numbers);
/* All elements in row-major order; the caller frees. */
double *mxt_sim_numbers_of(const struct mxt_sim_api *api, void *tensor);

/* What a stack holds, as a handle. */
void *mxt_sim_handle_at(uint64_t bits);

/* Values of a stack. Optional ones are boxed; a tensor argument is a second handle, the first stays the caller's. */
uint64_t mxt_sim_arg(const struct mxt_sim_api *api, void *tensor);
uint64_t mxt_sim_arg_float(double number);
uint64_t mxt_sim_arg_box(uint64_t value);

/* Calls an operator that must do well, and gives back what is no longer needed. */
void mxt_sim_call(const struct mxt_sim_api *api, const char *name, const char *overload, uint64_t *stack);
void mxt_sim_drop(const struct mxt_sim_api *api, void *tensor);
void mxt_sim_drop_results(const struct mxt_sim_api *api, const uint64_t *results, size_t count);

/* Deterministic numbers around 0. */
void mxt_sim_fill(double *numbers, size_t count, uint64_t seed);

/* Nearly the same, relative to the largest of `right`. */
bool mxt_sim_close(const double *left, const double *right, size_t count, double bound);

/* What the device spent between two events around `work`, in ns. */
double mxt_sim_device_ns(const struct mxt_sim_api *api, void (*work)(const struct mxt_sim_api *api));

#endif
