/* SPDX-License-Identifier: Apache-2.0 */
#include "nvml_machine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

json_t *mxt_sim_machine_read(void)
{
	const char *path = getenv("MXT_SIM_MACHINE");
	json_error_t fault;
	json_t *machine = path ? json_load_file(path, JSON_REJECT_DUPLICATES, &fault) : NULL;
	if (!machine) {
		(void)fprintf(stderr, "MXT_SIM_MACHINE=%s: %s\n", path ? path : "", path ? fault.text : "not set");
		abort();
	}
	return machine;
}

static void hang(void)
{
	for (;;)
		(void)pause();
}

/* Past the handler that a sanitizer has set. */
static void crash(void)
{
	(void)signal(SIGSEGV, SIG_DFL);
	(void)raise(SIGSEGV);
}

bool mxt_sim_fault(const json_t *machine, const char *call, int gpu, int *ret_status, bool *ret_garbage)
{
	size_t i;
	json_t *fault;
	*ret_garbage = false;
	json_array_foreach(json_object_get(machine, "faults"), i, fault)
	{
		const char *name = json_string_value(json_object_get(fault, "call"));
		const char *what = json_string_value(json_object_get(fault, "do"));
		const json_t *only = json_object_get(fault, "gpu");
		if (!name || !what || strcmp(name, call) != 0 || (only && json_integer_value(only) != gpu))
			continue;
		if (strcmp(what, "hang") == 0)
			hang();
		if (strcmp(what, "crash") == 0)
			crash();
		*ret_garbage = strcmp(what, "garbage") == 0;
		*ret_status = (int)json_integer_value(json_object_get(fault, "status"));
		return !*ret_garbage;
	}
	return false;
}

void mxt_sim_garbage(char *text, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		text[i] = (char)(unsigned char)("\033[2J\xff\xc3\n\x01"[i % 8]);
}
