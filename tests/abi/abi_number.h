/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of ours beside those of a vendor's header. */
#ifndef MXT_TESTS_ABI_NUMBER_H
#define MXT_TESTS_ABI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct abi_number {
	const char *what;
	long long ours, theirs;
};

/* Prints those that differ. */
static inline bool abi_numbers_agree(const struct abi_number *numbers, size_t count)
{
	bool agree = true;
	for (size_t i = 0; i < count; i++) {
		if (numbers[i].ours == numbers[i].theirs)
			continue;
		(void)fprintf(stderr, "%s: %lld here, %lld in the header\n", numbers[i].what, numbers[i].ours,
			      numbers[i].theirs);
		agree = false;
	}
	return agree;
}

#endif
