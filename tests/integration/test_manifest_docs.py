#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is written about manifests: the schema against real ones, and the commands of the document, as they are printed."""

import copy
import json
import os
import re
import shutil
import subprocess
import unittest

import jsonschema

import launched
import mxt

DOCS = mxt.SOURCE_ROOT / "docs"
SEEDS = mxt.SOURCE_ROOT / "fuzz" / "corpus" / "manifest"


def section(name):
    return (DOCS / "manifest.md").read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]


class Schema(launched.TestCase):
    def setUp(self):
        super().setUp()
        schema = json.loads((DOCS / "manifest.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def faults(self, document):
        return [f"{list(error.absolute_path)}: {error.message}" for error in self.validator.iter_errors(document)]

    def made_of(self, run):
        self.run_program("manifest", "create", run, status=0)
        return json.loads((run / "manifest.json").read_text())

    def test_a_run_under_a_plan(self):
        self.launch("true", status=0)
        document = self.made_of(self.folder())
        self.assertEqual(self.faults(document), [])
        self.assertEqual(document["run"]["exit_status"], 0)
        self.assertIn("plan", document)

    def test_any_folder(self):
        run = self.dir / "run"
        (run / "deep").mkdir(parents=True)
        (run / "deep" / "file").write_text("x")
        (run / "link").symlink_to("deep/file")
        (run / "away").symlink_to(b"/\xff")
        with open(os.fsencode(run) + b"/\xfe", "w", encoding="ascii"):
            pass
        document = self.made_of(run)
        self.assertEqual(self.faults(document), [])
        kinds = [key for entry in document["lists"][0]["files"] for key in entry]
        for key in ("path", "path_bytes", "size", "blake3", "link", "link_bytes"):
            self.assertIn(key, kinds)

    def test_seeds(self):
        """Reader and schema agree about good ones, and about faults that a schema can see."""
        good = [path for path in SEEDS.glob("good*")]
        bad = ("key-unknown", "key-near", "created-negative", "tool-empty", "run-array", "run-name-missing",
               "run-status-range", "plan-simulated-false", "argv-number", "not-listed-role", "lists-object",
               "list-role", "entry-blank-hash", "entry-size-text", "schema-next", "schema-plan", "id-missing",
               "id-number")
        self.assertTrue(good)
        for path in good:
            self.assertEqual(self.faults(json.loads(path.read_text())), [], path)
        for name in bad:
            with self.subTest(name):
                self.assertTrue(self.faults(json.loads((SEEDS / name).read_text())))
                self.assertIn(self.run_program("verify", SEEDS / name).status, (3, 7))

    def test_entries_are_files_or_links(self):
        good = json.loads((SEEDS / "good").read_text())
        entry = good["lists"][0]["files"][0]
        for change in ({"size": None}, {"blake3": None}, {"path": None}, {"path_bytes": "ff"}, {"link": "x"},
                       {"link_bytes": "ff"}, {"surprise": 1}):
            with self.subTest(change):
                document = copy.deepcopy(good)
                changed = {key: value for key, value in dict(entry, **change).items() if value is not None}
                document["lists"][0]["files"][0] = changed
                self.assertTrue(self.faults(document))


@unittest.skipUnless(shutil.which("jq") and shutil.which("b3sum"), "jq or b3sum is not installed")
class Commands(mxt.TestCase):
    def test_the_id_can_be_made_by_others(self):
        commands = re.findall(r"^    \$ (.*manifest\.json.*)$", section("The document"), re.MULTILINE)
        self.assertEqual(len(commands), 2)
        shutil.copy(SEEDS / "good", self.dir / "manifest.json")
        printed = [subprocess.run(["sh", "-c", command], cwd=self.dir, capture_output=True, text=True, check=True).stdout
                   for command in commands]
        self.assertEqual(printed[0], printed[1])
        self.assertRegex(printed[0], "^[0-9a-f]{64}\n$")


if __name__ == "__main__":
    mxt.main()
