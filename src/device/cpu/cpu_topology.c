/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_topology.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cpu_list.h"
#include "error.h"
#include "host_topology.h"
#include "sysroot.h"

#define MAX_STATUS 65536

/* A variable that hwloc reads, set while it loads; what the caller had comes back. */
struct setting {
	const char *name, *value; /* value NULL: left as it is */
	char *before;             /* owned; NULL when it was not set */
};

static int setting_apply(struct setting *setting)
{
	const char *before = getenv(setting->name);
	setting->before = before ? strdup(before) : NULL;
	if (before && !setting->before)
		return -ENOMEM;
	return setting->value && setenv(setting->name, setting->value, 1) < 0 ? -ENOMEM : 0;
}

static void setting_undo(struct setting *setting)
{
	if (setting->before)
		(void)setenv(setting->name, setting->before, 1);
	else
		(void)unsetenv(setting->name);
	free(setting->before);
}

static void cleanup_topology(hwloc_topology_t *topology)
{
	if (*topology)
		hwloc_topology_destroy(*topology);
}

static void cleanup_bitmap(hwloc_bitmap_t *bitmap)
{
	hwloc_bitmap_free(*bitmap);
}

/* Only what sysfs tells: the x86 component would run on every processor in turn to ask it. */
static int load(hwloc_topology_t *topology)
{
	if (hwloc_topology_init(topology) < 0)
		return -ENOMEM;
	(void)hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	(void)hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	(void)hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	(void)hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
	return hwloc_topology_load(*topology) < 0 ? -errno : 0;
}

static int load_under(const struct mxt_sysroot *root, hwloc_topology_t *topology)
{
	struct setting settings[] = {
	    /* Plugins (OpenCL and the like) would be loaded into this process: their folder is put out of sight. */
	    {"HWLOC_PLUGINS_PATH", "/nonexistent", NULL},
	    {"HWLOC_HIDE_ERRORS", "2", NULL},
	    {"HWLOC_FSROOT", mxt_sysroot_is_live(root) ? NULL : root->prefix, NULL},
	};
	size_t applied = 0;
	int rc = 0;
	while (rc == 0 && applied < MXT_ARRAY_LEN(settings))
		rc = setting_apply(&settings[applied++]);
	if (rc == 0)
		rc = load(topology);
	while (applied > 0)
		setting_undo(&settings[--applied]);
	return rc;
}

/* The value of "Cpus_allowed_list:" in the text of /proc/self/status, cut off there; NULL when it has none. */
static const char *find_allowed(struct mxt_buf *status)
{
	static const char key[] = "\nCpus_allowed_list:";
	char *at = status->len ? strstr(status->data, key) : NULL;
	if (!at)
		return NULL;
	at += sizeof key - 1;
	at += strspn(at, " \t");
	at[strcspn(at, "\n")] = '\0';
	return at;
}

/* The affinity mask, or every processor that is online where it is not told. */
static int read_allowed(const struct mxt_sysroot *root, struct mxt_cpu_list *ret_list)
{
	MXT_CLEANUP_BUF struct mxt_buf status = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf online = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, "/proc/self/status", MAX_STATUS, &status, NULL);
	const char *allowed = rc == 0 ? find_allowed(&status) : NULL;
	if (rc == -ENOMEM || allowed)
		return allowed ? mxt_cpu_list_parse(allowed, ret_list) : rc;
	rc = mxt_sysroot_read(root, "/sys/devices/system/cpu/online", MAX_STATUS, &online, NULL);
	return rc < 0 ? rc : mxt_cpu_list_parse(mxt_buf_text(&online), ret_list);
}

static int bitmap_of(const struct mxt_cpu_list *list, hwloc_bitmap_t bitmap)
{
	for (uint32_t cpu = mxt_cpu_list_next(list, 0); cpu < MXT_CPU_LIST_MAX; cpu = mxt_cpu_list_next(list, cpu + 1))
		if (hwloc_bitmap_set(bitmap, cpu) < 0)
			return -ENOMEM;
	return 0;
}

static uint32_t count_type(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t allowed)
{
	uint32_t count = 0;
	for (hwloc_obj_t obj = hwloc_get_next_obj_by_type(topology, type, NULL); obj;
	     obj = hwloc_get_next_obj_by_type(topology, type, obj))
		count += hwloc_bitmap_intersects(obj->cpuset, allowed) != 0;
	return count;
}

/* Size of one cache of a kind, and of all of them. */
struct cache_size {
	uint64_t one, all;
};

