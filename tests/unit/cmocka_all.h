/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmocka.h with the headers that it needs and does not include.
 */
#ifndef MXT_TESTS_CMOCKA_ALL_H
#define MXT_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
