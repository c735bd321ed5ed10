/* SPDX-License-Identifier: Apache-2.0 */
/* Its recorded name is that of no file: what links to it cannot be loaded. */
__attribute__((visibility("default"))) int mxtstub_gone(void);

int mxtstub_gone(void)
{
	return 1;
}
