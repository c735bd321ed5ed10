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

#define MXT_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
