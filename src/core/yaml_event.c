/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_event.h"

#include <errno.h>

#include "error.h"
#include "yaml_text.h"

int mxt_yaml_parser_open(yaml_parser_t *parser, const struct mxt_yaml_text *text, struct mxt_error *err)
{
	if (!yaml_parser_initialize(parser))
		return mxt_error_oom(err);
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text->bytes + text->start, text->len - text->start);
	return 0;
}

static int fault(const yaml_parser_t *parser, const struct mxt_yaml_text *text, struct mxt_error *err)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return mxt_error_oom(err);
	const char *context = parser->context ? parser->context : "";
	size_t line = mxt_yaml_text_line(text, mxt_yaml_text_offset(text, parser->problem_mark.index));
	return mxt_error_set(err, -EINVAL, MXT_E_YAML_SYNTAX, "%s:%zu: not valid YAML: %s%s%s", text->name, line,
			     context, *context ? ", " : "", parser->problem ? parser->problem : "unknown fault");
}

int mxt_yaml_parser_next(yaml_parser_t *parser, const struct mxt_yaml_text *text, yaml_event_t *ret_event,
			 struct mxt_error *err)
{
	return yaml_parser_parse(parser, ret_event) ? 0 : fault(parser, text, err);
}

bool mxt_yaml_event_is_flow(const yaml_event_t *event)
{
	if (event->type == YAML_SEQUENCE_START_EVENT)
		return event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	return event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
}

bool mxt_yaml_event_is_block_text(const yaml_event_t *event)
{
	return event->type == YAML_SCALAR_EVENT && (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
						    event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

const char *mxt_yaml_event_anchor(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)event->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return (const char *)event->data.mapping_start.anchor;
	default:
		return NULL;
	}
}
