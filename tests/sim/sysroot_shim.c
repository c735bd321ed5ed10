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
	EXPORT int name(const char *file, int oflag, ...);                                                             \
	int name(const char *file, int oflag, ...)                                                                     \
	{                                                                                                              \
		int (*next)(const char *, int, ...);                                                                   \
		char memory[PATH_MAX];                                                                                 \
		va_list more;                                                                                          \
		va_start(more, oflag);                                                                                 \
		mode_t mode = mode_of(oflag, more);                                                                    \
		va_end(more);                                                                                          \
		find(#name, &next, sizeof next);                                                                       \
		return next(map(file, memory), oflag, mode);                                                           \
	}
OPEN(open)
OPEN(open64)

/* Functions of a path and perhaps more that do not tell it back; `path` is what the C library calls it. */
#define REDIRECT(type, symbol, path, parameters, arguments)                                                            \
	EXPORT type symbol parameters;                                                                                 \
	type symbol parameters                                                                                         \
	{                                                                                                              \
		type(*next) parameters;                                                                                \
		char memory[PATH_MAX];                                                                                 \
		find(#symbol, &next, sizeof next);                                                                     \
		path = map(path, memory);                                                                              \
		return next arguments;                                                                                 \
	}
REDIRECT(DIR *, opendir, name, (const char *name), (name))
REDIRECT(int, access, name, (const char *name, int type), (name, type))
REDIRECT(int, stat, file, (const char *file, struct stat *buf), (file, buf))
REDIRECT(int, lstat, file, (const char *file, struct stat *buf), (file, buf))
REDIRECT(int, stat64, file, (const char *file, struct stat64 *buf), (file, buf))
REDIRECT(int, lstat64, file, (const char *file, struct stat64 *buf), (file, buf))
REDIRECT(ssize_t, readlink, path, (const char *path, char *buf, size_t len), (path, buf, len))
REDIRECT(FILE *, fopen, filename, (const char *filename, const char *modes), (filename, modes))
REDIRECT(FILE *, fopen64, filename, (const char *filename, const char *modes), (filename, modes))
