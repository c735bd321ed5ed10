/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, and the nodes that it belongs to. */
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "checks.h"
#include "compiler.h"
#include "error.h"
#include "host_numa.h"
#include "machine_file.h"
#include "meminfo.h"
#include "size_text.h"
#include "survey.h"

struct amounts {
	struct mxt_reading total, available, swap_total, swap_free;
	struct mxt_reading huge_count, huge_free, huge_size;
};

static struct amounts parse_amounts(const char *meminfo)
{
	return (struct amounts){
	    .total = mxt_meminfo_find(meminfo, "MemTotal"),
	    .available = mxt_meminfo_find(meminfo, "MemAvailable"),
	    .swap_total = mxt_meminfo_find(meminfo, "SwapTotal"),
	    .swap_free = mxt_meminfo_find(meminfo, "SwapFree"),
	    .huge_count = mxt_meminfo_find(meminfo, "HugePages_Total"),
	    .huge_free = mxt_meminfo_find(meminfo, "HugePages_Free"),
	    .huge_size = mxt_meminfo_find(meminfo, "Hugepagesize"),
	};
}

static void find_available(const struct amounts *memory, struct mxt_check_result *result)
{
	char total[MXT_SIZE_TEXT], available[MXT_SIZE_TEXT];
	mxt_fact_number(result, "total_bytes", memory->total);
	mxt_fact_number(result, "available_bytes", memory->available);
	if (!memory->total.reported) {
		mxt_find(result, MXT_CHECK_WARN, "memory: not reported");
		mxt_wrong(result,
			  "/proc/meminfo is missing or tells no total: problems cannot be scaled to the machine");
		mxt_todo(result, "mount /proc in this container or sandbox");
		return;
	}
	bool scarce = memory->available.reported &&
		      (memory->available.value < MXT_GIB || memory->available.value < memory->total.value / 10);
	mxt_find(result, scarce ? MXT_CHECK_WARN : MXT_CHECK_OK, "%s, %s available",
		 mxt_size_text(total, memory->total.value),
		 memory->available.reported ? mxt_size_text(available, memory->available.value)
					    : "not reported how much");
	if (!scarce)
		return;
	mxt_wrong(result, "little is left: a measurement may swap or be killed");
	mxt_todo(result, "end what uses it (ps aux --sort=-rss | head), then measure");
}

static void find_swap(const struct amounts *memory, struct mxt_check_result *result)
{
	char used_text[MXT_SIZE_TEXT];
	mxt_fact_number(result, "swap_total_bytes", memory->swap_total);
	bool known = memory->swap_total.reported && memory->swap_free.reported &&
		     memory->swap_free.value <= memory->swap_total.value;
	uint64_t used = known ? memory->swap_total.value - memory->swap_free.value : 0;
	mxt_fact_number(result, "swap_used_bytes", (struct mxt_reading){used, known});
	if (used < 64 * MXT_MIB)
		return;
	mxt_find(result, used >= MXT_GIB ? MXT_CHECK_WARN : MXT_CHECK_NOTE, "%s of swap in use",
		 mxt_size_text(used_text, used));
	mxt_wrong(result, "memory was short since boot; pages that come back from disk make times noisy");
	mxt_todo(result, "end what uses memory; with enough of it available: swapoff -a && swapon -a, as root");
}

