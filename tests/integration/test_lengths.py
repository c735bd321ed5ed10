# SPDX-License-Identifier: Apache-2.0
"""Lengths of documents: the reader in a real Python on datasets that `datasets` itself saved, and the program around
it, also with readers that misbehave."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import autotune
import mxt
import real_python

READER = mxt.SOURCE_ROOT / "python" / "mindxtrain_plan" / "lengths.py"
MAKER = pathlib.Path(__file__).with_name("make_datasets.py")
LENGTHS = [n * n % 701 + 1 for n in range(2000)]

YAML = """
base_model: Qwen/Qwen3-8B
sequence_len: 1024
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 2
"""


class RealDatasets(autotune.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = str(real_python.require())
        cls.data = pathlib.Path(tempfile.mkdtemp(prefix="mxt-lengths-"))
        cls.addClassCleanup(shutil.rmtree, cls.data, ignore_errors=True)
        environment = {**os.environ, "HF_HOME": str(cls.data / "hf"), "HF_DATASETS_OFFLINE": "1"}
        subprocess.run([cls.python, MAKER, cls.data], check=True, env=environment, capture_output=True, timeout=300)

    def read(self, path, status=0):
        result = subprocess.run([self.python, "-B", READER, self.data / path], capture_output=True, text=True,
                                timeout=120)
        self.assertEqual(result.returncode, status, result)
        self.assertEqual(result.stderr, "")
        answer = json.loads(result.stdout)
        self.assertEqual(answer["schema"], "mindxtrain.lengths/1")
        return answer

    def assert_lengths(self, answer, lengths):
        expected = sorted(length for length in lengths if length > 0)
        n = len(expected)
        sample = expected if n <= 512 else [expected[(2 * i + 1) * n // 1024] for i in range(512)]
        self.assertEqual(answer["documents"], n)
        self.assertEqual(answer["tokens"], sum(expected))
        self.assertEqual(answer["longest"], expected[-1])
        self.assertEqual(answer["distinct"], len(set(expected)))
        self.assertEqual(answer["sample"], sample)

    def test_every_form(self):
        for name in ("one", "shards", "dict", "large", "file", "parquet", "one/data-00000-of-00001.arrow"):
            with self.subTest(name):
                self.assert_lengths(self.read(name), LENGTHS)
        self.assertEqual(self.read("dict")["folder"], str(self.data / "dict" / "train"))

    def test_parts_of_datasets(self):
        self.assert_lengths(self.read("slice"), LENGTHS[1000:1500])
        self.assert_lengths(self.read("filtered"), [n for n in LENGTHS if n > 100])
        self.assert_lengths(self.read("joined"), LENGTHS + LENGTHS[:1])
        self.assert_lengths(self.read("batches"), LENGTHS[13:713])
        self.assert_lengths(self.read("zeros"), [5])

    def test_a_column_of_lengths_counts(self):
        self.assert_lengths(self.read("with_length"), [n + 1 for n in LENGTHS])

    def test_the_newest_of_prepared_datasets(self):
        prepared = self.data / "prepared"
        for age, name in enumerate(("2ccc", "0aaa", "1bbb")):
            for file in (prepared / name).iterdir():
                os.utime(file, (2_000_000_000 - age,) * 2)
        answer = self.read("prepared")
        self.assertEqual(answer["sample"], [3] * 10)  # the newest is held back for evaluation
        self.assertEqual(answer["folder"], str(prepared / "0aaa"))
        self.assertIn("2 datasets", answer["notes"][0])

    def test_what_cannot_be_read(self):
        (self.data / "nothing").mkdir(exist_ok=True)
        for name, word in (("missing", "there is no"), ("nothing", "no dataset"), ("empty", "no documents"),
                           ("text", "input_ids"), ("no_lists", "input_ids"), ("no_train", "'train'")):
            with self.subTest(name):
                self.assertIn(word, self.read(name, status=1)["error"])

    def test_damaged_files(self):
        whole = (self.data / "one" / "data-00000-of-00001.arrow").read_bytes()
        folder = self.data / "damaged"
        shutil.copytree(self.data / "one", folder)
        file = folder / "data-00000-of-00001.arrow"
        damages = [b"", whole[:3], whole[:100], whole[:len(whole) // 2], whole[:-40], b"\xff" * 4096,
                   whole[:8] + b"\xff" * 64 + whole[72:]]
        for damaged in damages:
            file.write_bytes(damaged)
            result = subprocess.run([self.python, "-B", READER, folder], capture_output=True, text=True, timeout=120)
            answer = json.loads(result.stdout)
            self.assertTrue("error" in answer or answer["documents"] <= 2000, answer)
        shutil.rmtree(folder)

    # ---- through the program ----

    def test_print_workload(self):
        config = self.write("run.yaml", YAML + f"dataset_prepared_path: {self.data / 'one'}\n")
        out = self.run_program("autotune", "--config", config, "--python", self.python, "--print-workload", status=0).out
        lengths = sorted(LENGTHS)
        line = next(line for line in out.splitlines() if line.startswith("lengths:"))
        self.assertEqual(line, f"lengths: 2,000 documents, median {lengths[1001]}, nine in ten up to {lengths[1799]} "
                               f"tokens, from {self.data / 'one'}; 2,000 passes, about 11 distinct shapes")

    def test_the_working_folder_and_the_evidence(self):
        config = self.write("run.yaml", YAML)
        shutil.copytree(self.data / "one", self.dir / "last_run_prepared" / "abc")
        self.simulate("calm", "--config", config, "--python", self.python, model=None)
        plan = self.plan()
        shutil.rmtree(self.dir / "last_run_prepared")
        self.simulate("calm", "--config", config, "--python", self.python, model=None)
        without = self.plan()
        self.assertEqual(plan["evidence"]["lengths"]["source"], "dataset")
        self.assertEqual(plan["evidence"]["lengths"]["documents"], 2000)
        self.assertEqual(plan["evidence"]["lengths"]["passes"], 2000)
        self.assertEqual(without["evidence"]["lengths"]["source"], "assumed")
        self.assertEqual(plan["plan_id"], without["plan_id"])

    def test_what_cannot_be_read_is_a_note(self):
        out = self.run_program("autotune", "--model", "qwen3-8b", "--dataset", self.data / "text", "--python",
                               self.python, "--print-workload", status=0).out
        self.assertIn("could not be read", out)
        self.assertIn("(assumed)", out)


class Readers(autotune.TestCase):
    """Readers that stand in for ours, in any Python."""

    def with_reader(self, text, *args):
        self.write("python/mindxtrain_plan/__init__.py", "")
        self.write("python/mindxtrain_plan/lengths.py", "import os, sys, time\n" + text)
        self.write("data/state.json", {})
        return self.run_program("autotune", "--model", "qwen3-8b", "--dataset", "data", "--python", sys.executable,
                                "--budget", 10, "--print-workload", *args, env={"MXT_PYTHON_DIR": self.dir / "python"},
                                status=0).out

    def assert_assumed(self, out, word):
        note = next(line for line in out.splitlines() if "could not be read" in line)
        self.assertIn(word, note)
        self.assertIn("tokens (assumed)", out)

    def test_it_hangs(self):
        self.assert_assumed(self.with_reader("time.sleep(600)"), "too long")

    def test_it_floods(self):
        self.assert_assumed(self.with_reader("while True: os.write(3, b'x' * 65536)"), "bytes")

    def test_it_prints_garbage(self):
        self.assert_assumed(self.with_reader("os.write(3, b'\\0\\xff garbage')"), "JSON")

    def test_it_says_nothing(self):
        self.assert_assumed(self.with_reader("sys.exit('out of ideas')"), "out of ideas")

    def test_it_dies(self):
        self.assert_assumed(self.with_reader("os.abort()"), "signal")

    def test_it_lies(self):
        answer = {"schema": "mindxtrain.lengths/1", "documents": 3, "tokens": 9, "longest": 4, "distinct": 2,
                  "sample": [2, 9, 4], "folder": "data", "notes": []}
        self.assert_assumed(self.with_reader(f"os.write(3, {json.dumps(answer).encode()!r})"), "ascending")

    def test_it_answers_and_prints(self):
        answer = {"schema": "mindxtrain.lengths/1", "documents": 3, "tokens": 9, "longest": 4, "distinct": 2,
                  "sample": [2, 3, 4], "folder": "da\nta", "notes": ["first"]}
        out = self.with_reader(f"print('noise'); os.write(3, {json.dumps(answer).encode()!r})")
        self.assertIn("lengths: 3 documents, median 3, nine in ten up to 4 tokens, from da ta", out)
        self.assertIn("  first\n", out)
        self.assertNotIn("noise", out)

    def test_it_is_not_there(self):
        shutil.rmtree(self.dir / "python", ignore_errors=True)
        self.write("data/state.json", {})
        out = self.run_program("autotune", "--model", "qwen3-8b", "--dataset", "data", "--python", sys.executable,
                               "--print-workload", env={"MXT_PYTHON_DIR": self.dir / "none"}, status=0).out
        self.assert_assumed(out, "mindxtrain_plan")


class Options(autotune.TestCase):
    def test_stated_lengths(self):
        out = self.run_program("autotune", "--model", "qwen3-8b", "--lengths", "100:200:1000", "--print-workload",
                               status=0).out
        self.assertIn("lengths: 1,000 documents, median 100, nine in ten up to 200 tokens (flags)", out)

    def test_usage(self):
        self.assert_error(self.run_program("autotune", "--model", "qwen3-8b", "--lengths", "200:100"), 2, "MXT-110")
        self.assert_error(self.run_program("autotune", "--model", "qwen3-8b", "--lengths", "9", "--dataset", "."), 2,
                          "MXT-110", "--dataset")
        self.assert_error(self.run_program("autotune", "--model", "qwen3-8b", "--dataset", "none"), 3, "MXT-180",
                          "none")


if __name__ == "__main__":
    mxt.main()
