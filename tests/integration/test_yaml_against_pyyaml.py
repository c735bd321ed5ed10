# SPDX-License-Identifier: Apache-2.0
"""The YAML reader against PyYAML's pure safe loader, which Axolotl reads its configs with, over mutated configs.

What PyYAML refuses must be refused; what both read must be equal. The reader may refuse more, but only for the reasons
that it documents. MXT_YAML_ROUNDS sets how many texts are tried, MXT_YAML_SEED which: long runs of other texts are made
with both. MXT_YAML_CONFIGS names a folder of configs to start from, beside the fixtures.
"""
import collections
import datetime
import glob
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest

import yaml_mutants

try:
    import yaml
except ImportError:
    print("skipped: this Python has no PyYAML (Debian: python3-yaml)")
    sys.exit(77)

ROOT = os.environ["MXT_SOURCE_ROOT"]
DUMP = os.environ["MXT_YAML_DUMP"]
ROUNDS = int(os.environ.get("MXT_YAML_ROUNDS", "4000"))
SEED = int(os.environ.get("MXT_YAML_SEED", "20241130"))
MORE = os.environ.get("MXT_YAML_CONFIGS")
BATCH = 5000

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


def judge(answer, taken, theirs):
    """What is wrong with an answer, or None; and what kind of answer it is."""
    if "value" in answer:
        if not taken:
            return f"taken, PyYAML says {theirs}", "taken"
        return None if same(answer["value"], theirs) else f"{answer['value']} is not {theirs}", "equal"
    if not taken:
        return None, "refused by both"
    kind = "refused by libyaml" if "not valid YAML" in answer["text"] else "refused by us"
    return None if any(s in answer["text"] for s in STRICTER) else f"refused ({answer['text']})", kind


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
        paths += sorted(glob.glob(os.path.join(MORE, "**/*.y*ml"), recursive=True)) if MORE else []
        self.assertGreater(len(paths), 3)
        texts = []
        for path in paths:
            with open(path, encoding="utf-8", newline="") as file:
                texts.append(file.read())
        return texts

    def compare(self, inputs, counts):
        """Messages about differences. Counts how texts were taken."""
        faults = []
        for data, answer in zip(inputs, self.ask(inputs)):
            taken, theirs = pyyaml(data)
            fault, kind = judge(answer, taken, theirs)
            counts[kind] += 1
            if fault:
                faults.append(f"{fault}: {data!r}")
        return faults

    def test_seeds_are_equal(self):
        inputs = [text.encode() for text in self.seeds()]
        counts = collections.Counter()
        self.assertEqual(self.compare(inputs, counts), [])
        self.assertEqual(counts, {"equal": len(inputs)})

    def test_scalars_are_equal(self):
        digits = random.Random(7)
        words = [f for f in yaml_mutants.FRAGMENTS if "\n" not in f and "\r" not in f]
        words += ["".join(digits.choice("0123456789+-._:eExbabTZ ") for _ in range(digits.randint(1, 12)))
                  for _ in range(20000)]
        inputs = [f"a: {word}\n".encode() for word in words]
        self.assertEqual(self.compare(inputs, collections.Counter())[:5], [])

    def test_texts_are_equal_or_refused(self):
        texts = yaml_mutants.texts(SEED, ROUNDS, self.seeds())
        counts = collections.Counter()
        while batch := [t.encode("utf-8", "surrogatepass") for t in itertools.islice(texts, BATCH)]:
            faults = self.compare(batch, counts)
            self.assertEqual(faults[:5], [], f"{len(faults)} differences, seed {SEED}, {dict(counts)}")
        print(dict(counts), file=sys.stderr)
        self.assertEqual(counts.total(), ROUNDS)
        self.assertGreater(counts["equal"], ROUNDS // 10)
        self.assertGreater(counts["refused by both"], ROUNDS // 10)
        self.assertLessEqual(counts["refused by libyaml"], MOST_LIBYAML_REFUSALS * ROUNDS)


if __name__ == "__main__":
    unittest.main()
