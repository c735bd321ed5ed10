/* SPDX-License-Identifier: Apache-2.0 */
#include "heuristic_check.h"

#include <errno.h>
#include <stdlib.h>

#include "algorithm_race.h"
#include "clock.h"
#include "error.h"
#include "lt_product.h"
#include "torch_device.h"

#define SOON_NS MXT_NS_PER_S /* below, the library is not asked for all that it has */

/* What a library offers for one product. */
struct offer {
	struct mxt_lt_product product;
	struct mxt_lt_choices choices;
	void *workspace;
	int asked; /* how many it was asked for */
};

int mxt_heuristic_check_open(struct mxt_heuristic_check *check, const struct mxt_lt_dialect *dialect,
			     struct mxt_error *err)
{
	return check->lt.handle ? 0 : mxt_lt_library_open(&check->lt, dialect, err);
}

void mxt_heuristic_check_finish(struct mxt_heuristic_check *check, const struct mxt_device *device)
{
	mxt_contest_workspace_release(&check->workspace, device);
	mxt_lt_library_close(&check->lt);
}

static int run_choice(void *context, size_t algorithm, const struct mxt_gemm_operands *operands, struct mxt_error *err)
{
	const struct offer *offer = context;
	return mxt_lt_product_run(&offer->product, operands, &offer->choices.items[algorithm], offer->workspace, err);
}

static int32_t solution_of(void *context, size_t algorithm)
{
	const struct offer *offer = context;
	return offer->choices.items[algorithm].solution;
}

static struct mxt_lt_choice *find(const struct mxt_lt_choices *choices, int32_t solution)
{
	for (size_t i = 0; i < choices->count; i++)
		if (choices->items[i].solution == solution)
			return &choices->items[i];
	return NULL;
}

/* Asks for `most` algorithms and takes the one with this choice's number, if it is there. */
static int ask_again(const struct offer *offer, int most, struct mxt_lt_choice *choice, bool *ret_found,
		     struct mxt_error *err)
{
	struct mxt_lt_choices again = {.count = 0};
	int rc = mxt_lt_product_choices(&offer->product, most, &again, err);
	if (rc < 0)
		return rc;
	const struct mxt_lt_choice *same = find(&again, choice->solution);
	*ret_found = same != NULL;
	if (same)
		*choice = *same;
	mxt_lt_choices_finish(&again);
	return 0;
}

/*
 * The library's second answer has to name it, too; one without numbers is taken at its first word. As many as lead to
 * it are asked for first: a long list takes long.
 */
static int renew(void *context, size_t algorithm, struct mxt_error *err)
{
	struct offer *offer = context;
	struct mxt_lt_choice *choice = &offer->choices.items[algorithm];
	bool found = choice->solution == MXT_SOLUTION_DEFAULT;
	int rc = found ? 0 : ask_again(offer, (int)algorithm + 1, choice, &found, err);
	if (rc == 0 && !found)
		rc = ask_again(offer, offer->asked, choice, &found, err);
	if (rc < 0 || found)
		return rc;
	return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
			     "solution %d was offered, but is not when asked for again", choice->solution);
}

/* The library's own choice is the answer to who asks for one; a longer list may begin with another. */
static void put_first(struct mxt_lt_choices *choices, const struct mxt_lt_choice *own)
{
	struct mxt_lt_choice *same = find(choices, own->solution);
	if (same)
		*same = choices->items[0];
	choices->items[0] = *own;
}

/*
 * torch's TunableOp leaves a product uncomputed, without a word, where its solution needs all of the workspace or more
 * (ATen/cuda/tunable/GemmHipblaslt.h): such a solution is no use but as the library's own choice, which stands first.
 */
static void drop_greedy(struct mxt_lt_choices *choices, size_t workspace_bytes)
{
	size_t kept = 1;
	for (size_t i = 1; i < choices->count; i++)
		if (choices->items[i].workspace_bytes < workspace_bytes)
			choices->items[kept++] = choices->items[i];
	choices->count = kept;
}

static int ask(struct offer *offer, const struct mxt_lt_dialect *dialect, bool soon, struct mxt_error *err)
{
	struct mxt_lt_choices own = {.count = 0};
	offer->asked = dialect->most_soon && soon ? dialect->most_soon : dialect->most;
	int rc = mxt_lt_product_choices(&offer->product, offer->asked, &offer->choices, err);
	if (rc < 0 || !dialect->result.has_index)
		return rc;
	rc = mxt_lt_product_choices(&offer->product, 1, &own, err);
	if (rc == 0) {
		put_first(&offer->choices, &own.items[0]);
		drop_greedy(&offer->choices, offer->product.workspace_bytes);
	}
	mxt_lt_choices_finish(&own);
	return rc;
}

static int compare(struct mxt_heuristic_check *check, struct mxt_device *device, const struct mxt_task *task,
		   struct offer *offer, uint64_t end_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	bool soon = mxt_now_ns(&mxt_clock_monotonic) + SOON_NS > end_ns;
	int rc = ask(offer, check->lt.dialect, soon, err);
	if (rc == 0) {
		const struct mxt_offer rivals = {.library = check->lt.version,
						 .count = offer->choices.count,
						 .context = offer,
						 .run = run_choice,
						 .solution = solution_of,
						 .renew = renew};
		rc = mxt_algorithm_contest(device, task, &rivals, end_ns, ret_ranking, err);
	}
	mxt_lt_choices_finish(&offer->choices);
	return rc;
}

int mxt_heuristic_check_run(struct mxt_heuristic_check *check, struct mxt_device *device, const struct mxt_task *task,
			    size_t workspace_bytes, uint64_t limit_ns, struct mxt_ranking *ret_ranking,
			    struct mxt_error *err)
{
	uint64_t end_ns = mxt_now_ns(&mxt_clock_monotonic) + limit_ns;
	struct offer offer = {.asked = 0};
	int rc = mxt_contest_accepts(task, err);
	if (rc == 0)
		rc = mxt_contest_workspace_reserve(&check->workspace, device, workspace_bytes, err);
	if (rc < 0)
		return rc;
	const struct mxt_gemm_operands operands = mxt_torch_gemm_next(device, task);
	rc = mxt_lt_product_init(&offer.product, &check->lt, &task->problem.as.gemm, &operands, workspace_bytes, err);
	if (rc < 0)
		return rc;
	offer.workspace = check->workspace.data;
	rc = compare(check, device, task, &offer, end_ns, ret_ranking, err);
	mxt_lt_product_finish(&offer.product);
	return rc;
}
