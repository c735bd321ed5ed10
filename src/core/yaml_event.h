/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyaml's events over a text that was checked (yaml_text.h): its marks count characters from behind a byte-order
 * mark, which mxt_yaml_text_offset() turns into bytes.
 */
#ifndef MXT_CORE_YAML_EVENT_H
#define MXT_CORE_YAML_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_text;

/* `parser` is zeroed memory; `text` must outlive it. yaml_parser_delete() in any case. */
int mxt_yaml_parser_open(yaml_parser_t *parser, const struct mxt_yaml_text *text, struct mxt_error *err) MXT_WUR;

/* The next event, for yaml_event_delete(). MXT_E_YAML_SYNTAX with the line. */
int mxt_yaml_parser_next(yaml_parser_t *parser, const struct mxt_yaml_text *text, yaml_event_t *ret_event,
			 struct mxt_error *err) MXT_WUR;

/* Starts a list in brackets or a map in braces. */
bool mxt_yaml_event_is_flow(const yaml_event_t *event);

/* Is a text behind | or >. */
bool mxt_yaml_event_is_block_text(const yaml_event_t *event);

/* The name that an event gives to its node, or NULL. */
const char *mxt_yaml_event_anchor(const yaml_event_t *event);

#endif
