/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks a device for the ranking of one product, in this process and its environment:
 *
 *   rank_product DEVICE TORCH_FOLDER LIMIT_MS M N K [bias]
 *
 * Prints a JSON object: the ranking, or what went wrong.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "device_ops.h"
#include "error.h"
#include "number.h"

static int rank(const struct mxt_device_ops *ops, struct mxt_device *device, const struct mxt_problem *problem,
		uint64_t limit_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	struct mxt_task *task = NULL;
	int rc = ops->prepare(device, problem, &task, err);
	if (rc == 0)
		rc = ops->rank(device, task, limit_ns, ret_ranking, err);
	ops->release(device, task);
	return rc;
}

/* Row-major, the right operand transposed, as a linear layer has it. */
static struct mxt_problem problem_of(const int64_t *numbers, bool bias)
{
	return (struct mxt_problem){.kind = MXT_PROBLEM_GEMM,
				    .calls = 1,
				    .share_ppm = 1000000,
				    .as.gemm = {.m = numbers[1],
						.n = numbers[2],
						.k = numbers[3],
						.lda = numbers[3],
						.ldb = numbers[3],
						.ldc = numbers[2],
						.trans_b = true,
						.bias = bias,
						.dtype = MXT_DTYPE_BF16}};
}

static void print(int rc, const struct mxt_ranking *r, const struct mxt_error *err)
{
	json_t *answer =
	    rc < 0 ? json_pack("{s:i, s:i, s:s}", "rc", rc, "error", (int)err->id, "text", mxt_error_text(err))
		   : json_pack("{s:s, s:i, s:i, s:i, s:i, s:I, s:I, s:s}", "library", r->library, "offered",
			       (int)r->offered, "algorithms", (int)r->algorithms, "gain_ppm", (int)r->gain_ppm,
			       "bound_ppm", (int)r->bound_ppm, "solution", (json_int_t)r->solution, "default_ns",
			       (json_int_t)r->default_ns, "remark", r->remark);
	(void)json_dumpf(answer, stdout, JSON_INDENT(2));
	(void)putchar('\n');
	json_decref(answer);
}

int main(int argc, char **argv)
{
	int64_t numbers[4];
	const struct mxt_device_ops *ops = argc >= 7 ? mxt_device_find(argv[1]) : NULL;
	for (int i = 0; ops && i < 4; i++)
		if (mxt_parse_i64_in(argv[3 + i], 1, 1000000, &numbers[i]) < 0)
			ops = NULL;
	if (!ops) {
		(void)fprintf(stderr, "usage: rank_product DEVICE TORCH_FOLDER LIMIT_MS M N K [bias]\n");
		return 2;
	}
	const struct mxt_device_target target = {.torch = argv[2], .probe = "gemm"};
	const struct mxt_problem problem = problem_of(numbers, argc > 7 && strcmp(argv[7], "bias") == 0);
	struct mxt_device *device = NULL;
	struct mxt_ranking ranking = {.algorithms = 0};
	struct mxt_error err = MXT_ERROR_INIT;
	int rc = ops->open(&target, &device, &err);
	if (rc == 0)
		rc = rank(ops, device, &problem, (uint64_t)numbers[0] * MXT_NS_PER_MS, &ranking, &err);
	print(rc, &ranking, &err);
	mxt_error_clear(&err);
	ops->close(device);
	return 0;
}
