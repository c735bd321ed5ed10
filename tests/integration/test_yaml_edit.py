# SPDX-License-Identifier: Apache-2.0
"""Edits of Axolotl configs, read again by PyYAML's pure safe loader, which is what Axolotl reads them with.

Whatever the form of a config: the planned keys have the planned values, all others mean what they meant, and no byte
outside of the changed keys' own lines is another one. MXT_YAML_CONFIGS names a folder of configs to be tried beside
those below; MXT_YAML_ROUNDS sets how many random texts are, MXT_YAML_SEED which.
"""
import collections
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    print("skipped: this Python has no PyYAML (Debian: python3-yaml)")
    sys.exit(77)

import yaml_mutants

SET = os.environ["MXT_YAML_SET"]
MORE = os.environ.get("MXT_YAML_CONFIGS")
ROUNDS = int(os.environ.get("MXT_YAML_ROUNDS", "600"))
SEED = int(os.environ.get("MXT_YAML_SEED", "20241130"))
BATCH = 1000

GONE = object()
PLUGIN = "mindxtrain_plan.axolotl_plugin.Plugin"


def put(key, value):
    return {"key": key, "value": value}


def gone(key):
    return {"key": key, "value": None}


def off(key):
    return {"key": key, "value": None, "keep_false": True}


def grow(key, value):
    return {"key": key, "value": value, "append": True}


# What plans set: before 0.17, from 0.17 on, and all kinds of values.
PLANS = {
    "flags": [off("flash_attention"), off("xformers_attention"), off("flex_attention"), put("sdp_attention", "true"),
              put("micro_batch_size", "4"), put("seed", "42"), grow("plugins", PLUGIN)],
    "names": [put("attn_implementation", "sdpa"), gone("flash_attention"), gone("xformers_attention"),
              gone("sdp_attention"), gone("flex_attention"), put("sequence_len", "4096"), put("fsdp", "null"),
              grow("plugins", PLUGIN)],
    "kinds": [put("flash_attention", '"on"'), put("learning_rate", "0.00002"), put("datasets", "[{path: x}]"),
              put("deepspeed", "null"), put("wandb_project", "{a: [1, 'b']}"), put("lora_target_modules", "all")],
}

LORA = """base_model: Qwen/Qwen3-8B
{0}
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
val_set_size: 0.05
output_dir: ./outputs/out

sequence_len: 2048   # tokens
{1}
gradient_accumulation_steps: 4
micro_batch_size: 2
learning_rate: 2e-4
flash_attention: true
{2}
"""


def lora(head="", middle="", end=""):
    return LORA.format(head, middle, end)


