# SPDX-License-Identifier: Apache-2.0
"""The YAML reader against PyYAML's pure safe loader, which Axolotl reads its configs with, over mutated configs.

What PyYAML refuses must be refused; what both read must be equal. The reader may refuse more, but only for the reasons
that it documents. MXT_YAML_ROUNDS sets how many mutants are tried.
"""
import datetime
import glob
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    print("skipped: this Python has no PyYAML (Debian: python3-yaml)")
    sys.exit(77)

ROOT = os.environ["MXT_SOURCE_ROOT"]
DUMP = os.environ["MXT_YAML_DUMP"]
ROUNDS = int(os.environ.get("MXT_YAML_ROUNDS", "6000"))

# Fragments that are worth inserting anywhere: indicators, types that change between readers, odd characters.
FRAGMENTS = [
    "\t", " ", "\n", "\r", "\r\n", "\n\n", ": ", ":", " #", "#", "- ", "-", "? ", "?", "!", "!!str ", "!!int ", "! ",
    "!!float ", "!!null ", "!!bool ", "!foo ", "&a ", "*a", "*a ", "&b", "<<: *a\n", "<<", "=", "|", ">", "|-\n", ">+\n",
    "|2\n", "'", '"', "''", '\\', "[", "]", "{", "}", ",", "[a, b:]", "[?]", "{a: 1, b}", "{? a}", "[a: 1]", "%",
    "%YAML 1.1\n", "---\n", "...\n", "--- ", "---", "...", "@", "`", "~", "null", "yes", "no", "On", "off", "y", "True",
    "1e-4", "1.0e-4", "1.e+3", "0x1F", "0o14", "012", "08", "0b11", "1_000", "1:30", "1:60", "190:20:30.5", ".5", "+.5",
    "-.inf", ".nan", "-", "+1", "0x_", "0b_", "0_", "2024-01-01", "2024-13-01", "2024-1-1", "2001-12-14t21:59:43.1-05:00",
    "99999999999999999999", "-9223372036854775808", "\u00e9", "\u2028", "\u0085", "\ufeff", "\U0001f600", "\x7f", "\x00",
    "  ", "    ", "key:", "key: value", "\nkey: 1", "\n  - item", "a: b: c", "a:b", "a : b", "\\x41", "\\u00e9", "\\\n",
    "# comment\n", " # c\n", "\n\t", "\t\n", "- - - x", "a\tb", "'a\tb'",
]


def plain(value):
    """A value as PyYAML made it, in the form that yaml_dump prints."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": str(value) if -(2**63) <= value < 2**63 else "beyond"}
    if isinstance(value, float):
        return {"float": value}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {"date": None}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return {"map": [[plain(k), plain(v)] for k, v in value.items()]}


def key_order(pair):
    return json.dumps(pair[0], sort_keys=True, default=str)


def same(ours, theirs):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if "map" in theirs and "map" in ours:
            a, b = sorted(ours["map"], key=key_order), sorted(theirs["map"], key=key_order)
            return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
        if "float" in theirs and "float" in ours:
            x, y = float(ours["float"]), float(theirs["float"])
            return (math.isnan(x) and math.isnan(y)) or x == y or abs(x - y) <= 1e-12 * abs(y)
        if "date" in theirs and "date" in ours:
            return True
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(same(x, y) for x, y in zip(ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


def pyyaml(data):
    """(True, value) or (False, why): as `yaml.safe_load(open(path, encoding="utf-8"))`, in pure Python."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")  # what text mode does
        return True, plain(yaml.load(text, Loader=yaml.SafeLoader))
    except RecursionError:
        return False, "recursion"
    except Exception as error:  # any failure of the trainer's reader is a refusal
        return False, f"{type(error).__name__}: {error}"


# Why the reader may refuse what PyYAML takes: parts of its messages.
STRICTER = [
    "is there already, in line", "a second document", "tag ", "%TAG directive", "question mark", "byte-order mark",
    "anchor with the name", "alias inside", "a list or a map as a key", "NUL character", "nested deeper",
    "nothing but comments", "the value does not have the type", "not valid YAML",
]
# libyaml itself refuses a few forms that PyYAML takes; more than this share would be a fault of ours.
MOST_LIBYAML_REFUSALS = 0.02


def reasons(text):
    return [s for s in STRICTER if s in text]


class Differential(unittest.TestCase):
    maxDiff = None

    def ask(self, inputs):
        frames = b"".join(struct.pack("<I", len(data)) + data for data in inputs)
        out = subprocess.run([DUMP], input=frames, stdout=subprocess.PIPE, check=True).stdout
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(answers), len(inputs))
        return answers

    def seeds(self):
        paths = sorted(glob.glob(os.path.join(ROOT, "tests/fixtures/axolotl/*.y*ml")))
        self.assertGreater(len(paths), 3)
        texts = []
        for path in paths:
            with open(path, encoding="utf-8", newline="") as file:
                texts.append(file.read())
        return texts

    def compare(self, inputs):
        """Messages about differences, and how often libyaml alone refused."""
        faults, libyaml = [], 0
        for data, answer in zip(inputs, self.ask(inputs)):
            taken, theirs = pyyaml(data)
            if "value" in answer:
                if not taken:
                    faults.append(f"taken, PyYAML says {theirs}: {data!r}")
                elif not same(answer["value"], theirs):
                    faults.append(f"{answer['value']} is not {theirs}: {data!r}")
            elif taken:
                if not reasons(answer["text"]):
                    faults.append(f"refused ({answer['text']}): {data!r}")
                libyaml += "not valid YAML" in answer["text"]
        return faults, libyaml

    def test_seeds_are_equal(self):
        inputs = [text.encode() for text in self.seeds()]
        faults, libyaml = self.compare(inputs)
        self.assertEqual(faults, [])
        self.assertEqual(libyaml, 0)
        for answer in self.ask(inputs):
            self.assertIn("value", answer)

    def test_scalars_are_equal(self):
        digits = random.Random(7)
        words = [f for f in FRAGMENTS if "\n" not in f and "\r" not in f]
        words += ["".join(digits.choice("0123456789+-._:eExbabTZ ") for _ in range(digits.randint(1, 12)))
                  for _ in range(20000)]
        inputs = [f"a: {word}\n".encode() for word in words]
        faults, _ = self.compare(inputs)
        self.assertEqual(faults[:5], [])

    def test_mutants_are_equal_or_refused(self):
        source = random.Random(20241130)
        seeds = self.seeds()
        inputs = []
        for _ in range(ROUNDS):
            text = source.choice(seeds)
            lines = text.splitlines(keepends=True)
            start = source.randrange(len(lines))
            text = "".join(lines[start:start + source.randint(1, 12)])
            for _ in range(source.randint(1, 4)):
                at = source.randint(0, len(text))
                cut = source.choice([0, 0, 0, 1, 2])
                text = text[:at] + source.choice(FRAGMENTS) + text[at + cut:]
            inputs.append(text.encode("utf-8", "surrogatepass"))
        faults, libyaml = self.compare(inputs)
        self.assertEqual(faults[:5], [], f"{len(faults)} differences")
        self.assertLessEqual(libyaml, MOST_LIBYAML_REFUSALS * ROUNDS)


if __name__ == "__main__":
    unittest.main()
