/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program, this shows it another machine's AMD cards: paths of the kernel's files about them are taken
 * below the folder MXT_SIM_SYSROOT. Without that variable it changes nothing. tests/lib/sim_rocm.py writes such
 * folders.
 */
#undef _FILE_OFFSET_BITS /* both names of each function are told apart here */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);
	return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

static bool is_elsewhere(const char *path)
{
	static const char *const folders[] = {
	    "/dev/dri",       "/dev/kfd",       "/proc/sys/kernel/numa_balancing", "/sys/bus/pci",
	    "/sys/class/drm", "/sys/class/kfd", "/sys/devices/virtual/kfd",        "/sys/module/amdgpu"};
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		if (is_below(path, folders[i]))
			return true;
	return false;
}

/* The path to use: `path` itself, or what `memory` then holds. */
static const char *map(const char *path, char memory[static PATH_MAX])
{
	const char *root = getenv("MXT_SIM_SYSROOT");
	if (!path || !root || !*root || !is_elsewhere(path))
		return path;
	int len = snprintf(memory, PATH_MAX, "%s%s", root, path);
	return len > 0 && len < PATH_MAX ? memory : path;
}

/* The function that this library stands before. */
static void find(const char *name, void *function, size_t bytes)
{
	void *symbol = dlsym(RTLD_NEXT, name);
	if (!symbol)
		abort();
	memcpy(function, &symbol, bytes);
}

static mode_t mode_of(int flags, va_list more)
{
	return flags & O_CREAT ? (mode_t)va_arg(more, unsigned) : 0;
}

#define OPEN(name)                                                                                                     \
	EXPORT int name(const char *path, int flags, ...);                                                             \
	int name(const char *path, int flags, ...)                                                                     \
	{                                                                                                              \
		int (*next)(const char *, int, ...);                                                                   \
		char memory[PATH_MAX];                                                                                 \
		va_list more;                                                                                          \
		va_start(more, flags);                                                                                 \
		mode_t mode = mode_of(flags, more);                                                                    \
		va_end(more);                                                                                          \
		find(#name, &next, sizeof next);                                                                       \
		return next(map(path, memory), flags, mode);                                                           \
	}
OPEN(open)
OPEN(open64)

/* Functions of a path and perhaps more that do not tell it back. */
#define REDIRECT(type, name, parameters, arguments)                                                                    \
	EXPORT type name parameters;                                                                                   \
	type name parameters                                                                                           \
	{                                                                                                              \
		type(*next) parameters;                                                                                \
		char memory[PATH_MAX];                                                                                 \
		find(#name, &next, sizeof next);                                                                       \
		path = map(path, memory);                                                                              \
		return next arguments;                                                                                 \
	}
REDIRECT(DIR *, opendir, (const char *path), (path))
REDIRECT(int, access, (const char *path, int mode), (path, mode))
REDIRECT(int, stat, (const char *path, struct stat *to), (path, to))
REDIRECT(int, lstat, (const char *path, struct stat *to), (path, to))
REDIRECT(ssize_t, readlink, (const char *path, char *to, size_t bytes), (path, to, bytes))
REDIRECT(int, stat64, (const char *path, struct stat64 *to), (path, to))
REDIRECT(int, lstat64, (const char *path, struct stat64 *to), (path, to))
REDIRECT(FILE *, fopen, (const char *path, const char *how), (path, how))
REDIRECT(FILE *, fopen64, (const char *path, const char *how), (path, how))
