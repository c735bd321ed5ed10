/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of processors, memory nodes, PCI devices and process limits, on made-up machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "cpu_list.h"
#include "host_numa.h"
#include "host_pci.h"
#include "host_topology.h"
#include "meminfo.h"
#include "process_limits.h"
#include "scratch_tree.h"

static void expect_reading(struct mxt_reading reading, uint64_t value)
{
	assert_true(reading.reported);
	assert_int_equal(reading.value, value);
}

static void test_cpu_list(void **state)
{
	(void)state;
	struct mxt_cpu_list list;
	assert_int_equal(mxt_cpu_list_parse("0-3,8,10-11", &list), 0);
	assert_int_equal(mxt_cpu_list_count(&list), 7);
	assert_true(mxt_cpu_list_has(&list, 8));
	assert_false(mxt_cpu_list_has(&list, 9));
	assert_false(mxt_cpu_list_has(&list, UINT32_MAX));
	assert_int_equal(mxt_cpu_list_next(&list, 4), 8);
	assert_int_equal(mxt_cpu_list_next(&list, 12), MXT_CPU_LIST_MAX);
	assert_int_equal(mxt_cpu_list_parse("", &list), 0);
	assert_int_equal(mxt_cpu_list_count(&list), 0);
	assert_int_equal(mxt_cpu_list_parse("0-8191", &list), 0);
	assert_int_equal(mxt_cpu_list_count(&list), 8192);
}

