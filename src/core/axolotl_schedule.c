/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_schedule.h"

#include <math.h>
#include <string.h>

#include "error.h"
#include "workload_build.h"
#include "yaml_tree.h"

#define PREPARED_FOLDER "last_run_prepared" /* Axolotl's, relative to where it is started */
#define MOST_EPOCHS     1e6
#define MOST_HELD_BACK  1e12

/* Left alone when the key is absent or empty. */
static int read_real(const struct mxt_axolotl_map *map, const char *key, double max, double *ret_value)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, key);
	struct mxt_yaml_value value;
	double real = -1;
	if (!node)
		return 0;
	if (node->value.kind == MXT_YAML_INT)
		real = (double)node->value.integer;
	else if (node->value.kind == MXT_YAML_FLOAT)
		real = node->value.real;
	else if (node->value.kind == MXT_YAML_STRING && mxt_yaml_scalar_float(node->text, node->len, &value) == 0)
		real = value.real;
	if (!(real >= 0 && real <= max))
		return mxt_axolotl_refuse(map, key, node, "a number that is not negative");
	*ret_value = real;
	return 0;
}

static int read_length_of_run(const struct mxt_axolotl_map *map, struct mxt_schedule *s, int32_t micro_batch)
{
	int32_t steps = 0, batch = 0;
	int rc = read_real(map, "num_epochs", MOST_EPOCHS, &s->epochs);
	if (rc == 0)
		rc = read_real(map, "val_set_size", MOST_HELD_BACK, &s->validation);
	if (rc == 0)
		rc = mxt_axolotl_int(map, "max_steps", INT32_MIN, INT32_MAX, &steps);
	if (rc == 0)
		rc = mxt_axolotl_int(map, "batch_size", 1, MXT_MAX_MICRO_BATCH, &batch);
	if (rc == 0 && batch >= micro_batch)
		s->accumulation = batch / micro_batch;
	if (rc == 0)
		rc = mxt_axolotl_int(map, "gradient_accumulation_steps", 1, MXT_MAX_MICRO_BATCH, &s->accumulation);
	s->max_steps = steps > 0 ? steps : 0;
	return rc;
}

/* Unset, pad_to_sequence_len pads to a multiple; false, to the longest. A packed job pads unless it is told not to. */
static int read_padding(const struct mxt_axolotl_map *map, struct mxt_schedule *s)
{
	bool given = mxt_axolotl_get(map, "pad_to_sequence_len") != NULL, padded = false;
	int rc = mxt_axolotl_bool(map, "pad_to_sequence_len", &padded);
	if (rc == 0 && !given)
		s->multiple = 64;
	if (rc == 0 && !given)
		rc = mxt_axolotl_int(map, "pad_to_multiple_of", 1, MXT_MAX_SEQ_LEN, &s->multiple);
	s->open_packs = given && !padded;
	return rc < 0 ? rc : mxt_axolotl_bool(map, "group_by_length", &s->grouped);
}

static int read_packs(const struct mxt_axolotl_map *map, struct mxt_schedule *s)
{
	bool rows = false;
	int rc = mxt_axolotl_int(map, "sample_packing_bin_size", 1, INT32_MAX, &s->pack_documents);
	if (rc == 0)
		rc = mxt_axolotl_bool(map, "multipack_real_batches", &rows);
	if (rc == 0 && mxt_axolotl_get(map, "multipack_real_batches"))
		s->packs = rows ? MXT_PACKS_ROWS : MXT_PACKS_BATCH;
	return rc;
}

static int read_dataset(const struct mxt_axolotl_map *map, struct mxt_schedule *s)
{
	const char *folder = PREPARED_FOLDER;
	int rc = mxt_axolotl_is_set(map, "dataset_prepared_path")
		     ? mxt_axolotl_text(map, "dataset_prepared_path", &folder)
		     : 0;
	if (rc < 0)
		return rc;
	s->dataset = strdup(folder);
	return s->dataset ? 0 : mxt_error_oom(map->err);
}

int mxt_axolotl_schedule(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	struct mxt_schedule *s = &workload->schedule;
	*s = (struct mxt_schedule){.epochs = 1, .accumulation = 1, .pack_documents = 200};
	int rc = read_length_of_run(map, s, workload->training.micro_batch);
	if (rc == 0)
		rc = read_padding(map, s);
	if (rc == 0)
		rc = read_packs(map, s);
	return rc < 0 ? rc : read_dataset(map, s);
}