# Own texts after the habits of public configs, and forms of YAML that none of those have.
CASES = {
    "plain": lora(),
    "empty keys": lora("fsdp:\nfsdp_config:\ndeepspeed:", "wandb_project:\nwandb_entity:", "xformers_attention:\nplugins:"),
    "empty keys with comments": lora("fsdp: # none", "seed:    # any\ndeepspeed:\t# tab".replace("\t", " "), "plugins:   # none"),
    "tildes and nulls": lora("fsdp: ~\ndeepspeed: null", "plugins: Null", "seed: ~"),
    "comments everywhere": lora("# head # head\n  # odd", "# a: 1\n#flash_attention: false", "# tail\n\n# end"),
    "comment at the end, no break": lora(end="# end").rstrip("\n"),
    "no break at the end": lora().rstrip("\n"),
    "blank lines at the end": lora() + "\n\n  \n",
    "empty value at the end, no break": lora(end="plugins:").rstrip("\n"),
    "CR LF": lora("fsdp:", "# c", "plugins:\n  - a.b").replace("\n", "\r\n"),
    "CR LF, no break at the end": lora("fsdp:", "# c", "# end").rstrip("\n").replace("\n", "\r\n"),
    "CR": lora("fsdp:", "# c", "plugins: [a.b]").replace("\n", "\r"),
    "byte-order mark": "\ufeff" + lora("fsdp:"),
    "byte-order mark and CR LF": "\ufeff" + lora("fsdp:").replace("\n", "\r\n"),
    "byte-order mark before the key": "\ufeffflash_attention: true\nbase_model: a\n",
    "document start": "---\n" + lora(),
    "directive, start and end": "%YAML 1.1\n# c\n---\n" + lora() + "...\n# behind the end\n",
    "end without a break behind": lora() + "...",
    "indented": "".join("  " + line for line in lora("fsdp:", end="plugins:\n- a").splitlines(keepends=True)),
    "indented by one, with a start": "---\n" + "".join(" " + s for s in lora(end="# c").splitlines(keepends=True)),
    "keys in quotes": lora().replace("flash_attention", '"flash_attention"').replace("micro_batch_size", "'micro_batch_size'"),
    "space before the colon": lora().replace("flash_attention:", "flash_attention :"),
    "values in quotes": lora(middle="seed: '1'\nfsdp: \"a # b\" # c").replace("micro_batch_size: 2", "micro_batch_size: \"2\""),
    "values on the next line": lora(middle="seed:\n  7\nfsdp:\n  # c\n  a # d").replace("flash_attention: true", "flash_attention:\n    true # e"),
    "values of several lines": lora("fsdp: one\n  two # c\n", 'seed: "a\n\n  b" # d', "wandb_project: 'x\n   y'"),
    "text blocks": lora("fsdp: |\n  a\n\n  # b\n\n\n# c", "seed: >-  # d\n   a\n   b", "wandb_project: |+\n  x\n\n"),
    "text block at the end, no break": lora(end="chat_template_jinja: |\n  {% if a %}\n  x").rstrip("\n"),
    "kept text block at the end": lora(end="chat_template_jinja: |+\n  x\n\n\n").rstrip() + "\n\n\n",
    "block lists": lora("fsdp:\n  - full_shard # a\n  # b\n  - auto_wrap # c", end="plugins:\n  - a.B # d\n  # e"),
    "dashes under the key": lora("fsdp:\n- full_shard\n- auto_wrap", end="plugins:\n- a.B\n- c.D"),
    "dashes at the end, no break": lora(end="plugins:\n     - a.B # c").rstrip("\n"),
    "nested lists": lora("fsdp:\n- - a\n  - b\n- {c: [d]}", end="plugins:\n  -\n  - x: 1\n    y: |\n      z\n\n  - - t"),
    "lists in brackets": lora("fsdp: [full_shard, auto_wrap] # a", end="plugins: [a.B, c.D, ] # b"),
    "brackets over lines": lora("fsdp: [\n  a, # b\n  c\n  ] # d", end="plugins: [ # a\n   a.B, # b\n   'c.D' # c\n]"),
    "empty brackets": lora("fsdp: []", end="plugins: [\n\n  ] # c"),
    "block maps": lora("deepspeed:\n  zero:\n    stage: 3 # a\n  # b\n", "fsdp:\n    a: {b: c}"),
    "maps in braces": lora("deepspeed: {zero: {stage: 3}, # a\n  b: c} # d", "fsdp: {}"),
    "the plan already": lora(middle="seed: 42\nsdp_attention: True").replace("true", "off") + f"plugins:\n  - {PLUGIN}\n",
    "keys of other tools": lora("train:\n  flash_attention: true\n  seed: 1\nx: {seed: 3}"),
    "anchors": lora("a: &a {b: 1}\nfsdp: &unused x", "c: *a\nseed: &s 3", "d: &d\n  <<: *a"),
    "anchors on what stays": lora("a: &a alpaca\nb: &b [1, *a]", "wandb_project: *a\nfsdp: *b"),
    "tags": lora("fsdp: !!str 1\nseed: !!int '3'", "wandb_project: !!null", "plugins: !!seq [a]"),
    "merge at the top": "base: &b {x: 1, y: 2}\n<<: *b\nflash_attention: true # c\nx: 3\n",
    "letters beyond ASCII": lora("# \u00e9\u2026 \U0001f600", "wandb_project: \u65e5\u672c # \u8a9e", "\u00e9: \u00fc").replace("alpaca", "\u00e4"),
    "other line ends in text": lora("a: \"x\u2028y\"", "wandb_project: 'a\u0085  b'"),
    "numbers as keys": lora("1: a\n2.0: b\nno: c\n2024-01-01: d\n~: e"),
    "one key": "flash_attention: true",
}

