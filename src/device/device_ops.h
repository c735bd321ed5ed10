/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device backend implements: one const table each (cpu, cpu-torch, cuda, hip, nvml, fake), listed in
 * registry.c, every member set. All functions but `detect`, `count`, `inventory` and `candidates` run inside a worker
 * process, under exactly one candidate's environment.
 *
 * Status: -ENOSYS or -ENODEV from open: the device is absent (reason in err); so it is with -ELIBBAD where it needs a
 * torch. -ENOTSUP from prepare: this stack cannot do this problem (unsupported, with the reason). Anything else is a
 * failure.
 */
#ifndef MXT_DEVICE_OPS_H
#define MXT_DEVICE_OPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "problem.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_sysroot;
struct mxt_device; /* an opened device; each backend defines its own behind this name */
struct mxt_task;   /* a problem prepared on a device: operands allocated and filled, kernels resolved */

/* Which device, and by which software. Whoever is given one borrows it. */
struct mxt_device_target {
	unsigned ordinal;  /* which device of this kind */
	const char *torch; /* the folder of the torch package whose libraries compute; NULL: none */
	/*
	 * What this process is for: "attention", "gemm", or "layer" for both. What such kernels need once in a process
	 * is loaded when the device is opened, by all workers at the same time, so that the first call of a problem
	 * shows what that problem costs. NULL: nothing is known.
	 */
	const char *probe;
	const char *python; /* the interpreter that trains, for kernels that only Python reaches; NULL: none */
	/*
	 * The job runs under torch.use_deterministic_algorithms(True): so does the worker, and every check repeats the
	 * problem to see whether the bits of its results stay the same.
	 */
	bool deterministic;
};

/* One environment variable. */
struct mxt_setting {
	const char *name, *value;
};

/* What the orchestrator must know before it starts workers. Strings are owned; see mxt_inventory_finish(). */
struct mxt_inventory {
	json_t *platform;      /* decision.platform: vendor, arch, units, memory class */
	json_t *stack;         /* decision.stack: what selects kernels, from files only */
	json_t *devices;       /* evidence.devices */
	json_t *notes;         /* what may disturb the measurements, as an array of sentences; NULL: nothing */
	char *lock;            /* owned: a file of the device whose lock stands for it; NULL: the host's */
	bool one_process;      /* the device takes one process at a time: workers alternate */
	uint32_t count;        /* devices of this kind that one job could use; 0: one */
	const char *link;      /* static: what connects them, as decision.platform says it; NULL where there is one */
	uint32_t units;        /* cores or compute units usable by this process */
	uint64_t memory_bytes; /* usable by this process: within limits, and not taken by others */
	uint64_t llc_bytes;    /* last-level cache */
	double peak_flops;     /* upper bound of the hardware in the dtype of the problems, FLOP/s; 0 when not known */
	double peak_bytes;     /* upper bound of memory traffic, bytes/s; 0 when not known */
};

#define MXT_BACKEND_TEXT 24
#define MXT_CHECK_RUNS   3 /* of a problem whose results must repeat */

/* How a result compares with the higher-precision reference. Errors are relative to the largest reference element. */
struct mxt_check {
	uint64_t error_ppb;             /* UINT64_MAX for NaN or infinity */
	uint64_t bound_ppb;             /* what the dtype allows */
	uint8_t bits[32];               /* BLAKE3 over all outputs and gradients: equal bits, equal function */
	char backend[MXT_BACKEND_TEXT]; /* what computed it, where the device can tell ("cudnn"); "" else */
	/* MXT_CHECK_RUNS runs gave the same bits; false unless target.deterministic asked for it. */
	bool repeatable;
};

#define MXT_RANKING_TEXT   32
#define MXT_RANKING_REMARK 96

/* No number of a solution: the library's own choice is the best, or its algorithms have no numbers. */
#define MXT_SOLUTION_DEFAULT INT32_MIN

