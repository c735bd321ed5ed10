#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: recording_docs.py [--check]

Writes docs/recording.schema.json, and the tables of docs/recording.md, from src/core/recording_fields.def; with --check
says whether they are up to date.
"""

import json
import pathlib
import re

import generated

SOURCE = pathlib.Path("src/core/recording_fields.def")
HEADER = pathlib.Path("src/core/recording_field.h")
SCHEMA = pathlib.Path("docs/recording.schema.json")
TEXT = pathlib.Path("docs/recording.md")
ROW = re.compile(r'^MXT_RECORDING_FIELD\((\w+), "(\w+)",\s+(\w+), (.*?), "([^"]*)"\)$', re.MULTILINE)
BEGIN = "<!-- fields: written by scripts/recording_docs.py; do not edit -->\n"
END = "<!-- end of fields -->"
NAME = {"type": "string", "pattern": "^[ -~]{1,256}$"}


def limits():
    """Numbers that rules name."""
    found = dict(re.findall(r"#define (MXT_RECORDING_MAX_\w+) (\d+)", HEADER.read_text()))
    return {name: int(value) for name, value in found.items()} | {"MXT_JSON_MAX_INT": 2**53 - 1}


def number(text):
    """The value of "MXT_RECORDING_MAX_CALLS - 1", "-MXT_JSON_MAX_INT", "7"."""
    for name, value in limits().items():
        text = text.replace(name, str(value))
    left, _, right = text.partition(" - ")
    sign = -1 if left.startswith("-") else 1
    return sign * int(left.lstrip("-")) - int(right or 0)


def integers(low, high):
    return {"type": "integer", "minimum": number(low), "maximum": number(high)}


def rule_schema(rule):
    """What a JSON Schema can say of one rule."""
    kind, _, rest = rule.rstrip(")").partition("(")
    arguments = [part.strip() for part in rest.split(",")] if rest else []
    if kind == "INTEGER":
        return integers(*arguments)
    if kind == "INTEGERS":
        return {"type": "array", "items": integers(*arguments)}
    if kind == "FLAG":
        return {"const": True}
    if kind == "WORD":
        return {"enum": arguments[0].strip('"').split()}
    if kind == "NAME":
        return dict(NAME)
    if kind == "PAIRS":
        pair = [integers("0", arguments[0]), integers("0", arguments[1])]
        return {"type": "array", "maxItems": limits()["MXT_RECORDING_MAX_ORDER"],
                "items": {"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2}}
    reference = {"$ref": "#/$defs/" + arguments[0].lower()}
    return reference if kind == "OBJECT" else {"type": "array", "items": reference}


def rule_text(rule):
    """The same for a reader."""
    kind, _, rest = rule.rstrip(")").partition("(")
    names = {"INTEGER": "whole number", "INTEGERS": "whole numbers", "FLAG": "`true`", "NAME": "name",
             "PAIRS": "pairs of whole numbers", "OBJECT": f"object [{rest.lower()}](#{rest.lower()})",
             "LIST": f"array of [{rest.lower()}](#{rest.lower()})"}
    if kind == "WORD":
        return ", ".join(f"`{word}`" for word in rest.strip('"').split())
    return names[kind]


def objects():
    """{object: [(key, required, rule, meaning)]} in the order of the table."""
    found = {}
    for name, key, need, rule, meaning in ROW.findall(SOURCE.read_text()):
        found.setdefault(name.lower(), []).append((key, need == "REQUIRED", rule, meaning))
    return found


def object_schema(rows):
    return {"type": "object", "required": [key for key, required, _, _ in rows if required],
            "properties": {key: rule_schema(rule) | ({"description": meaning} if meaning else {})
                           for key, _, rule, meaning in rows},
            "additionalProperties": False}


def schema():
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "SPDX-License-Identifier: Apache-2.0. Written by scripts/recording_docs.py; do not edit.",
        "title": "mindXtrain recording",
        "description": "What a schema can say about mindxtrain.recording/1; the reader also checks which keys belong "
                       "together.",
        "$ref": "#/$defs/file",
        "$defs": {name: object_schema(rows) for name, rows in objects().items()},
    }
    return json.dumps(document, indent=1) + "\n"


def tables():
    lines = []
    for name, rows in objects().items():
        lines += [f"### {name}", "", "| key | | value | meaning |", "|---|---|---|---|"]
        lines += [f"| `{key}` | {'required' if required else ''} | {rule_text(rule)} | {meaning} |"
                  for key, required, rule, meaning in rows]
        lines.append("")
    return "\n".join(lines)


generated.settle({SCHEMA: schema(), TEXT: generated.between(TEXT, BEGIN, END, tables())}, __doc__)
