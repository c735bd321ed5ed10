/* SPDX-License-Identifier: Apache-2.0 */
#include "verify_report.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"

const char *mxt_finding_name(enum mxt_finding_kind kind)
{
	static const char *const names[] = {
	    [MXT_FINDING_MISSING] = "missing",
	    [MXT_FINDING_EXTRA] = "extra",
	    [MXT_FINDING_CONTENT] = "content",
	    [MXT_FINDING_SIZE] = "size",
	    [MXT_FINDING_LINK] = "link",
	    [MXT_FINDING_KIND] = "kind",
	    [MXT_FINDING_UNREADABLE] = "unreadable",
	    [MXT_FINDING_UNSTABLE] = "unstable",
	    [MXT_FINDING_ROOT] = "root",
	};
	return names[kind];
}

static void finding_finish(struct mxt_finding *finding)
{
	free(finding->path);
	free(finding->expected);
	free(finding->found);
}

void mxt_verify_report_finish(struct mxt_verify_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		finding_finish(&report->findings[i]);
	free(report->findings);
	*report = (struct mxt_verify_report)MXT_VERIFY_REPORT_INIT;
}

int mxt_verify_report_add(struct mxt_verify_report *report, enum mxt_finding_kind kind, size_t list, const char *path,
			  const char *expected, const char *found, struct mxt_error *err)
{
	struct mxt_finding *findings =
	    mxt_array_reserve(report->findings, report->count, &report->capacity, sizeof *findings);
	if (!findings)
		return mxt_error_oom(err);
	report->findings = findings;
	struct mxt_finding finding = {.kind = kind, .list = list, .path = strdup(path)};
	finding.expected = expected ? strdup(expected) : NULL;
	finding.found = found ? strdup(found) : NULL;
	if (!finding.path || (expected && !finding.expected) || (found && !finding.found)) {
		finding_finish(&finding);
		return mxt_error_oom(err);
	}
	findings[report->count++] = finding;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct mxt_finding *x = a, *y = b;
	if (x->list != y->list)
		return x->list < y->list ? -1 : 1;
	return strcmp(x->path, y->path);
}

void mxt_verify_report_sort(struct mxt_verify_report *report)
{
	if (report->count > 1)
		qsort(report->findings, report->count, sizeof *report->findings, by_place);
}
