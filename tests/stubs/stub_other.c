/* SPDX-License-Identifier: Apache-2.0 */
/* A library of another kind: it loads, and has none of the symbols that are looked for. */
__attribute__((visibility("default"))) int mxtstub_other(int value);

int mxtstub_other(int value)
{
	return value + 1;
}
