/* SPDX-License-Identifier: Apache-2.0 */
/* A library one of whose dependencies is missing. */
int mxtstub_gone(void);
__attribute__((visibility("default"))) int mxtstub_orphan(void);

int mxtstub_orphan(void)
{
	return mxtstub_gone();
}
