/* SPDX-License-Identifier: Apache-2.0 */
#include "nvidia_peak.h"

#include <stddef.h>

#include "compiler.h"

/*
 * bf16: what NVIDIA publishes for a whole card without sparsity, divided by its multiprocessors and boost clock:
 *   A100   312 TFLOP/s = 108 x 1.41 GHz x 2048        H100 SXM  989 = 132 x 1.83 x 4096
 *   A40    150 = 84 x 1.74 x 1024                     L40S      362 = 142 x 2.52 x 1024 (366)
 *   B200  2250 = 148 x 1.85 x 8192                    RTX PRO 6000 Blackwell 504 = 188 x 2.62 x 1024
 * GeForce cards of 8.6, 8.9 and 12.0 accumulate in float32 at half that rate; their capability does not tell them
 * apart. fp32: two for each of the 64 (7.x, 8.0) or 128 lanes of the programming guide's table of throughputs.
 */
static const struct rate_row {
	int major, minor;
	struct mxt_nvidia_rate rate;
} rate_rows[] = {
    {7, 0, {0, 128}},    {7, 5, {0, 128}},     {8, 0, {2048, 128}},  {8, 6, {1024, 256}},  {8, 9, {1024, 256}},
    {9, 0, {4096, 256}}, {10, 0, {8192, 256}}, {10, 3, {8192, 256}}, {12, 0, {1024, 256}}, {12, 1, {1024, 256}},
};

struct mxt_nvidia_rate mxt_nvidia_rate(int major, int minor)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rate_rows); i++)
		if (rate_rows[i].major == major && rate_rows[i].minor == minor)
			return rate_rows[i].rate;
	return (struct mxt_nvidia_rate){0, 0};
}