# Where an edit is refused, and why.
REFUSED = {
    "{base_model: a, flash_attention: true}\n": "input:1: the config is a map in braces",
    "# c\n---\n{base_model: a}\n": "input:3: the config is a map in braces",
    "- base_model: a\n": "no map of keys",
    "base_model\n": "no map of keys",
    "": "nothing but comments",
    "# c\n": "nothing but comments",
    "a: 1\nflash_attention: true\nflash_attention: false\n": "input:3: key 'flash_attention' is there already, in line 2",
    "a: 1\n---\nb: 1\n": "a second document",
    "a: !!python/tuple [1]\n": "input:1: tag",
    "a: 1\nflash_attention: &f true\nb: *f\n": "input:2: the value of 'flash_attention' is used again in line 3",
    "a: 1\nplugins: &p [a]\nb:\n  - *p\n": "input:2: the value of 'plugins' is used again in line 4",
    "a: &p [a]\nplugins: *p\n": "input:2: 'plugins' is an alias",
    "a: 1\nplugins: a.B\n": "input:2: 'plugins' is not a list",
    "a: 1\nplugins: {a: 1}\n": "input:2: 'plugins' is not a list",
    "a: &a\n  seed: 1\nb: 1\n<<: *a\n": "input:2: 'seed' comes out of a map that << merges",
    "a:\tb\n": "tab",
}


def load(text):
    """As `yaml.safe_load(open(path, encoding="utf-8"))`, in pure Python."""
    return yaml.load(text.replace("\r\n", "\n").replace("\r", "\n"), Loader=yaml.SafeLoader)


def same(a, b):
    """Equal with types: 1 is neither True nor 1.0; NaN is NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(same(x, y) and same(a[x], b[y]) for x, y in zip(a, b))
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


def content_end(node, text):
    """Where a value ends, without comments and blank lines behind it: PyYAML's marks of blocks take those in."""
    if isinstance(node, yaml.ScalarNode):
        end = node.end_mark.index
        return len(text[:end].rstrip()) if node.style in ("|", ">") else end
    if node.flow_style:
        return node.end_mark.index
    return max([content_end(n, text) for n in children(node)], default=node.end_mark.index)


def children(node):
    if isinstance(node, yaml.ScalarNode):
        return []
    return [n for pair in node.value for n in (pair if isinstance(pair, tuple) else (pair,))]


def has_alias(node, start, seen):
    """PyYAML has the anchor's place for an alias: a node that started before the value, or was met already."""
    if id(node) in seen or node.start_mark.index < start:
        return True
    seen.add(id(node))
    return any(has_alias(n, start, seen) for n in children(node))


BREAK = re.compile("\r\n|\r|\n")


class Places:
    """The top-level keys of a text: where the lines of each are, in PyYAML's opinion."""

    def __init__(self, text):
        self.text = text
        self.root = yaml.compose(text, Loader=yaml.SafeLoader)
        self.lines = BREAK.split(text.removeprefix("\ufeff"))  # the mark is no line's own
        self.items = {}
        if isinstance(self.root, yaml.MappingNode):
            for key, value in self.root.value:
                self.items.setdefault(key.value, (key, value))

    def line(self, index):
        return len(BREAK.findall(self.text[:index]))

    def own_lines(self, key):
        """First line and one behind the last. A value that is an alias is where it is, not where its anchor is."""
        node, value = self.items[key]
        first = self.line(node.start_mark.index)
        end = content_end(value, self.text)
        return first, max(first, self.line(end) if end >= node.end_mark.index else first) + 1

    def without(self, keys):
        """The other lines. Of the break at the very end there may be one more or less."""
        dropped = set()
        for key in keys:
            if key in self.items:
                dropped.update(range(*self.own_lines(key)))
        rest = [line for i, line in enumerate(self.lines) if i not in dropped]
        return rest[:-1] if rest and rest[-1] == "" else rest

    def behind(self, key):
        """What follows a value of one line on that line."""
        value = self.items[key][1]
        end = content_end(value, self.text)
        return BREAK.split(self.text[end:])[0].strip()


def expected(config, changes):
    """What a config means after the changes; the order of keys as the file has it then."""
    result = dict(config)
    for c in sorted(changes, key=lambda c: c["value"] is None):
        key, old = c["key"], result.get(c["key"])
        if c.get("append"):
            value = load(c["value"])
            if value not in (old or []):
                result[key] = (old or []) + [value]
        elif c["value"] is not None:
            result[key] = load(c["value"])
        elif c.get("keep_false") and key in result:
            result[key] = old if old is None or old is False else False
        elif key in result:
            del result[key]
    return result


