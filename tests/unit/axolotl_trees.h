/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An Axolotl of a few files, laid out as the real one is, for tests of who reads its sources. A failed call ends the
 * test.
 */
#ifndef MXT_TESTS_AXOLOTL_TREES_H
#define MXT_TESTS_AXOLOTL_TREES_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "scratch.h"

/* A file below the folder, with the folders that it needs. */
static inline void axolotl_tree_write(const char *root, const char *name, const char *text)
{
	char *path = mxt_scratch_path(root, name);
	for (char *at = strchr(path + strlen(root) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*at = '/';
	}
	free(path);
	free(mxt_scratch_write(root, name, text));
}

/* FOLDER/axolotl, 0.19.0, and its record. */
static inline void axolotl_tree_install(const char *root, const char *folder)
{
	static const char *const files[][2] = {
	    {"axolotl-0.19.0.dist-info/METADATA", "Name: axolotl\n"},
	    {"axolotl/__init__.py", ""},
	    {"axolotl/utils/schemas/config.py",
	     "class AxolotlInputConfig(\n    ModelConfig,\n    BaseModel,\n):\n"
	     "    \"\"\"All:\n    not_a_field: int\n    \"\"\"\n"
	     "    seed: int | None = Field(default=None, alias=\"old_name\")\n"
	     "    flash_attention: bool | None = None\n    trl: TRLConfig | None = None\n\n"
	     "    @field_validator(\"seed\")\n    def check(cls, value):\n"
	     "        not_a_field: int = 1\n        return value\n\n"
	     "class AxolotlConfigWCapabilities(AxolotlInputConfig):\n    machine: str\n"},
	    {"axolotl/utils/schemas/model.py", "class ModelConfig(BaseModel):\n    base_model: str\n"},
	    {"axolotl/utils/schemas/trl.py", "class TRLConfig(BaseModel):\n    beta: float | None = None\n"},
	    {"axolotl/utils/schemas/notes.txt", "class AxolotlInputConfig:\n    not_a_field: int\n"},
	    {"axolotl/integrations/liger/args.py", "class LigerArgs(BaseModel):\n    liger_rope: bool | None = None\n"
						   "    seed: int\n"},
	    {"axolotl/integrations/liger/plugin.py", "class Plugin:\n    not_a_field: int\n"},
	    {"axolotl/integrations/base.py", "class Base:\n    not_a_field: int\n"},
	};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char *name = mxt_scratch_path(folder, files[i][0]);
		axolotl_tree_write(root, name, files[i][1]);
		free(name);
	}
}

#endif
