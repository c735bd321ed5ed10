/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_passes.h"

#include <math.h>
#include <string.h>

#include "lengths.h"
#include "workload_packs.h"

#define MOST_PASSES 1e15 /* beyond what any plan can hold, far inside 63 bits */

static int64_t devices(const struct mxt_workload *workload)
{
	return workload->training.gpus * (int64_t)workload->training.nodes;
}

/* Documents that are trained on; what is held back is rounded up, as sklearn and datasets split. */
static int64_t trained_documents(const struct mxt_workload *workload)
{
	int64_t all = workload->lengths.documents;
	double held = workload->schedule.validation;
	if (held < 1)
		held = ceil(held * (double)all);
	return held < (double)all ? all - (int64_t)held : 0;
}

static int packed_epoch(const struct mxt_workload *workload, double *ret_passes, struct mxt_error *err)
{
	struct mxt_pack pack;
	struct mxt_pack_room room = mxt_workload_pack_room(workload);
	int rc = mxt_workload_pack(workload, 0, &pack, err);
	if (rc < 0)
		return rc;
	double tokens = mxt_lengths_mean(&workload->lengths) * (double)trained_documents(workload);
	double packs = tokens / (room.capacity * pack.efficiency);
	*ret_passes = floor(packs / room.packs / (double)devices(workload));
	return 0;
}

static int epoch_passes(const struct mxt_workload *workload, double *ret_passes, struct mxt_error *err)
{
	if (workload->training.packing)
		return packed_epoch(workload, ret_passes, err);
	double batches = ceil((double)trained_documents(workload) / workload->training.micro_batch);
	*ret_passes = ceil(batches / (double)devices(workload));
	return 0;
}

static void set_passes(struct mxt_lengths *lengths, double passes, const char *source)
{
	lengths->passes = passes < 1 ? 1 : passes > MOST_PASSES ? (int64_t)MOST_PASSES : (int64_t)llround(passes);
	lengths->passes_source = source;
}

static bool is_flag(const char *source)
{
	return source && strcmp(source, "flags") == 0;
}

int mxt_workload_count_passes(struct mxt_workload *workload, struct mxt_error *err)
{
	const struct mxt_schedule *s = &workload->schedule;
	struct mxt_lengths *lengths = &workload->lengths;
	double epoch = 0;
	if (lengths->passes > 0 && is_flag(lengths->passes_source))
		return 0;
	lengths->passes = 0;
	lengths->passes_source = NULL;
	if (s->max_steps > 0) {
		set_passes(lengths, (double)s->max_steps * (s->accumulation > 0 ? s->accumulation : 1), "config");
		return 0;
	}
	if (!(s->epochs > 0) || trained_documents(workload) == 0 || lengths->n_samples == 0)
		return 0;
	int rc = epoch_passes(workload, &epoch, err);
	if (rc == 0)
		set_passes(lengths, epoch * s->epochs, lengths->source);
	return rc;
}

struct mxt_drawing mxt_workload_drawing(const struct mxt_workload *workload)
{
	return (struct mxt_drawing){.documents = trained_documents(workload),
				    .micro_batch = workload->training.micro_batch,
				    .multiple = workload->schedule.multiple > 0 ? workload->schedule.multiple : 1,
				    .grouped = workload->schedule.grouped,
				    .devices = devices(workload),
				    .passes = workload->lengths.passes};
}