def ask(questions):
    lines = "\n".join(json.dumps({"text": text, "set": changes}) for text, changes in questions)
    out = subprocess.run([SET], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def check(text, changes, answer):
    """What is wrong with an edit, or None."""
    after, config, keys = answer["text"], load(text), [c["key"] for c in changes]
    wanted, got = expected(config, changes), load(after)
    if not isinstance(got, dict) or not same(sorted_map(wanted), sorted_map(got)):
        return f"means {got}, not {wanted}"
    changed = {c["key"] for c in answer["changes"]}
    was = [k for k in keys if not same(config.get(k, GONE), wanted.get(k, GONE))]
    if changed != set(was):
        return f"says that it changed {changed}, and changed {was}"
    if after.startswith("\ufeff") != text.startswith("\ufeff"):
        return "the byte-order mark is not as it was"
    if not set(BREAK.findall(after)) <= set(BREAK.findall(text) or ["\n"]):
        return "lines end in a new way"
    if OTHER_BREAKS.search(text):
        return None
    a, b = Places(text), Places(after)
    if any(has_alias(v, k.end_mark.index, set()) for name, (k, v) in a.items.items() if name in changed):
        return None
    left, kept = a.without(changed), b.without(changed)
    if any(c.get("to", "").startswith("- ") for c in answer["changes"]):  # blank lines are now inside the list
        left, kept = [list(filter(str.strip, lines)) for lines in (left, kept)]
    at = 0
    for line in kept:
        if at < len(left) and line == left[at]:
            at += 1
        elif line.lstrip() and not line.lstrip().startswith("#"):  # of lines that went, comments may stay
            return f"{line!r} is new"
    if at < len(left):
        return f"{left[at]!r} is gone"
    return check_places(a, b, answer["changes"])


def check_places(a, b, changes):
    for c in changes:
        key = c["key"]
        if key in b.items and c["line"] not in range(b.own_lines(key)[0] + 1, b.own_lines(key)[1] + 1):
            return f"{key}: line {c['line']} is not among {b.own_lines(key)}"
        if key not in a.items or key not in b.items or a.own_lines(key)[1] - a.own_lines(key)[0] > 1:
            continue
        if b.own_lines(key)[1] - b.own_lines(key)[0] > 1 or c.get("to", "").startswith("- "):
            continue
        value = a.items[key][1]
        if value.start_mark.index < a.items[key][0].start_mark.index or getattr(value, "style", None) in ("|", ">"):
            continue  # an alias: its place is that of what it stands for; a text block: the comment is in its header
        if a.behind(key) != b.behind(key):
            return f"{key}: '{b.behind(key)}' is behind the value, not '{a.behind(key)}'"
    return None


def sorted_map(config):
    return {k: config[k] for k in sorted(config, key=lambda k: (str(type(k)), str(k)))}


class Edits(unittest.TestCase):
    maxDiff = None

    def test_there_are_forty_and_more(self):
        self.assertGreaterEqual(len(CASES), 40)
        for name, text in CASES.items():
            self.assertIsInstance(load(text), dict, name)

    def test_only_planned_keys_change(self):
        tries = [(name, plan) for name in CASES for plan in PLANS]
        answers = ask([(CASES[name], PLANS[plan]) for name, plan in tries])
        for (name, plan), answer in zip(tries, answers):
            with self.subTest(config=name, plan=plan):
                self.assertNotIn("error", answer)
                self.assertIsNone(check(CASES[name], PLANS[plan], answer), answer["text"])

    def test_an_edited_config_needs_no_edit(self):
        tries = [(name, plan) for name in CASES for plan in PLANS]
        once = ask([(CASES[name], PLANS[plan]) for name, plan in tries])
        twice = ask([(answer["text"], PLANS[plan]) for (_, plan), answer in zip(tries, once)])
        for a, b in zip(once, twice):
            self.assertEqual(a["text"], b["text"])
            self.assertEqual(b["changes"], [])

    def test_every_key_alone(self):
        """Each key of each case set, filled with a list, and taken out."""
        faults, edited = try_every_key(CASES.items(), at_most=2)
        self.assertEqual(faults[:3], [], f"{len(faults)} faults")
        self.assertGreater(edited, 350)

    def test_what_cannot_be_edited_is_refused(self):
        for (text, why), answer in zip(REFUSED.items(), ask([(text, PLANS["flags"]) for text in REFUSED])):
            with self.subTest(text=text):
                self.assertIn("error", answer)
                self.assertIn(why, answer["text"])

    def test_random_texts(self):
        texts, counts = yaml_mutants.texts(SEED, ROUNDS, list(CASES.values())), collections.Counter()
        source = random.Random(SEED)
        while batch := list(itertools.islice(texts, BATCH)):
            faults = try_texts(source, batch, counts)
            self.assertEqual(faults[:3], [], f"{len(faults)} faults, seed {SEED}")
        print(dict(counts), file=sys.stderr)
        self.assertGreater(counts["edited"], ROUNDS // 10)
        self.assertLessEqual(counts["not safe"], MOST_NOT_SAFE * counts["edited"])

    @unittest.skipUnless(MORE, "MXT_YAML_CONFIGS is not set")
    def test_a_folder_of_configs(self):
        configs = dict(read_configs(MORE))
        counts = {"files": len(configs), "edits": 0, "refused": 0}
        faults = []
        for plan, changes in PLANS.items():
            for (name, text), answer in zip(configs.items(), ask([(t, changes) for t in configs.values()])):
                counts["edits" if "error" not in answer else "refused"] += 1
                fault = answer["text"] if "error" in answer else check(text, changes, answer)
                if fault:
                    faults.append(f"{name}: {plan}: {fault}")
        more, edited = try_every_key(configs.items(), at_most=4)
        counts["single edits"] = edited
        print(counts, file=sys.stderr)
        self.assertEqual((faults + more)[:10], [], f"{len(faults)} and {len(more)} faults")


# Why a key that is there may be refused.
REASONS = ["is used again in line", "comes out of a map", "is an alias", "is not a list", "an anchor or a tag before"]


def try_every_key(configs, at_most=None):
    """Messages about faults, and how many edits there were."""
    source, tries = random.Random(17), []
    for name, text in configs:
        keys = [k for k in load(text) if isinstance(k, str) and re.fullmatch(r"[A-Za-z]\w*", k)]
        for key in source.sample(keys, min(at_most or len(keys), len(keys))):
            for change in (put(key, "planned"), put(key, "[1, {a: b}]"), gone(key), off(key), grow(key, "planned")):
                tries.append((name, text, [change]))
    faults, edited = [], 0
    for (name, text, changes), answer in zip(tries, ask([t[1:] for t in tries])):
        if "error" not in answer:
            edited += 1
            fault = check(text, changes, answer)
        else:
            known = may_be_unsafe(text, changes) or any(r in answer["text"] for r in REASONS)
            fault = None if known else answer["text"]
        if fault:
            faults.append(f"{name}: {changes}: {fault}")
    return faults, edited


# Seldom: a line goes that kept an indented comment out of a text block before it.
MOST_NOT_SAFE = 0.01
OTHER_BREAKS = re.compile("[\u0085\u2028\u2029]")


def may_be_unsafe(text, changes):
    """Where nothing is left, what a merge brings comes out, or lines end in ways that are not counted as lines."""
    left = set(load(text)) - {c["key"] for c in changes if c["value"] is None}
    return not left or "<<" in text or OTHER_BREAKS.search(text)


def some_changes(source, text):
    """Of keys that are there, and of two that may not be."""
    keys = [k for k in load(text) if isinstance(k, str) and re.fullmatch(r"[A-Za-z]\w*", k)]
    keys = source.sample(keys, min(3, len(keys))) + ["plugins", "new_key"]
    kinds = [lambda k: put(k, "planned"), lambda k: put(k, "[1, {a: b}]"), gone, off, lambda k: grow(k, "planned")]
    return [source.choice(kinds)(k) for k in dict.fromkeys(keys)]


def try_texts(source, texts, counts):
    """Messages about faults in edits of texts that PyYAML takes for a map. Counts what became of all."""
    tries = []
    for text in texts:
        try:
            if isinstance(load(text), dict):
                tries.append((text, some_changes(source, text)))
        except Exception:  # any failure of the trainer's reader
            counts["no YAML"] += 1
    faults = []
    for (text, changes), answer in zip(tries, ask(tries)):
        kind = "edited" if "error" not in answer else "refused"
        if "without changing more" in answer["text"] and kind == "refused":
            kind = "may be unsafe" if may_be_unsafe(text, changes) else "not safe"
        counts[kind] += 1
        fault = check(text, changes, answer) if kind == "edited" else None
        if fault:
            faults.append(f"{text!r}: {changes}: {fault}: {answer['text']!r}")
    return faults


def read_configs(folder):
    """Those that are a map in block form; what else there is, is not a trainer's config."""
    for top, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith((".yml", ".yaml")):
                continue
            path = os.path.join(top, name)
            try:
                with open(path, encoding="utf-8", newline="") as file:
                    text = file.read()
                root = yaml.compose(text, Loader=yaml.SafeLoader)
                if isinstance(root, yaml.MappingNode) and not root.flow_style and isinstance(load(text), dict):
                    yield path, text
            except (yaml.YAMLError, UnicodeDecodeError, ValueError):
                pass


if __name__ == "__main__":
    unittest.main()
