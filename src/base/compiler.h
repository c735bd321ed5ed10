/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only compiler extensions that the project uses, behind names of its own.
 */
#ifndef MXT_BASE_COMPILER_H
#define MXT_BASE_COMPILER_H

#define MXT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define MXT_NONNULL(...)       __attribute__((nonnull(__VA_ARGS__)))
#define MXT_WUR                __attribute__((warn_unused_result))
#define MXT_CLEANUP(fn)        __attribute__((cleanup(fn)))
#define MXT_NORETURN           _Noreturn
#define MXT_UNUSED             __attribute__((unused))

/*
 * Compiles a function for three generations of x86 processors; the loader picks the one that this machine can run.
 * Clang before 17 gives such functions names that other files cannot link to.
 */
#if defined(__x86_64__) && defined(__ELF__) && (!defined(__clang_major__) || __clang_major__ >= 17)
#define MXT_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MXT_VECTOR_CLONES
#endif

#define MXT_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