static void test_cpu_list_refuses(void **state)
{
	(void)state;
	static const char *const bad[] = {"3-1",
					  "8192",
					  "0-8192",
					  "-1",
					  "1,,2",
					  "1-",
					  "a",
					  "0 1",
					  ",1",
					  "1-2-3",
					  "18446744073709551616",
					  "0-18446744073709551615"};
	struct mxt_cpu_list list = {{42}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(mxt_cpu_list_parse(bad[i], &list), -EINVAL);
	assert_int_equal(list.words[0], 42); /* untouched */
}

static void test_meminfo(void **state)
{
	(void)state;
	static const char text[] =
	    "MemTotal:       24684092 kB\nSwapTotal:             0 kB\nHugePages_Total:       7\n"
	    "Broken: kB\nHuge: 18446744073709551615 kB\nOver: 99999999999999999999\nNoEnd: 5";
	expect_reading(mxt_meminfo_find(text, "MemTotal"), UINT64_C(24684092) * 1024);
	expect_reading(mxt_meminfo_find(text, "SwapTotal"), 0);
	expect_reading(mxt_meminfo_find(text, "HugePages_Total"), 7);
	expect_reading(mxt_meminfo_find(text, "NoEnd"), 5);
	assert_false(mxt_meminfo_find(text, "MemFree").reported);
	assert_false(mxt_meminfo_find(text, "Mem").reported);
	assert_false(mxt_meminfo_find(text, "Broken").reported);
	assert_false(mxt_meminfo_find(text, "Huge").reported);
	assert_false(mxt_meminfo_find(text, "Over").reported);
	assert_false(mxt_meminfo_find("", "MemTotal").reported);
	expect_reading(mxt_meminfo_find("\nNode 12 MemTotal:  1 kB\nNode 12 MemFree: 2 kB", "MemFree"), 2048);
}

static void test_process_limits(void **state)
{
	(void)state;
	static const char text[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
				   "Max open files            1024                 unlimited            files     \n"
				   "Max open filesystems      7                    7                    files     \n"
				   "Max locked memory         garbage              8388608              bytes     \n";
	struct mxt_process_limit files = mxt_process_limit_find(text, "Max open files");
	expect_reading(files.soft, 1024);
	expect_reading(files.hard, MXT_LIMIT_UNLIMITED);
	assert_false(mxt_process_limit_find(text, "Max locked memory").soft.reported);
	assert_false(mxt_process_limit_find(text, "Max processes").soft.reported);
	assert_false(mxt_process_limit_find("Max processes", "Max processes").soft.reported);
}

static void test_topology_of_cpuinfo(void **state)
{
	(void)state;
	/* Two sockets of two cores, the first socket with two threads each. */
	static const char text[] = "processor\t: 0\nphysical id\t: 0\ncore id\t\t: 0\nflags\t: fpu hypervisor sse\n\n"
				   "processor\t: 1\nphysical id\t: 0\ncore id\t\t: 1\n\n"
				   "processor\t: 2\nphysical id\t: 0\ncore id\t\t: 0\n\n"
				   "processor\t: 3\nphysical id\t: 0\ncore id\t\t: 1\n\n"
				   "processor\t: 4\nphysical id\t: 1\ncore id\t\t: 0\n\n"
				   "processor\t: 5\nphysical id\t: 1\ncore id\t\t: 1\n";
	struct mxt_host_topology topology;
	assert_int_equal(mxt_host_topology_parse(text, &topology), 0);
	expect_reading(topology.threads, 6);
	expect_reading(topology.cores, 4);
	expect_reading(topology.sockets, 2);
	expect_reading(topology.guest, 1);
}

static void test_topology_incomplete(void **state)
{
	(void)state;
	struct mxt_host_topology topology;
	assert_int_equal(mxt_host_topology_parse("processor: 0\nphysical id: 0\ncore id: 0\nflags: hypervisors\n\n"
						 "processor: 1\nphysical id: 0\n",
						 &topology),
			 0);
	expect_reading(topology.threads, 2);
	expect_reading(topology.guest, 0);
	assert_false(topology.cores.reported);
	assert_false(topology.sockets.reported);
	assert_int_equal(mxt_host_topology_parse("nothing of the kind", &topology), 0);
	assert_false(topology.threads.reported);
	assert_false(topology.guest.reported);
}

static void test_topology_of_folders(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n\nprocessor\t: 2\n");
	scratch_tree_write(tree, "/sys/devices/system/cpu/online", "0,2\n");
	scratch_tree_write(tree, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
	scratch_tree_write(tree, "/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
	scratch_tree_write(tree, "/sys/devices/system/cpu/cpu2/topology/physical_package_id", "36\n");
	struct mxt_host_topology topology;
	assert_int_equal(mxt_host_topology_read(&tree->root, &topology, NULL), 0);
	expect_reading(topology.threads, 2);
	assert_false(topology.cores.reported); /* processor 2 does not tell its core */
	scratch_tree_write(tree, "/sys/devices/system/cpu/cpu2/topology/core_id", "1\n");
	assert_int_equal(mxt_host_topology_read(&tree->root, &topology, NULL), 0);
	expect_reading(topology.cores, 2);
	expect_reading(topology.sockets, 2);
	assert_false(topology.guest.reported);
}

static void test_nothing_there(void **state)
{
	struct scratch_tree *tree = *state;
	struct mxt_host_topology topology;
	struct mxt_host_numa numa;
	struct mxt_pci_gpus gpus;
	assert_int_equal(mxt_host_topology_read(&tree->root, &topology, NULL), 0);
	assert_false(topology.threads.reported);
	assert_int_equal(mxt_host_numa_read(&tree->root, &numa, NULL), 0);
	assert_int_equal(numa.n_nodes, 0);
	assert_false(numa.balancing.reported);
	mxt_host_numa_finish(&numa);
	assert_int_equal(mxt_pci_gpus_read(&tree->root, &gpus, NULL), 0);
	assert_false(gpus.reported);
	assert_int_equal(gpus.count[MXT_GPU_NVIDIA] + gpus.count[MXT_GPU_AMD], 0);
}

static void test_numa(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/proc/sys/kernel/numa_balancing", "1\n");
	scratch_tree_write(tree, "/sys/devices/system/node/online", "0,3\n");
	scratch_tree_write(tree, "/sys/devices/system/node/node0/cpulist", "0-7,16-23\n");
	scratch_tree_write(tree, "/sys/devices/system/node/node0/meminfo",
			   "\nNode 0 MemTotal:       1024 kB\nNode 0 MemFree:        512 kB\n");
	struct mxt_host_numa numa;
	assert_int_equal(mxt_host_numa_read(&tree->root, &numa, NULL), 0);
	expect_reading(numa.balancing, 1);
	assert_int_equal(numa.n_nodes, 2);
	assert_int_equal(numa.nodes[0].id, 0);
	expect_reading(numa.nodes[0].processors, 16);
	expect_reading(numa.nodes[0].total_bytes, 1 << 20);
	expect_reading(numa.nodes[0].free_bytes, 512 << 10);
	assert_int_equal(numa.nodes[1].id, 3);
	assert_false(numa.nodes[1].processors.reported);
	assert_false(numa.nodes[1].total_bytes.reported);
	mxt_host_numa_finish(&numa);
}

static void add_device(struct scratch_tree *tree, const char *slot, const char *class, const char *vendor)
{
	char path[128];
	(void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/class", slot);
	scratch_tree_write(tree, path, class);
	(void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", slot);
	scratch_tree_write(tree, path, vendor);
}

static void test_gpus(void **state)
{
	struct scratch_tree *tree = *state;
	add_device(tree, "0000:01:00.0", "0x030200\n", "0x10de\n"); /* H100: 3D controller */
	add_device(tree, "0000:02:00.0", "0x120000\n", "0x1002\n"); /* MI300X: processing accelerator */
	add_device(tree, "0000:03:00.0", "0x120000\n", "0x1002\n");
	add_device(tree, "0000:04:00.0", "0x030000\n", "0x1a03\n"); /* the board's own display */
	add_device(tree, "0000:05:00.0", "0x040300\n", "0x10de\n"); /* sound */
	add_device(tree, "0000:06:00.0", "garbage\n", "0x10de\n");
	struct mxt_pci_gpus gpus;
	assert_int_equal(mxt_pci_gpus_read(&tree->root, &gpus, NULL), 0);
	assert_true(gpus.reported);
	assert_int_equal(gpus.count[MXT_GPU_NVIDIA], 1);
	assert_int_equal(gpus.count[MXT_GPU_AMD], 2);
	assert_string_equal(mxt_gpu_vendor_name(MXT_GPU_AMD), "AMD");
}

#define IN_TREE(name) cmocka_unit_test_setup_teardown(name, scratch_tree_set_up, scratch_tree_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cpu_list),
	    cmocka_unit_test(test_cpu_list_refuses),
	    cmocka_unit_test(test_meminfo),
	    cmocka_unit_test(test_process_limits),
	    cmocka_unit_test(test_topology_of_cpuinfo),
	    cmocka_unit_test(test_topology_incomplete),
	    IN_TREE(test_topology_of_folders),
	    IN_TREE(test_nothing_there),
	    IN_TREE(test_numa),
	    IN_TREE(test_gpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
