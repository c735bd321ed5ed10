/* SPDX-License-Identifier: Apache-2.0 */
#include "provider_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "attention_provider.h"
#include "error.h"
#include "python_packages.h"
#include "session.h"

#define STAND_IN "+standin" /* how the version of a package ends that stands in for one, on hosts, in tests */

/* Who races as an incumbent only: the plainest way to compute, and the Python worker's own torch. */
static bool is_baseline(const char *name)
{
	return strcmp(name, "eager") == 0 || strcmp(name, "sdpa") == 0;
}

static bool is_incumbent(const struct mxt_session *session, const char *name)
{
	bool bare = session->bare_provider && strcmp(session->bare_provider, name) == 0;
	bool yours = session->yours_provider && strcmp(session->yours_provider, name) == 0;
	return bare || (yours && json_object_size(session->yours) == 0);
}

static bool stands_in(const char *version)
{
	size_t len = strlen(version), end = strlen(STAND_IN);
	return len > end && strcmp(version + len - end, STAND_IN) == 0;
}

/* Documents, or a window: what a dispatcher's kernels can only take as a mask over everything. */
static bool has_structure(const struct mxt_problem_set *set)
{
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_problem *problem = &set->problems[i];
		bool attention = problem->kind == MXT_PROBLEM_ATTENTION;
		if (attention && (problem->as.attention.n_documents > 0 || problem->as.attention.window > 0))
			return true;
	}
	return false;
}

/*
 * True where its package is installed. torch's own are there for GPUs, and worth the time that they take to compile, or
 * that everybody else's turn in Python costs, where there is structure to make use of.
 */
static bool is_present(const struct mxt_session *session, const struct mxt_attention_provider *row)
{
	const struct mxt_python_packages *packages = session->request->packages;
	const char *version = *row->package && packages ? mxt_python_package_version(packages, row->package) : NULL;
	bool gpu = session->request->ops->vendor != NULL;
	return *row->package ? version && (gpu || stands_in(version)) : gpu && has_structure(&session->set);
}

static int add(struct mxt_candidate_list *list, const struct mxt_attention_provider *row)
{
	struct mxt_candidate *items = realloc(list->items, (list->count + 1) * sizeof *items);
	if (!items)
		return -1;
	list->items = items;
	struct mxt_candidate *item = &items[list->count++];
	*item = (struct mxt_candidate){.name = strdup(row->name),
				       .env = json_object(),
				       .choice = strdup(row->name),
				       .provider = row->name,
				       .deterministic = row->deterministic};
	return item->name && item->env && item->choice ? 0 : -1;
}

int mxt_provider_candidates(const struct mxt_session *session, struct mxt_candidate_list *list, struct mxt_error *err)
{
	if (!session->request->target.python)
		return 0;
	for (size_t i = 0; i < mxt_attention_provider_count(); i++) {
		const struct mxt_attention_provider *row = mxt_attention_provider_at(i);
		bool wanted = !is_baseline(row->name) && !is_incumbent(session, row->name) && is_present(session, row);
		if (wanted && add(list, row) < 0)
			return mxt_error_oom(err);
	}
	return 0;
}

static int add_version(const struct mxt_python_packages *packages, const char *name, json_t *stack)
{
	const char *version = mxt_python_package_version(packages, name);
	return version ? json_object_set_new(stack, name, json_string(version)) : 0;
}

int mxt_provider_stack(const struct mxt_python_packages *packages, const char *provider, json_t *stack)
{
	const struct mxt_attention_provider *row = provider ? mxt_attention_provider_find(provider) : NULL;
	if (!row || !packages)
		return 0;
	bool compiles = strcmp(row->name, "flex") == 0; /* to kernels of triton's */
	int rc = compiles ? add_version(packages, "triton", stack) : 0;
	return rc == 0 && *row->package ? add_version(packages, row->package, stack) : rc;
}
