#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: models_md.py [--check]

Writes docs/models.md and the list of presets in docs/man/mindxtrain-autotune.1 from src/core/model_presets.def; with
--check says whether they are up to date.
"""

import pathlib
import re

import generated

SOURCE = pathlib.Path("src/core/model_presets.def")
TARGET = pathlib.Path("docs/models.md")
MAN_PAGE = pathlib.Path("docs/man/mindxtrain-autotune.1")
MAN_LINES = re.compile(r'(?<=written by scripts/models_md.py\.\n).*?(?=\.\\" End of these lines\.\n)', re.DOTALL)
PRESET = re.compile(r'^MXT_PRESET\("([^"]+)",\s*"([^"]+)",\s*(.*)\)$')
ALIAS = re.compile(r'^MXT_PRESET_ALIAS\("([^"]+)",\s*"([^"]+)"\)$')
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by scripts/models_md.py from src/core/model_presets.def; do not edit. -->
# Models that need no file

What `--model` and an Axolotl config's `base_model` may name without a `config.json` at hand. The dimensions are those
of the published `config.json` files; a window is the `sliding_window` in tokens. Heads are written as queries / keys
and values. Any other model is read from its `config.json` ([workload.md](workload.md)).

| preset | layers | hidden | heads | head | FFN | vocabulary | window | experts | also known as |
|---|---|---|---|---|---|---|---|---|---|
"""


def rows():
    presets, aliases = [], {}
    for line in SOURCE.read_text().splitlines():
        if line.startswith("MXT_PRESET("):
            name, _, columns = PRESET.match(line).groups()
            presets.append((name, [column.strip() for column in columns.split(",")]))
        elif line.startswith("MXT_PRESET_ALIAS("):
            alias, name = ALIAS.match(line).groups()
            aliases.setdefault(name, []).append(alias)
    return presets, aliases


def document(presets, aliases):
    lines = []
    for name, columns in presets:
        layers, hidden, heads, kv_heads, head_dim, ffn, vocab, _, window, experts, _ = columns
        cells = [f"`{name}`", layers, hidden, f"{heads} / {kv_heads}", head_dim, ffn, vocab,
                 "" if window == "0" else window, "" if experts == "0" else experts,
                 ", ".join(f"`{alias}`" for alias in aliases.get(name, []))]
        lines.append("| " + " | ".join(cells) + " |\n")
    return HEAD + "".join(lines)


def man_page(presets):
    names = [name for name, _ in presets]
    lines = [f".Cm {name} ,\n" for name in names[:-1]] + [f"and\n.Cm {names[-1]} .\n"]
    return MAN_LINES.sub(lambda _: "".join(lines), MAN_PAGE.read_text())


def main():
    presets, aliases = rows()
    generated.settle({TARGET: document(presets, aliases), MAN_PAGE: man_page(presets)}, __doc__)


if __name__ == "__main__":
    main()
