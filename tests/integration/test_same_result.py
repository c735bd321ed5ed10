#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""result_id and `mindxtrain verify --same-result`: what makes two runs the same, and what is said where they part."""

import json
import re
import shutil
import struct
import subprocess
import unittest

import mxt
import mxt_manifests
import mxt_plans
import run_results

UNKNOWN = "MXT-386"


def safetensors(**tensors):
    """Bytes of a file of float32 tensors: name=(shape, values)."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


CHECKPOINT = {"adapter_model.safetensors": safetensors(a=([2], [1, 2]), b=([2, 2], [1, 2, 3, 4])),
              "tokenizer.json": b"{}", "trainer_state.json": b'{"epoch": 1}\n'}


class SameResult(run_results.TestCase):
    def test_places_and_times_have_no_part(self):
        a = self.make_run("a", checkpoint=CHECKPOINT)
        b = self.make_run("b", checkpoint={**CHECKPOINT, "trainer_state.json": b'{"epoch": 2}\n', "README.md": b"b"})
        first, second = self.manifest(a), self.manifest(b)
        self.assertEqual(first["result_id"], second["result_id"])
        self.assertNotEqual(first["manifest_id"], second["manifest_id"])
        self.assertIn(first["result_id"], self.compare(a, b / "manifest.json").out)
        answer = json.loads(self.compare(a, b, "--json").out)
        self.assertIs(answer["same"], True)
        self.assertEqual([run["result_id"] for run in answer["runs"]], [first["result_id"]] * 2)

    @unittest.skipUnless(shutil.which("jq") and shutil.which("b3sum"), "jq or b3sum is missing")
    def test_the_documented_command_makes_the_id(self):
        run = self.make_run("a", checkpoint=CHECKPOINT)
        document = (mxt.SOURCE_ROOT / "docs" / "manifest.md").read_text()
        command = re.search(r"^    (jq .*?b3sum)", document, re.MULTILINE)[1]
        made = subprocess.run(command, shell=True, cwd=run, check=True, capture_output=True, text=True).stdout
        self.assertEqual(made.split()[0], self.manifest(run)["result_id"])

    def test_the_first_difference_is_named(self):
        a = self.make_run("a", checkpoint=CHECKPOINT)
        b = self.make_run("c", seed=2, data=b"[]\n", checkpoint=CHECKPOINT)
        self.expect_difference(a, b, "config", "seed is 1 in ", " and 2 in ")
        b = self.make_run("d", data=b"[]  \n", checkpoint={**CHECKPOINT, "tokenizer.json": b""})
        self.expect_difference(a, b, "dataset 1: ", "3 bytes in ", "5 in ")
        decision = {**mxt_plans.CPU_DECISION, "attention": {"backend": "math"}}
        b = self.make_run("e", checkpoint=CHECKPOINT, plan=mxt_plans.text(mxt_plans.seal(decision, mxt_plans.EVIDENCE)))
        self.expect_difference(a, b, "the plans differ")

    def expect_unknown(self, a, b, *words):
        result = self.compare(a, b, status=7)
        self.assertIn(UNKNOWN, result.err)
        for word in words:
            self.assertIn(word, result.err)

    def foreign(self, name, data=b"{}\n", checkpoint=None):
        """A run of another launcher, of which neither plan nor config is known."""
        run, file, out = self.dir / name / "run", self.dir / name / "data.jsonl", self.dir / name / "out"
        run.mkdir(parents=True)
        out.mkdir()
        file.write_bytes(data)
        for path, content in (checkpoint or CHECKPOINT).items():
            (out / path).write_bytes(content)
        self.run_program("manifest", "create", run, "--dataset", file, "--checkpoint", out, status=0)
        return run

    def test_a_result_that_cannot_be_checked_is_none(self):
        """It may have been made up."""
        runs = [self.make_run(name, checkpoint={**CHECKPOINT, "tokenizer.json": name.encode()}) for name in "ab"]
        for version, status, error in (2, 7, UNKNOWN), (0, 3, "MXT-388"), (None, 3, "MXT-388"):
            for run in runs:
                manifest = json.loads((run / "manifest.json").read_text())
                manifest["result"] = {"made": "up"} if version is None else {"version": version}
                manifest["result_id"] = mxt_manifests.b3(mxt_manifests.canonical(manifest["result"]))
                (run / "manifest.json").write_bytes(mxt_manifests.canonical(mxt_manifests.seal(manifest)))
            self.assert_error(self.run_program("verify", "--same-result", *runs), status, error)

    def test_what_both_have_is_compared_without_ids(self):
        a = self.foreign("a")
        self.expect_unknown(a, self.foreign("b"), "no difference in datasets, checkpoint; ", "a/run has no result_id: "
                            "the plan is not known, the config is not known", "b/run has no result_id: ")
        self.expect_difference(a, self.foreign("c", data=b"[]\n"), "dataset 1: data.jsonl differs")
        weights = safetensors(a=([2], [1, 2]), b=([2, 2], [1, 2, 3, 5]))
        other = self.foreign("d", checkpoint={**CHECKPOINT, "adapter_model.safetensors": weights})
        self.expect_difference(a, other, "tensor b (F32 [2, 2]): 1 of 4 elements differ")
        ours = self.make_run("e", checkpoint=CHECKPOINT)
        self.expect_unknown(ours, a, "no difference in datasets, checkpoint; ", "a/run has no result_id: ")
        self.assertNotIn("run-e has no result_id", self.compare(ours, a, status=7).err)

    def test_without_ids_for_programs(self):
        a, b = self.foreign("a"), self.foreign("b")
        answer = json.loads(self.compare(a, b, "--json", status=7).out)
        self.assertNotIn("same", answer)
        self.assertNotIn("difference", answer)
        self.assertEqual([run["unknown"][0] for run in answer["runs"]], ["the plan is not known"] * 2)
        self.assertFalse(any("result_id" in run for run in answer["runs"]))
        answer = json.loads(self.compare(a, self.foreign("c", data=b""), "--json", status=7).out)
        self.assertIs(answer["same"], False)
        self.assertIn("dataset 1", answer["difference"])

    def test_the_config_of_a_run_without_a_checkpoint(self):
        a, b = (self.make_run(name, seed=seed, checkpoint={"tokenizer.json": b"{}"}) for name, seed in (("a1", 1), ("b2", 2)))
        self.expect_difference(a, b, "the configs differ: ", "seed is 1 in ", " and 2 in ")
        c = self.make_run("c", checkpoint={"tokenizer.json": b"{}"})
        self.expect_unknown(a, c, "no difference in plan, config, datasets, checkpoint; ",
                            "a1 has no result_id: no checkpoint with final tensors is known; ")

    def test_nothing_in_common(self):
        for name in ("a", "b"):
            self.write(f"{name}/log.txt", name)
            self.run_program("manifest", "create", self.dir / name, status=0)
        self.expect_unknown(self.dir / "a", self.dir / "b", "nothing in common")

    def test_files_of_the_checkpoint(self):
        a = self.make_run("a", checkpoint=CHECKPOINT)
        b = self.make_run("b", checkpoint={**CHECKPOINT, "tokenizer.json": b"[]"})
        self.expect_difference(a, b, "tokenizer.json differs")
        b = self.make_run("c", checkpoint={**CHECKPOINT, "added_tokens.json": b"{}"})
        self.expect_difference(a, b, "added_tokens.json is only in ")
        weights = safetensors(a=([2], [1, 2]), b=([2, 2], [1, 2, 3, 5]))
        b = self.make_run("d", checkpoint={**CHECKPOINT, "adapter_model.safetensors": weights})
        self.expect_difference(a, b, "tensor b (F32 [2, 2]): 1 of 4 elements differ, the first is [1, 1]")
        answer = json.loads(self.compare(a, b, "--json", status=7).out)
        self.assertIs(answer["same"], False)
        self.assertIn("tensor b", answer["difference"])

    def test_checkpoints_that_are_not_there(self):
        weights = safetensors(a=([2], [1, 3]), b=([2, 2], [1, 2, 3, 4]))
        a = self.make_run("a", checkpoint=CHECKPOINT)
        b = self.make_run("b", checkpoint={**CHECKPOINT, "adapter_model.safetensors": weights})
        out, elsewhere = self.dir / "b" / "out-b", self.dir / "elsewhere"
        out.rename(elsewhere)
        self.expect_difference(a, b, "adapter_model.safetensors differs; in which tensor cannot be said")
        result = self.compare(a, b, "--checkpoint", self.dir / "a" / "out-a", "--checkpoint", elsewhere, status=7)
        self.assertIn("tensor a (F32 [2]): 1 of 2", result.err)
        content = bytearray((elsewhere / "adapter_model.safetensors").read_bytes())
        content[-1] ^= 1
        (elsewhere / "adapter_model.safetensors").write_bytes(content)
        result = self.compare(a, b, "--checkpoint", self.dir / "a" / "out-a", "--checkpoint", elsewhere, status=7)
        self.assertIn("has changed since its manifest was made", result.err)

    def test_usage(self):
        run = self.make_run("a", checkpoint=CHECKPOINT)
        for arguments in ((run,), (run, run, run), (run, run, "--quick"), (run, run, *(["--checkpoint", "x"] * 3))):
            with self.subTest(arguments):
                self.compare(*arguments, status=2)
        self.compare(run, self.dir / "missing", status=3)


if __name__ == "__main__":
    mxt.main()
