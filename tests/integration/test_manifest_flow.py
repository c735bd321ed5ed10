#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a training to what others can check: its manifest, one changed byte, a signature, a statement; two runs of one
result. Axolotl is test_train's stand-in."""

import json
import pathlib
import shutil
import signal
import subprocess
import unittest

import launched
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


class Machines(test_train.TestCase):
    """One training in two places: result_id is of what was trained, and of nothing else."""

    TRAINED = test_train.TRAIN
    DATA = '{"instruction": "a", "output": "b"}\n'

    def elsewhere(self):
        """A program that runs this one on a host of another name, where that can be done."""
        own = ["unshare", "--user", "--map-root-user", "--uts"]
        if not shutil.which("unshare") or subprocess.run([*own, "hostname", "node-b"], capture_output=True,
                                                         check=False).returncode:
            return None
        path = self.write("elsewhere.sh", f"""#!/bin/sh\nexec {' '.join(own)} sh -c 'hostname node-b; exec "$@"' sh """
                          f"""'{mxt.PROGRAM}' "$@"\n""")
        path.chmod(0o755)
        return path

    def run_on(self, name, *, config=CONFIG, data=DATA, weights=b"w", options=(), **how):
        """The manifest of one training, in a folder of its own."""
        home = self.dir / name
        shutil.copytree(self.dir / "env", home / "env", symlinks=True)
        module = home / self.packages.relative_to(self.dir) / "axolotl/cli/train.py"
        module.write_text(self.TRAINED.replace('}} \' + b"w"', f"}}}} ' + {weights!r}"))
        file = home / ("corpus/part.jsonl" if "corpus" in config else "data/train.jsonl")
        file.parent.mkdir(parents=True)
        file.write_text(data)
        (home / "run.yaml").write_text(config.replace("HOME", str(home)))
        self.train(cwd=home, options=options, **how)
        return json.loads(next(home.glob("*/*/manifest.json")).read_text())

    def test_places_names_and_times_count_for_nothing(self):
        first = self.run_on("a")
        config = "# another copy\n" + CONFIG.replace("path: data/train.jsonl", "path: HOME/corpus").replace(
            "output_dir: ./out", "output_dir: HOME/elsewhere/out").replace("0.0001", "1e-4")
        environment = {"HOME": self.dir, "USER": "karin", "LOGNAME": "karin", "TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8"}
        second = self.run_on("b", config=config, env=environment, options=["--out", "other"], program=self.elsewhere())
        self.assertEqual(first["result"], second["result"])
        self.assertEqual(first["result_id"], second["result_id"])
        self.assertNotEqual(first["manifest_id"], second["manifest_id"])
        self.assertNotIn(str(self.dir), json.dumps(first["result"]))

    def test_what_was_trained_counts(self):
        ids = [self.run_on(name, **other)["result_id"] for name, other in {
            "a": {}, "b": {"config": CONFIG.replace("0.0001", "0.0002")}, "c": {"config": CONFIG + "seed: 3\n"},
            "d": {"data": self.DATA + "\n"}, "e": {"weights": b"v"}}.items()]
        self.assertEqual(len(set(ids)), len(ids))


class Record(test_train.TestCase):
    def test_all_that_is_known_of_a_training(self):
        """The content of docs/manifest.md, each from its file; a ledger by its hash."""
        self.config.write_text(CONFIG)
        self.write("data/train.jsonl", "{}\n")
        self.train()
        folder = self.folder()
        (folder / "ledger.json").write_text('{"kernels": []}')
        self.run_program("manifest", "create", folder, status=0)
        manifest, status = (json.loads((folder / name).read_text()) for name in ("manifest.json", "status.json"))
        files = {row["path"]: row["blake3"] for row in manifest["lists"][0]["files"]}
        self.assertEqual(manifest["plan"]["blake3"], files["plan.json"])
        self.assertEqual(manifest["plan"]["plan_id"], json.loads(self.simulated_plan().read_text())["plan_id"])
        self.assertEqual((manifest["config"]["given"], manifest["config"]["run"]),
                         (files["run.yaml"], files["run.axolotl.yaml"]))
        self.assertEqual(manifest["proof"]["ledger"], files["ledger.json"])
        self.assertEqual(set(manifest["environment"]), set(json.loads((folder / "env.json").read_text())["changes"]))
        self.assertEqual(manifest["argv"], json.loads((folder / "argv.json").read_text()))
        self.assertIn("train.log", files)
        for key in ("started", "ended", "exit_status", "end", "marks"):
            self.assertEqual(manifest["run"][key], status[key], key)
        self.assertEqual(set(manifest["run"]["marks"]), {"allow-mismatch", "allow-simulated"})
        for key in ("witnesses", "coverage", "caches"):
            self.assertEqual(manifest["proof"].get(key), status.get(key), key)
        self.assertIn("witnesses", manifest["proof"])
        self.assertTrue({"platform", "stack", "git", "directory", "datasets", "output_dir"} <= set(manifest["job"]))
        self.assertTrue({"accelerate", "axolotl"} <= set(manifest["job"]["packages"]), manifest["job"])
        self.assertTrue(manifest["tool"])

    def test_a_training_that_is_interrupted(self):
        """It is recorded with how it ended; what it left may be anything, and is not listed."""
        self.config.write_text(CONFIG)
        self.write("data/train.jsonl", "{}\n")
        process = self.start("train", "--plan", self.simulated_plan(), "--config", "run.yaml", "--python", "env",
                             "--allow-simulated", "--allow-mismatch", "--launcher", "python", "--no-coverage", "--",
                             "--seed=5", env={**launched.SIMULATED, "PYTHONPATH": None})
        self.assertTrue(mxt.wait_until(lambda: any("trains" in path.read_text()
                                                   for path in self.dir.glob("runs/*/train.log"))))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        manifest = json.loads((self.folder() / "manifest.json").read_text())
        self.assertEqual((manifest["run"]["exit_status"], manifest["run"]["signal"]), (130, signal.SIGINT))
        self.assertEqual([made["role"] for made in manifest["lists"]], ["run"])
        self.assertEqual({row["reason"] for row in manifest["not_listed"]}, {"the run did not end well"})
        self.assertIn("unknown", manifest["result"])
        self.run_program("verify", self.folder(), status=0)


if __name__ == "__main__":
    mxt.main()
