/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scenario of the CUDA or ROCm torch that the stand-ins play: README.md beside this file describes its JSON. A
 * scenario that cannot be read is a mistake of a test: it is named on stderr and the process ends.
 */
#ifndef MXT_SIM_SCENARIO_H
#define MXT_SIM_SCENARIO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the scenario's file is. Without it everything works and nothing goes wrong. */
#define MXT_SIM_TORCH_VARIABLE "MXT_SIM_TORCH"

/*
 * The numbers are torch's (SDPBackend), as far as it has them. On ROCm the operators called flash are AOTriton's, or
 * CK's.
 */
enum mxt_sim_backend {
	MXT_SIM_MATH,
	MXT_SIM_FLASH,
	MXT_SIM_EFFICIENT,
	MXT_SIM_CUDNN,
	MXT_SIM_CK,
	MXT_SIM_BACKEND_COUNT
};
enum mxt_sim_direction { MXT_SIM_FORWARD, MXT_SIM_BACKWARD, MXT_SIM_DIRECTION_COUNT };
/* On ROCm rocBLAS and hipBLASLt. */
enum mxt_sim_blas { MXT_SIM_CUBLAS, MXT_SIM_CUBLASLT, MXT_SIM_BLAS_COUNT };

/*
 * A launch takes fixed_ns, and one second for each flops_per_s of its operations; its first shape first_call_ns more.
 */
struct mxt_sim_cost {
	double fixed_ns, flops_per_s, first_call_ns;
};

/* Relative deviations of one launch. */
struct mxt_sim_noise {
	double sigma;            /* of the log of a time */
	double tail_probability; /* how often a launch is disturbed */
	double tail_size;        /* mean of the exponential share that a disturbance adds */
	double process_sigma;    /* of the log of a factor that a process keeps for life */
};

struct mxt_sim_device {
	int count, major, minor, multiprocessors, compute_mode, runtime_version, driver_version;
	int64_t l2_bytes, memory_bytes;
	int status;            /* what every use answers: 0, or a cudaError_t (35 no driver, 46 busy, 100 no device) */
	const char *exclusive; /* file whose lock is the device: one process at a time; NULL: any number */
	const char *name, *arch; /* ROCm's: gcnArchName */
	json_t *pci;             /* ROCm's: addresses of the devices; NULL: made up */
};

#define MXT_SIM_MAX_ALGORITHMS 16

struct mxt_sim_algorithms {
	double factors[MXT_SIM_MAX_ALGORITHMS]; /* time, relative to cuBLASLt's, in the heuristic's order */
	size_t count;
	int64_t workspace_bytes; /* of every one but the first */
};

/*
 * The solutions of hipBLASLt or rocBLAS. With `factors` their times relative to the library's cost, in the heuristic's
 * order. Else `count` of them, made up for every shape from `seed`: the first takes factor 1, the best 1 / (1 + up to
 * `gain`), and on the share `cliff_share` of all shapes 1 / (1.3 to 1 + cliff_gain).
 */
struct mxt_sim_solutions {
	double factors[MXT_SIM_MAX_ALGORITHMS];
	size_t n_factors;
	int count, seed;
	double gain, cliff_share, cliff_gain;
	int64_t workspace_bytes; /* of every second one but the first */
	int vanish;              /* an index that no later question names, once it was named; 0: none */
};

/* How the clock of a card comes to its pace: times are longer by cold_factor at first, and no more after warm_s. */
struct mxt_sim_clock {
	double cold_factor, warm_s;
	bool wall;          /* seconds since the file, or else the process, began; else of device time */
	const char *shared; /* a file that adds up the device time of all processes; NULL: each has its own */
};

/* Shapes on which something is slower. */
struct mxt_sim_cliff {
	const char *at; /* as of a fault */
	json_t *dims;   /* m, n, k of a product, or positions, heads, dim of attention; shorter: any of the rest */
	double factor;
};

/* One thing that goes wrong. */
struct mxt_sim_fault {
	const char *at;       /* a site, or the first words of several: "attention.flash" */
	const char *kind;     /* a word of sim_fault.c's table */
	const char *text;     /* message, or what is printed */
	json_t *env;          /* only where these variables are set so; NULL: everywhere */
	int64_t after, times; /* calls that go well first; how many then go wrong (-1: all) */
	int code;             /* cudaError_t, cublasStatus_t, or exit status; -1: the kind's own */
};

struct mxt_sim_scenario {
	json_t *root;
	int64_t seed; /* -1: a new one in every process */
	bool real_sleep;
	double drift_per_s, bytes_per_s;
	struct mxt_sim_noise noise;
	struct mxt_sim_clock clock;
	struct mxt_sim_device device;
	bool has[MXT_SIM_BACKEND_COUNT];
	struct mxt_sim_cost attention[MXT_SIM_BACKEND_COUNT][MXT_SIM_DIRECTION_COUNT];
	struct mxt_sim_cost mm[MXT_SIM_BLAS_COUNT];
	struct mxt_sim_algorithms algorithms;
	struct mxt_sim_solutions solutions[MXT_SIM_BLAS_COUNT];
	struct mxt_sim_cliff *cliffs;
	size_t n_cliffs;
	struct mxt_sim_fault *faults;
	size_t n_faults;
};

/* Reads the file that the environment names, or makes the scenario without faults. Strings stay in `root`. */
void mxt_sim_scenario_read(struct mxt_sim_scenario *ret_scenario);
void mxt_sim_scenario_finish(struct mxt_sim_scenario *scenario);

#endif
