/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan says of an NVIDIA GPU and of the torch that computes on it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cuda_inventory.h"
#include "device_ops.h"
#include "error.h"
#include "json.h"
#include "scratch_tree.h"

#define GPU                                                                                                            \
	"\"ordinal\":0,\"name\":\"NVIDIA H200\",\"compute_capability\":\"9.0\",\"sm_count\":132,\"max_sm_mhz\":1980,"  \
	"\"l2_bytes\":62914560,\"memory_bytes\":150754820096"

static json_t *parse(const char *text)
{
	json_t *facts = NULL;
	assert_int_equal(mxt_json_parse("facts", text, strlen(text), MXT_JSON_CANONICAL, &facts, NULL), 0);
	return facts;
}

static const char *text_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* A torch's files, and the folder of its package. */
static char *make_torch(struct scratch_tree *tree)
{
	scratch_tree_make(tree);
	scratch_tree_write(tree, "/site/torch/version.py",
			   "__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n");
	scratch_tree_write(tree, "/site/nvidia_cudnn_cu13-9.19.0.56.dist-info/METADATA", "");
	scratch_tree_write(tree, "/site/nvidia_cublas-13.1.0.3.dist-info/METADATA", "");
	return mxt_scratch_path(tree->path, "site/torch");
}

static int look(const char *facts, struct mxt_inventory *inventory, struct mxt_error *err)
{
	struct scratch_tree tree = {.path = ""};
	char *torch = make_torch(&tree);
	const struct mxt_device_target target = {.torch = torch};
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	MXT_CLEANUP_JSON json_t *survey = parse(facts);
	int rc = mxt_cuda_inventory(&live, &target, survey, inventory, err);
	free(torch);
	scratch_tree_remove(&tree);
	return rc;
}

static void test_what_a_plan_holds(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	assert_int_equal(look("{\"driver\":\"580.1\",\"devices\":[{" GPU "},7]}", &inventory, NULL), 0);
	assert_string_equal(text_at(inventory.platform, "vendor"), "nvidia");
	assert_string_equal(text_at(inventory.platform, "arch"), "sm_90");
	assert_null(json_object_get(inventory.platform, "partition"));
	assert_string_equal(text_at(inventory.stack, "torch"), "2.11.0+cu130");
	assert_string_equal(text_at(inventory.stack, "cudnn"), "9.19.0.56");
	assert_string_equal(text_at(inventory.stack, "cublas"), "13.1.0.3");
	assert_true(inventory.peak_flops > 1e15);
	mxt_inventory_finish(&inventory);
}

/* Evidence, not platform or stack: a plan does not depend on it. */
static void test_only_the_card_in_use_is_told_of(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	assert_int_equal(look("{\"driver\":\"580.1\",\"devices\":[{" GPU "},{\"fault\":\"lost\"}]}", &inventory, NULL),
			 0);
	assert_string_equal(text_at(json_array_get(inventory.devices, 0), "driver"), "580.1");
	assert_int_equal(json_array_size(inventory.devices), 1);
	assert_null(json_object_get(inventory.stack, "driver"));
	mxt_inventory_finish(&inventory);
	assert_int_equal(look("{\"devices\":[{" GPU "}]}", &inventory, NULL), 0);
	assert_null(json_object_get(json_array_get(inventory.devices, 0), "driver"));
	assert_int_equal(json_array_size(inventory.notes), 0);
	assert_false(inventory.one_process);
	assert_null(inventory.lock);
	mxt_inventory_finish(&inventory);
}

/* Who else computes there disturbs, and is told of; by what name is not for those who read the plan. */
static void test_what_disturbs(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	assert_int_equal(look("{\"devices\":[{\"compute_mode\":\"exclusive_process\",\"pci\":\"00000000:1B:00.0\","
			      "\"memory_used_bytes\":754820096,"
			      "\"processes\":[{\"pid\":7,\"name\":\"secret\"}]," GPU "}]}",
			      &inventory, NULL),
			 0);
	assert_int_equal(json_array_size(inventory.notes), 2);
	assert_null(json_object_get(json_array_get(inventory.devices, 0), "processes"));
	assert_true(inventory.one_process);
	assert_string_equal(inventory.lock, "/sys/bus/pci/devices/0000:1b:00.0/vendor");
	assert_int_equal(inventory.memory_bytes, 150000000000);
	mxt_inventory_finish(&inventory);
	/* Where too many compute there, only their number is told. */
	assert_int_equal(look("{\"devices\":[{\"process_count\":70," GPU "}]}", &inventory, NULL), 0);
	assert_non_null(strstr(json_string_value(json_array_get(inventory.notes, 0)), "70 other processes"));
	mxt_inventory_finish(&inventory);
	struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(look("{\"devices\":[{\"compute_mode\":\"prohibited\"," GPU "}]}", &inventory, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
	mxt_error_clear(&err);
}

/* What is no address of the kernel's is no part of a path. */
static void test_odd_addresses(void **state)
{
	(void)state;
	static const char *const addresses[] = {
	    "", "1B:00.0", "00010000:1B:00.0", "0000:1B:00.0/", "../../../../etc", "0000:1G:00.0", "0000.1B.00.0"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(addresses); i++) {
		struct mxt_inventory inventory;
		char text[512];
		(void)snprintf(text, sizeof text, "{\"devices\":[{\"pci\":\"%s\"," GPU "}]}", addresses[i]);
		assert_int_equal(look(text, &inventory, NULL), 0);
		assert_null(inventory.lock);
		mxt_inventory_finish(&inventory);
	}
}

static void test_a_slice_is_another_platform(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	assert_int_equal(look("{\"devices\":[{\"mig\":\"slice\"," GPU "}]}", &inventory, NULL), 0);
	assert_string_equal(text_at(inventory.platform, "partition"), "mig");
	mxt_inventory_finish(&inventory);
}

static void test_no_gpu(void **state)
{
	(void)state;
	struct mxt_inventory inventory;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(look("{\"devices\":[]}", &inventory, &err), -ENODEV);
	assert_int_equal(err.id, MXT_E_NO_DEVICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_a_plan_holds),
	    cmocka_unit_test(test_only_the_card_in_use_is_told_of),
	    cmocka_unit_test(test_what_disturbs),
	    cmocka_unit_test(test_odd_addresses),
	    cmocka_unit_test(test_a_slice_is_another_platform),
	    cmocka_unit_test(test_no_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