/* How far the algorithm that a library takes by itself is from the fastest of those that it offers for a product. */
struct mxt_ranking {
	char library[MXT_RANKING_TEXT];  /* who offers, and its version: "cuBLASLt 13.1.0" */
	uint32_t offered;                /* how many algorithms it named */
	uint32_t algorithms;             /* how many were compared, the library's own choice among them */
	uint32_t rounds;                 /* how often the best was timed */
	uint64_t default_ns, best_ns;    /* of one call */
	int32_t gain_ppm;                /* time that the best saves, on other rounds than it was chosen on; 0 when none
					    is surely faster than the library's choice, which is the best then */
	uint32_t floor_ppm;              /* what the library's choice and its twin read apart */
	int32_t bound_ppm;               /* what the best surely saves, MXT_BOUND_UNKNOWN_PPM when nobody can tell */
	int32_t solution;                /* the best in the library's own numbering, MXT_SOLUTION_DEFAULT: its choice */
	char remark[MXT_RANKING_REMARK]; /* why one that looked faster could not win; "": there was none */
};

/* One element of a timed sequence: a prepared task, or (task NULL) a filler that streams `bytes` of memory. */
struct mxt_step {
	struct mxt_task *task;
	uint64_t filler_bytes;
};

/*
 * A candidate that a plan can enforce: environment variables that make the stack choose something. `bare` and `yours`
 * are added by the orchestrator and are not in device lists.
 */
struct mxt_candidate {
	char *name;   /* owned; stable across machines: "threads=1", "coretype=Haswell", "blas=blis", "flash" */
	json_t *env;  /* owned: object of strings, what is exported on top of the bare environment */
	char *choice; /* owned: what the decision calls it: gemm.library ("openblas") or attention.backend ("math") */
	/*
	 * NULL: the device computes it by itself. Else the row of the Python worker that does ("fa2", "varlen"): such a
	 * candidate's worker is the Python one, for all problems.
	 */
	const char *provider;
	bool deterministic; /* bit-equal results in repeated runs by construction */
	/*
	 * What it changes is what first calls on new shapes cost, not which kernels run: it is one only where lengths
	 * vary, and has to show that cost.
	 */
	bool first_calls;
	/*
	 * It counts only where the device tells what computes: the stack may ignore what its environment says, and a
	 * difference in time alone would not show that it acts.
	 */
	bool witnessed;
	bool bits_tell; /* other kernels than bare's never agree with them bit for bit: equal results, equal kernels */
	char *ignored;  /* owned: what to say where the stack takes bare's kernels in spite of it; NULL: plain words */
	char *skip;     /* owned: why it cannot be tried here (listed in evidence, never started); NULL: it can */
};

struct mxt_candidate_list {
	struct mxt_candidate *items; /* owned */
	size_t count;
	char *bare_choice; /* owned: what the decision calls the choice that the bare environment makes */
};

void mxt_candidate_list_finish(struct mxt_candidate_list *list);

struct mxt_device_ops {
	const char *name;     /* "cpu": also --device and evidence */
	unsigned max_workers; /* candidates that may be alive together; 0: a surveyor, which computes nothing */
	bool simulated;       /* stands in for hardware: plans say so */
	bool self_test;       /* the provider is the built-in one, not what trains: plans say so */
	bool stop_idle;       /* SIGSTOP every worker but the one at work (idle threads spin) */
	/* Who makes the GPU, as platform.vendor of its plans says it: "nvidia", "amd". NULL: it is no GPU. */
	const char *vendor;
	bool needs_torch;                     /* it is there only where the target names a torch */
	enum mxt_torch_backend torch_backend; /* what that torch must be built for; MXT_TORCH_CPU: any will do */
	uint64_t ramp_ns;                     /* of work until a cold one has its steady clock, at most; 0: at once */
	bool pins;                            /* a plan can make products take the solutions that `rank` names */
	bool float32; /* computes in float32 whatever the workload says; else in the workload's dtype */
	bool scaled;  /* shapes are cut to what the host can do in time; else they are the real ones */

