/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which node this is, from variables of a scheduler: one "NAME=value" a line. The same bytes are read as a list of
 * nodes, and as what the check of imports answered.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "import_check.h"
#include "node_list.h"
#include "nodes.h"
#include "remarks.h"

#define MAX_ITEMS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_nodes(char *text)
{
	char *items[MAX_ITEMS + 1] = {NULL};
	const struct mxt_nodes_request request = {.rank = -1};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_nodes nodes = MXT_NODES_INIT;
	struct mxt_error err = MXT_ERROR_INIT;
	char *rest = NULL;
	size_t count = 0;
	for (char *item = strtok_r(text, "\n", &rest); item && count < MAX_ITEMS; item = strtok_r(NULL, "\n", &rest))
		items[count++] = item;
	if (mxt_nodes_find(items, &request, &remarks, &nodes, &err) < 0) {
		require(err.id == MXT_E_LAUNCH_NODES);
	} else {
		require(nodes.count >= 1 && nodes.rank >= 0 && nodes.rank < nodes.count);
		require((nodes.count > 1) == (nodes.address != NULL) && (nodes.count > 1) == (nodes.port > 0));
		require(!nodes.address || (nodes.address[0] && nodes.address[0] != '-'));
	}
	mxt_nodes_finish(&nodes);
	mxt_remarks_finish(&remarks);
	mxt_error_clear(&err);
}

static void check_list(const char *text)
{
	struct mxt_node_list list = MXT_NODE_LIST_INIT;
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_node_list_parse(text, &list, &err) < 0)
		require(err.id == MXT_E_LAUNCH_NODES);
	else
		require(list.count >= 1 && list.count <= MXT_NODE_LIST_MAX);
	for (size_t i = 0; i < list.count; i++)
		require(list.names[i][0] && strlen(list.names[i]) <= MXT_NODE_NAME_MAX &&
			!strpbrk(list.names[i], "[], "));
	mxt_node_list_finish(&list);
	mxt_error_clear(&err);
}

static void check_answer(const char *text, size_t len)
{
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	mxt_import_check_read("python3", text, len, &remarks);
	for (size_t i = 0; i < remarks.count; i++)
		require(!strpbrk(remarks.items[i].text, "\n\x1b\r"));
	mxt_remarks_finish(&remarks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_list(text);
	check_answer(text, size);
	check_nodes(text);
	free(text);
	return 0;
}
