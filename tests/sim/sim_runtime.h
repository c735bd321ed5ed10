/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one simulated device of a process: its clock, its memory and its health. It lives in the stand-in of libcudart
 * or libamdhip64, which the others are linked to, as the real ones are. Not for several threads.
 */
#ifndef MXT_SIM_RUNTIME_H
#define MXT_SIM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_fault.h"

#define MXT_SIM_EXPORT __attribute__((visibility("default")))

struct mxt_sim_cost;
struct mxt_sim_scenario;

/*
 * A program that finds it, in the stand-in of the runtime or from a handle of a library that needs that one, knows that
 * nothing was measured.
 */
extern MXT_SIM_EXPORT const char mxt_stand_in[];

MXT_SIM_EXPORT const struct mxt_sim_scenario *mxt_sim_scenario(void);

/* Called first by everything that a scenario can make fail; may not return. A broken device is broken afterwards. */
MXT_SIM_EXPORT struct mxt_sim_outcome mxt_sim_enter(const char *site);

/*
 * What the device answers: 0, or the cudaError_t (hipError_t) of its scenario, of another process that has it, or of a
 * fault before. The first call is the first use of the device.
 */
MXT_SIM_EXPORT int mxt_sim_device_status(void);

/* How many devices the process sees. */
MXT_SIM_EXPORT int mxt_sim_device_count(void);

/*
 * A kernel: the clock goes on by what its operations and its bytes cost, whichever is more. `shape` tells shapes apart
 * (first_call_ns).
 */
MXT_SIM_EXPORT void mxt_sim_launch(const struct mxt_sim_cost *cost, double flops, double bytes, uint64_t shape,
				   unsigned effects);
/* How much slower a site is on a shape (struct mxt_sim_cliff). */
MXT_SIM_EXPORT double mxt_sim_cliff_factor(const char *site, const int64_t dims[static 3]);
/* The same for something that only moves bytes. */
MXT_SIM_EXPORT void mxt_sim_move(uint64_t bytes);
/* Device time that really went by: neither disturbed nor slept again. */
MXT_SIM_EXPORT void mxt_sim_wait(double ns);
MXT_SIM_EXPORT double mxt_sim_now_ns(void);
/* Sleeps what was simulated since the last time, where the scenario says "real_sleep". */
MXT_SIM_EXPORT void mxt_sim_synchronize(void);

/* More than any allocation: checkers of memory end the process when they are asked for more. */
#define MXT_SIM_MOST_BYTES (UINT64_C(1) << 39)

/* False when the device does not have that much left. */
MXT_SIM_EXPORT bool mxt_sim_memory_take(uint64_t bytes);
MXT_SIM_EXPORT void mxt_sim_memory_give(uint64_t bytes);
MXT_SIM_EXPORT uint64_t mxt_sim_memory_free(void);

/* FNV-1a, for shapes and seeds. */
#define MXT_SIM_HASH_START UINT64_C(0xcbf29ce484222325)
MXT_SIM_EXPORT uint64_t mxt_sim_hash(uint64_t start, const void *bytes, size_t len);

/* The texts of cudaGetErrorString and cudaGetErrorName, or of hip's. */
MXT_SIM_EXPORT const char *mxt_sim_error_text(int status);
MXT_SIM_EXPORT const char *mxt_sim_error_name(int status);

#endif