static struct cache_size cache_size(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t allowed)
{
	struct cache_size size = {0, 0};
	for (hwloc_obj_t obj = hwloc_get_next_obj_by_type(topology, type, NULL); obj;
	     obj = hwloc_get_next_obj_by_type(topology, type, obj)) {
		if (!hwloc_bitmap_intersects(obj->cpuset, allowed))
			continue;
		size.one = obj->attr->cache.size;
		size.all += obj->attr->cache.size;
	}
	return size;
}

static void fill_caches(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, struct mxt_cpu_topology *t)
{
	static const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
						  HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE};
	t->l1d_bytes = cache_size(topology, HWLOC_OBJ_L1CACHE, allowed).one;
	t->l2_bytes = cache_size(topology, HWLOC_OBJ_L2CACHE, allowed).one;
	for (size_t i = 0; i < MXT_ARRAY_LEN(levels) && t->llc_bytes == 0; i++)
		t->llc_bytes = cache_size(topology, levels[i], allowed).all;
}

/* cpuinfo_max_freq of the first allowed processor; drivers that leave out the boost are not believed. */
static uint32_t read_max_mhz(const struct mxt_sysroot *root, uint32_t cpu)
{
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf driver = MXT_BUF_INIT;
	mxt_buf_printf(&folder, "/sys/devices/system/cpu/cpu%u/cpufreq/", cpu);
	size_t len = folder.len;
	uint64_t khz = 0;
	mxt_buf_puts(&folder, "scaling_driver");
	if (folder.failed || mxt_sysroot_read(root, folder.data, 64, &driver, NULL) < 0 ||
	    strcmp(mxt_buf_text(&driver), "acpi-cpufreq") == 0)
		return 0;
	mxt_buf_truncate(&folder, len);
	mxt_buf_puts(&folder, "cpuinfo_max_freq");
	if (folder.failed || mxt_sysroot_read_u64(root, folder.data, &khz, NULL) < 0 || khz / 1000 > UINT32_MAX)
		return 0;
	return (uint32_t)(khz / 1000);
}

static int fill_from_hwloc(const struct mxt_sysroot *root, const struct mxt_cpu_list *list, struct mxt_cpu_topology *t)
{
	MXT_CLEANUP(cleanup_topology) hwloc_topology_t topology = NULL;
	MXT_CLEANUP(cleanup_bitmap) hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
	if (!allowed || bitmap_of(list, allowed) < 0)
		return -ENOMEM;
	int rc = load_under(root, &topology);
	if (rc < 0)
		return rc;
	uint32_t cores = count_type(topology, HWLOC_OBJ_CORE, allowed);
	t->cores = cores ? cores : t->cores;
	t->packages = count_type(topology, HWLOC_OBJ_PACKAGE, allowed);
	t->numa_nodes = count_type(topology, HWLOC_OBJ_NUMANODE, allowed);
	fill_caches(topology, allowed, t);
	return 0;
}

/* Where sysfs is not there: as many as the siblings in /proc/cpuinfo leave of so many logical processors. */
static uint32_t cores_of_threads(const struct mxt_sysroot *root, uint32_t threads)
{
	struct mxt_host_topology host;
	if (mxt_host_topology_read(root, &host, NULL) < 0 || !host.cores.reported || !host.threads.reported ||
	    host.cores.value == 0 || host.cores.value > host.threads.value)
		return threads;
	uint64_t cores = threads * host.cores.value / host.threads.value;
	return cores ? (uint32_t)cores : 1;
}

int mxt_cpu_topology_read(const struct mxt_sysroot *root, struct mxt_cpu_topology *ret_topology, struct mxt_error *err)
{
	struct mxt_cpu_list list;
	int rc = read_allowed(root, &list);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	uint32_t threads = rc == 0 ? mxt_cpu_list_count(&list) : 0;
	if (threads == 0)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_PROCESSOR,
				     "%s/proc/self/status and %s/sys/devices/system/cpu/online name no processor",
				     root->prefix, root->prefix);
	struct mxt_cpu_topology t = {.threads = threads, .cores = cores_of_threads(root, threads)};
	t.max_mhz = read_max_mhz(root, mxt_cpu_list_next(&list, 0));
	/* Without it hwloc would describe a machine of its own making. */
	if (mxt_sysroot_exists(root, "/sys/devices/system/cpu/cpu0/topology"))
		rc = fill_from_hwloc(root, &list, &t);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	*ret_topology = t;
	return 0;
}
