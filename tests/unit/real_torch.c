/* SPDX-License-Identifier: Apache-2.0 */
#include "real_torch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"

/* First or last word of MXT_TORCH_VERSIONS, which the build sets; false when the script knows none for this machine. */
static bool version_of(enum real_torch which, char version[32])
{
	const char *versions = getenv("MXT_TORCH_VERSIONS");
	if (!versions || !*versions)
		return false;
	const char *last = strrchr(versions, ' ');
	const char *word = which == REAL_TORCH_NEWEST && last ? last + 1 : versions;
	return snprintf(version, 32, "%.*s", (int)strcspn(word, " "), word) < 32;
}

/* As in scripts/fetch-torch.sh: an empty variable is no variable. */
static char *cache_folder(void)
{
	static const struct {
		const char *variable, *below;
	} places[] = {
	    {"MXT_TORCH_CACHE", ""},
	    {"XDG_CACHE_HOME", "/mindxtrain/torch"},
	    {"HOME", "/.cache/mindxtrain/torch"},
	};
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		const char *value = getenv(places[i].variable);
		char *folder = NULL;
		if (value && *value && asprintf(&folder, "%s%s", value, places[i].below) >= 0)
			return folder;
	}
	return NULL;
}

char *real_torch_environment(enum real_torch which)
{
	char version[32];
	char *cache = cache_folder(), *folder = NULL, *contents = NULL;
	if (cache && version_of(which, version)) {
		assert_true(asprintf(&folder, "%s/%s", cache, version) >= 0);
		assert_true(asprintf(&contents, "%s/contents", folder) >= 0);
	}
	free(cache);
	bool there = contents && access(contents, R_OK) == 0;
	free(contents);
	if (!there) {
		print_message("no %s (scripts/fetch-torch.sh)\n", folder ? folder : "torch for this machine");
		free(folder);
		folder = NULL;
		skip();
	}
	return folder;
}

char *real_torch_file(enum real_torch which, const char *name)
{
	char *folder = real_torch_environment(which), *path = NULL;
	int rc = asprintf(&path, "%s/lib/python3.11/site-packages/%s", folder, name);
	free(folder);
	assert_true(rc >= 0);
	return path;
}
