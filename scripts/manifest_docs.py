#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: manifest_docs.py [--check]

Writes docs/manifest.schema.json, the tables of docs/manifest.md and the fields of docs/man/mindxtrain-manifest.5 from
src/manifest/manifest_fields.def; with --check says whether they are up to date.
"""

import json
import pathlib
import re

import generated

SOURCE = pathlib.Path("src/manifest/manifest_fields.def")
SCHEMA = pathlib.Path("docs/manifest.schema.json")
TEXT = pathlib.Path("docs/manifest.md")
PAGE = pathlib.Path("docs/man/mindxtrain-manifest.5")
ROW = re.compile(r'^MXT_MANIFEST_FIELD\((\w+), "(\w+)",\s+(\w+), (.*?), "([^"]*)", "([^"]*)"\)$', re.MULTILINE)
BEGIN = "<!-- fields: written by scripts/manifest_docs.py; do not edit -->\n"
END = "<!-- end of fields -->"
PAGE_BEGIN = '.\\" fields: written by scripts/manifest_docs.py; do not edit\n'
PAGE_END = '.\\" end of fields'
OPEN = ("open", "result")  # objects of any keys

# What is one of several is required all the same.
CHOICES = {
    "list": [["root", "root_bytes"]],
    "entry": [["path", "path_bytes"], ["blake3", "link", "link_bytes"]],
}
TOGETHER = {"entry": {"blake3": ["size"], "size": ["blake3"]}}


def number(text):
    return 2**53 - 1 if text == "MXT_JSON_MAX_INT" else int(text)


def parts(rule):
    kind, _, rest = rule.rstrip(")").partition("(")
    return kind, [part.strip() for part in rest.split(",")] if rest else []


def rule_schema(rule):
    """What a JSON Schema can say of one rule."""
    kind, arguments = parts(rule)
    simple = {
        "NAME": {"type": "string", "pattern": "^[ -~]{1,256}$"},
        "TEXT": {"type": "string"},
        "TEXTS": {"type": "array", "items": {"type": "string"}},
        "HASH": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "FLAG": {"const": True},
        "ANY": {},
    }
    if kind in simple:
        return simple[kind]
    if kind == "INTEGER":
        return {"type": "integer", "minimum": number(arguments[0]), "maximum": number(arguments[1])}
    if kind == "WORD":
        return {"enum": arguments[0].strip('"').split()}
    reference = {"$ref": "#/$defs/" + arguments[0].lower()}
    return reference if kind == "OBJECT" else {"type": "array", "items": reference}


def rule_text(rule):
    """The same for a reader."""
    kind, arguments = parts(rule)
    simple = {"NAME": "printable ASCII", "TEXT": "text", "TEXTS": "array of texts", "FLAG": "`true`", "ANY": "any value",
              "HASH": "64 hexadecimal digits", "INTEGER": "whole number"}
    if kind in simple:
        return simple[kind]
    if kind == "WORD":
        return ", ".join(f"`{word}`" for word in arguments[0].strip('"').split())
    name = arguments[0].lower()
    if name in OPEN:
        return "object" if kind == "OBJECT" else "array of objects"
    return f"object [{name}](#{name})" if kind == "OBJECT" else f"array of [{name}](#{name})"


def objects():
    """{object: [(key, required, rule, omitted, meaning)]} in the order of the table."""
    found = {}
    for name, key, need, rule, omitted, meaning in ROW.findall(SOURCE.read_text()):
        found.setdefault(name.lower(), []).append((key, need == "REQUIRED", rule, omitted, meaning))
    return found


def plain(text):
    """Without what only Markdown needs."""
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text).replace("`", "")


def described(rule, omitted, meaning):
    bare = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", meaning)
    text = "; ".join(part for part in (bare, f"left out: {omitted}" if omitted else "") if part)
    return rule_schema(rule) | ({"description": text} if text else {})


def object_schema(name, rows):
    schema = {
        "type": "object",
        "required": [key for key, required, *_ in rows if required],
        "properties": {key: described(rule, omitted, meaning) for key, _, rule, omitted, meaning in rows},
        "additionalProperties": False,
    }
    if name in CHOICES:
        schema["allOf"] = [{"oneOf": [{"required": [key]} for key in keys]} for keys in CHOICES[name]]
    if name in TOGETHER:
        schema["dependentRequired"] = TOGETHER[name]
    return schema


def schema():
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "SPDX-License-Identifier: Apache-2.0. Written by scripts/manifest_docs.py; do not edit.",
        "title": "mindXtrain manifest",
        "description": "What a schema can say about mindxtrain.manifest/1; `mindxtrain verify` also checks ids, hashes, "
                       "paths and orders.",
        "$ref": "#/$defs/manifest",
        "$defs": {name: object_schema(name, rows) for name, rows in objects().items()}
        | {name: {"type": "object"} for name in OPEN},
    }
    return json.dumps(document, indent=1) + "\n"


def tables():
    lines = []
    for name, rows in objects().items():
        lines += [f"### {name}", "", "| key | value | left out | meaning |", "|---|---|---|---|"]
        lines += [f"| `{key}` | {rule_text(rule)} | {'required' if required else omitted} | {meaning} |"
                  for key, required, rule, omitted, meaning in rows]
        lines.append("")
    return "\n".join(lines)


def man_fields():
    lines = []
    for name, rows in objects().items():
        lines += [f".Ss {name}", ".Bl -tag -width Ds"]
        for key, required, rule, omitted, meaning in rows:
            lines.append(f".It Cm {key}" + ("" if required else " Pq optional"))
            lines += [f"{plain(meaning)}:"] if meaning else []
            lines.append(f"{plain(rule_text(rule))}.")
            lines += [f"Left out: {plain(omitted)}."] if omitted else []
        lines.append(".El")
    return "\n".join(lines) + "\n"


generated.settle({SCHEMA: schema(), TEXT: generated.between(TEXT, BEGIN, END, "\n" + tables()),
                  PAGE: generated.between(PAGE, PAGE_BEGIN, PAGE_END, man_fields())}, __doc__)