static void find_huge_pages(const struct mxt_survey *survey, const struct amounts *memory,
			    struct mxt_check_result *result)
{
	char size[MXT_SIZE_TEXT];
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	const char *thp =
	    mxt_machine_text(survey->root, "/sys/kernel/mm/transparent_hugepage/enabled", &buf, &result->failed);
	bool never = strstr(thp, "[never]") != NULL;
	mxt_fact_text(result, "transparent_hugepage",
		      never                      ? "never"
		      : strstr(thp, "[madvise]") ? "madvise"
		      : strstr(thp, "[always]")  ? "always"
						 : "");
	bool known = memory->huge_count.reported && memory->huge_size.reported && memory->huge_size.value &&
		     memory->huge_count.value <= UINT64_MAX / memory->huge_size.value;
	uint64_t reserved = known ? memory->huge_count.value * memory->huge_size.value : 0;
	mxt_fact_number(result, "hugepages_reserved_bytes", (struct mxt_reading){reserved, known});
	mxt_fact_number(result, "hugepages_free", memory->huge_free);
	if (reserved && mxt_reading_is(memory->huge_free, memory->huge_count.value)) {
		mxt_find(result, MXT_CHECK_NOTE, "%s reserved as huge pages, none of them in use",
			 mxt_size_text(size, reserved));
		mxt_wrong(result, "nothing else can use that memory; training does not ask for such pages by itself");
		mxt_todo(result, "as root, if nobody needs them: sysctl vm.nr_hugepages=0");
	}
	if (never) {
		mxt_find(result, MXT_CHECK_NOTE, "transparent huge pages are off");
		mxt_wrong(result, "large matrices lie on 4 KiB pages: more TLB misses");
		mxt_todo(result, "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
	}
}

static void find_overcommit(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	struct mxt_reading overcommit =
	    mxt_machine_number(survey->root, "/proc/sys/vm/overcommit_memory", &result->failed);
	mxt_fact_number(result, "overcommit_memory", overcommit);
	if (!mxt_reading_is(overcommit, 2))
		return;
	mxt_find(result, MXT_CHECK_WARN, "vm.overcommit_memory is 2");
	mxt_wrong(result, "GPU runtimes and loaders reserve far more address space than they use, and fail under it");
	mxt_todo(result, "as root: sysctl vm.overcommit_memory=0");
}

void mxt_check_memory(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	MXT_CLEANUP_BUF struct mxt_buf meminfo = MXT_BUF_INIT;
	struct amounts memory =
	    parse_amounts(mxt_machine_text(survey->root, "/proc/meminfo", &meminfo, &result->failed));
	find_available(&memory, result);
	find_swap(&memory, result);
	find_huge_pages(survey, &memory, result);
	find_overcommit(survey, result);
}

static int set_reading(json_t *object, const char *key, struct mxt_reading reading)
{
	if (!reading.reported || reading.value > INT64_MAX / 1024)
		return 0;
	return json_object_set_new(object, key, json_integer((json_int_t)reading.value));
}

/* Keys that a node does not report are left out of its object. */
static json_t *nodes_json(const struct mxt_host_numa *numa)
{
	json_t *nodes = json_array();
	for (size_t i = 0; i < numa->n_nodes; i++) {
		const struct mxt_numa_node *node = &numa->nodes[i];
		json_t *object = json_pack("{s:I}", "id", (json_int_t)node->id);
		if (set_reading(object, "threads", node->processors) < 0 ||
		    set_reading(object, "total_bytes", node->total_bytes) < 0 || json_array_append(nodes, object) < 0) {
			json_decref(nodes);
			nodes = NULL;
		}
		json_decref(object);
	}
	return nodes;
}

static void append_node(struct mxt_buf *text, const struct mxt_numa_node *node)
{
	char size[MXT_SIZE_TEXT];
	mxt_buf_printf(text, "%s%" PRIu32 ":", text->len ? "; " : "", node->id);
	if (node->processors.reported)
		mxt_buf_printf(text, " %" PRIu64 " threads,", node->processors.value);
	mxt_buf_printf(text, " %s",
		       node->total_bytes.reported ? mxt_size_text(size, node->total_bytes.value) : "size not reported");
}

static void find_nodes(const struct mxt_host_numa *numa, struct mxt_check_result *result)
{
	enum { SHOWN = 8 };
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	for (size_t i = 0; i < numa->n_nodes && i < SHOWN; i++)
		append_node(&text, &numa->nodes[i]);
	result->failed = result->failed || text.failed;
	mxt_find(result, MXT_CHECK_OK, "%zu node%s (%s%s)", numa->n_nodes, numa->n_nodes == 1 ? "" : "s",
		 mxt_buf_text(&text), numa->n_nodes > SHOWN ? "; ..." : "");
	for (size_t i = 0; i < numa->n_nodes; i++) {
		const struct mxt_numa_node *node = &numa->nodes[i];
		if (!mxt_reading_is(node->total_bytes, 0) || mxt_reading_is(node->processors, 0))
			continue;
		mxt_find(result, MXT_CHECK_WARN, "node %" PRIu32 " has processors but no memory", node->id);
		mxt_wrong(result, "everything that its threads touch is far away");
		mxt_todo(result, "fill its memory channels, or keep threads off it: numactl --cpunodebind=...");
	}
}

static void find_balancing(const struct mxt_survey *survey, const struct mxt_host_numa *numa,
			   struct mxt_check_result *result)
{
	mxt_fact_number(result, "balancing", numa->balancing);
	bool matters = numa->n_nodes > 1 || mxt_survey_has_gpu(survey);
	if (!numa->balancing.reported || numa->balancing.value == 0 || !matters)
		return;
	mxt_find(result, MXT_CHECK_NOTE, "kernel.numa_balancing is %" PRIu64, numa->balancing.value);
	mxt_wrong(result, "the kernel unmaps pages to see who uses them; %s",
		  mxt_survey_has_gpu(survey) ? "GPU hosts should have it off: it stalls copies and kernel launches"
					     : "times become noisy");
	mxt_todo(result, "as root: sysctl kernel.numa_balancing=0");
}

void mxt_check_numa(const struct mxt_survey *survey, struct mxt_check_result *result)
{
	struct mxt_host_numa numa;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_host_numa_read(survey->root, &numa, &err) < 0) {
		result->failed = true;
		return;
	}
	if (numa.n_nodes) {
		mxt_fact_json(result, "nodes", nodes_json(&numa));
		find_nodes(&numa, result);
	} else {
		mxt_fact_text(result, "nodes", NULL);
		mxt_find(result, MXT_CHECK_OK, "nodes: not reported; the machine is treated as one");
	}
	find_balancing(survey, &numa, result);
	mxt_host_numa_finish(&numa);
}