	/*
	 * The device (in the sense of this table) whose worker's facts say what cannot be read from files: they are
	 * given to `inventory`. NULL: none. It is only ever opened and described.
	 */
	const char *surveyor;

	/*
	 * The selector variables that this device's stack reads, sorted, NULL-ended. A plan removes those that it does
	 * not set; a caller that sets any of them races as `yours`.
	 */
	const char *const *selectors;

	/*
	 * What the environment must hold, unless the caller has set it, for results to repeat under
	 * target.deterministic; ended by a row without a name. NULL: nothing.
	 */
	const struct mxt_setting *deterministic;

	/*
	 * Is such a device here at all? -ENODEV (MXT_E_NO_DEVICE) with the reason where nothing looks like it. No
	 * vendor library is loaded; whether it can be used shows when it is opened.
	 */
	int (*detect)(const struct mxt_sysroot *root, struct mxt_error *err);

	/*
	 * May one job have so many of them, as its environment shows them? -ENODEV (MXT_E_GPU_COUNT) with the reason
	 * and the remedy. From files, before anything is started; what only a surveyor can tell is looked at later.
	 */
	int (*count)(const struct mxt_sysroot *root, char *const *environment, int32_t gpus, struct mxt_error *err);

	/* Describes the device without loading vendor libraries. `survey`: the surveyor's facts, or NULL. */
	int (*inventory)(const struct mxt_sysroot *root, const struct mxt_device_target *target, const json_t *survey,
			 struct mxt_inventory *ret_inventory, struct mxt_error *err);

	/*
	 * Challengers of one probe under the caller's environment (contract variables that are set there stay as they
	 * are).
	 */
	int (*candidates)(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
			  enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
			  struct mxt_error *err);

	/* Loads libraries and reads the environment. The target is borrowed until close. */
	int (*open)(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err);
	void (*close)(struct mxt_device *device);

	/*
	 * Witness: what was really loaded and is in force, as canonical-form JSON (library, version, core type,
	 * threads).
	 */
	int (*describe)(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err);

	int (*prepare)(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_task **ret_task,
		       struct mxt_error *err);
	void (*release)(struct mxt_device *device, struct mxt_task *task);

	/* Runs the whole sequence `repeats` times back to back and returns its device time. Rotates operands. */
	int (*time)(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
		    uint64_t *ret_ns, struct mxt_error *err);

	/*
	 * Runs the task once more and compares all of its outputs with the reference; under target.deterministic runs
	 * it again, and compares the bits.
	 */
	int (*check)(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
		     struct mxt_error *err);

	/*
	 * Times the algorithms that the library offers for the task's product, for about `limit_ns` of wall clock.
	 * -ENOTSUP: there is nothing to compare here, or no time for it.
	 */
	int (*rank)(struct mxt_device *device, struct mxt_task *task, uint64_t limit_ns,
		    struct mxt_ranking *ret_ranking, struct mxt_error *err);
};

/* `detect` of what every host can do: 0. */
int mxt_always_here(const struct mxt_sysroot *root, struct mxt_error *err);

/* `count` of devices that have no rule for it: 0. */
int mxt_any_count(const struct mxt_sysroot *root, char *const *environment, int32_t gpus, struct mxt_error *err);

/* `rank` of devices whose library offers no choice: always -ENOTSUP. */
int mxt_no_ranking(struct mxt_device *device, struct mxt_task *task, uint64_t limit_ns, struct mxt_ranking *ret_ranking,
		   struct mxt_error *err);

void mxt_inventory_finish(struct mxt_inventory *inventory);

/* The ordered table, cpu first, ended by NULL; and a look-up by name (NULL when unknown). */
extern const struct mxt_device_ops *const mxt_devices[];
const struct mxt_device_ops *mxt_device_find(const char *name);

#endif
