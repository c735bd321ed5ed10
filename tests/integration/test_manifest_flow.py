#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a training to what others can check: its manifest, one changed byte, a signature, a statement; two runs of one
result. Axolotl is test_train's stand-in."""

import json
import pathlib
import shutil
import subprocess
import unittest

import mxt
import test_train

CONFIG = test_train.CONFIG + """\
datasets:
  - path: data/train.jsonl
    type: alpaca
"""


class Flow(test_train.TestCase):
    def setUp(self):
        super().setUp()
        self.config.write_text(CONFIG)
        self.data = self.write("data/train.jsonl", '{"instruction": "a", "output": "b"}\n')
        self.train()
        self.run_dir = self.folder()

    def verify(self, *options, status=0):
        return self.run_program("verify", self.run_dir, "--json", *options, status=status)

    def findings(self, *options):
        return [(finding["problem"], pathlib.Path(finding["path"]).name)
                for finding in self.verify(*options, status=7).json()["findings"]]

    def flip(self, path):
        """Its last byte becomes another one."""
        data = path.read_bytes()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))

    def test_a_run_is_what_its_manifest_says_until_a_byte_changes(self):
        manifest = json.loads((self.run_dir / "manifest.json").read_text())
        self.assertEqual([made["role"] for made in manifest["lists"]], ["run", "dataset", "checkpoint"])
        self.assertEqual(manifest["run"]["exit_status"], 0)
        self.assertEqual(self.verify().json()["manifest_id"], manifest["manifest_id"])
        for path in (self.data, self.dir / "out/adapter_model.safetensors", self.run_dir / "train.log"):
            with self.subTest(path.name):
                self.flip(path)
                self.assertEqual(self.findings(), [("content", path.name)])
                self.flip(path)
                self.verify()

    def test_a_copy_elsewhere_verifies(self):
        copy = self.dir / "elsewhere"
        shutil.copytree(self.run_dir, copy / "run")
        shutil.move(self.data, copy / "train.jsonl")
        shutil.move(self.dir / "out", copy / "trained")
        places = ("--dataset", copy / "train.jsonl", "--checkpoint", copy / "trained")
        self.run_program("verify", copy / "run", *places, status=0)
        self.assert_error(self.run_program("verify", copy / "run"), 7, "MXT-380")

    @unittest.skipUnless(shutil.which("ssh-keygen"), "there is no ssh-keygen here")
    def test_a_signature_holds_for_this_run_and_key(self):
        keys = [self.dir / name for name in ("ours", "theirs")]
        for key in keys:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        ours, theirs = (key.with_suffix(".pub") for key in keys)
        self.assert_error(self.run_program("verify", self.run_dir, "--signed-by", ours), 7, "MXT-395")
        self.run_program("manifest", "sign", self.run_dir, "--key", keys[0], status=0)
        self.verify("--signed-by", ours)
        self.assert_error(self.run_program("verify", self.run_dir, "--signed-by", theirs), 7, "MXT-395")
        signers = self.write("signers", "me@example.org " + ours.read_text())
        self.verify("--signed-by", signers)
        self.run_program("manifest", "create", self.run_dir, status=0)
        self.assert_error(self.run_program("verify", self.run_dir, "--signed-by", ours), 7, "MXT-395")

    def test_a_statement_names_all_of_it(self):
        statement = self.run_program("manifest", "export", self.run_dir, "--in-toto", status=0).json()
        names = {subject["name"] for subject in statement["subject"]}
        self.assertTrue({"run/train.log", "checkpoint/adapter_model.safetensors"} <= names, names)
        self.assertTrue(all(set(subject["digest"]) == {"blake3", "sha256"} for subject in statement["subject"]))

    def test_two_runs_of_one_result(self):
        """In another folder, at another time, one result; with another tensor, another, which is named."""
        again = self.dir / "again"
        again.mkdir()
        shutil.copytree(self.dir / "env", again / "env", symlinks=True)
        shutil.copytree(self.dir / "data", again / "data")
        (again / "run.yaml").write_text(CONFIG)
        self.train(cwd=again)
        second = next((again / "runs").iterdir())
        ids = [json.loads((run / "manifest.json").read_text()) for run in (self.run_dir, second)]
        self.assertEqual(ids[0]["result_id"], ids[1]["result_id"])
        self.assertNotEqual(ids[0]["manifest_id"], ids[1]["manifest_id"])
        self.run_program("verify", "--same-result", self.run_dir, second, status=0)
        self.flip(again / "out/adapter_model.safetensors")
        self.run_program("manifest", "create", second, status=0)
        result = self.run_program("verify", "--same-result", self.run_dir, second)
        self.assert_error(result, 7, "MXT-385")
        self.assertIn("adapter_model.safetensors", result.out + result.err)


if __name__ == "__main__":
    mxt.main()
