#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real Axolotl under a plan, on a host: a plan is made for a job, the job is trained under it, stopped, and spoilt.
What `make check-axolotl` runs. Nothing here is a stand-in."""

import functools
import json
import math
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import mxt
import real_axolotl

SCHEMA = mxt.SOURCE_ROOT / "tests" / "tools" / "axolotl_schema.py"
BUDGET_S = 240 # enough for a busy host; a quiet one is done long before
LIMIT_S = 300

# An Axolotl plugin that undoes what the plan asks for.
TAMPER = """\
from axolotl.integrations.base import BasePlugin


class Tamper(BasePlugin):
    def register(self, cfg):
        cfg["attn_implementation"] = "eager"
"""


@functools.lru_cache(maxsize=None)
def job():
    """The folder of the job and its plan.json; made once."""
    python = real_axolotl.require()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mxt-axolotl-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    real_axolotl.make_job(folder)
    maker = mxt.TestCase()
    maker.setUp()
    try:
        maker.run_program("-m", "axolotl.cli.preprocess", "run.yaml", program=python, env=real_axolotl.OFFLINE,
                          cwd=folder, status=0, timeout=LIMIT_S)
        maker.run_program("autotune", "--config", "run.yaml", "--device", "cpu", "--python", python, "--budget",
                          BUDGET_S, "--out", "plan.json", env=real_axolotl.OFFLINE, cwd=folder, status=0,
                          timeout=BUDGET_S + 120)
    finally:
        maker.doCleanups()
    return folder

# Axolotl draws the first values of an adapter before it sets the seed.
SEED_FIRST = """\
import torch

from axolotl.integrations.base import BasePlugin


class SeedFirst(BasePlugin):
    def pre_lora_load(self, cfg, model):
        torch.manual_seed(cfg.seed)
"""


class TestCase(mxt.TestCase):
    def setUp(self):
        super().setUp()
        shutil.copytree(job(), self.dir, dirs_exist_ok=True)
        self.plan = json.loads((self.dir / "plan.json").read_text())

    def command(self, *args):
        return ("train", "--plan", "plan.json", "--config", "run.yaml", "--python", real_axolotl.require(), *args)

    def train(self, *args, status=0):
        return self.run_program(*self.command(*args), env=real_axolotl.OFFLINE, status=status, timeout=LIMIT_S)

    def run_folder(self):
        """Of the only run."""
        folder, = (self.dir / "runs").iterdir()
        return folder

    def record(self):
        return json.loads((self.run_folder() / "status.json").read_text())

    def assert_trained(self, log):
        losses = real_axolotl.losses(log)
        self.assertEqual(len(losses), 6, log[-4000:])
        self.assertTrue(all(map(math.isfinite, losses)), losses)
        weights = real_axolotl.tensors(self.dir / "out" / "adapter_model.safetensors")
        trained = [name for name, content in weights.items() if "lora_B" in name and content.strip(b"\0")]
        self.assertEqual((len(weights), len(trained)), (16, 8), sorted(weights)) # B begins with zeros
        print("loss:", *losses, flush=True)


class Training(TestCase):
    def test_plain_accelerate(self):
        """Without us: what the other tests rest on."""
        self.write("accelerate.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nuse_cpu: true\n"
                                      "num_machines: 1\nnum_processes: 1\n")
        result = self.run_program("-m", "accelerate.commands.launch", "--config_file", "accelerate.yaml", "--cpu", "-m",
                                  "axolotl.cli.train", "run.yaml", program=real_axolotl.require(),
                                  env=real_axolotl.OFFLINE, status=0, timeout=LIMIT_S)
        self.assert_trained(result.out)

    def test_train(self):
        result = self.train()
        self.assert_trained((self.run_folder() / "train.log").read_text())
        record = self.record()
        self.assertEqual((record["exit_status"], record["plan_id"]), (0, self.plan["plan_id"]), result)
        self.assertEqual(record["end"], {"how": "exited", "status": 0})
        self.assertEqual(record["config_report"], "confirmed")
        self.assertEqual({row["path"] for row in record["artefacts"]},
                         {"./out/adapter_model.safetensors", "./out/checkpoint-6/trainer_state.json"})
        self.assertEqual([row["key"] for row in record["yaml_changes"]], ["attn_implementation"])
        self.assertEqual((record["swept"], record["remarks"], record["marks"], record["caches"]), (0, [], [], []))
        manifest = json.loads((self.run_folder() / "manifest.json").read_text())
        self.assertEqual([made["root"] for made in manifest["lists"]],
                         [str(self.run_folder()), f"{self.dir}/train.jsonl", f"{self.dir}/out"])
        self.assertIn(f"{manifest['manifest_id']}, result_id {manifest['result_id']}\n", result.err)
        self.run_program("verify", self.run_folder(), status=0)

    def test_what_ran(self):
        """The backend is the plan's inside the training process, and most of a step is what was timed."""
        self.train("--require-proof")
        record = self.record()
        backend = self.plan["decision"]["attention"]["backend"]
        self.assertIn("sdpa", {row["what"] for row in record["witnesses"]})
        self.assertEqual({(row["rank"], row["saw"], row["planned"]) for row in record["witnesses"]},
                         {(0, backend, backend)}, record["witnesses"])
        self.assertGreaterEqual(record["coverage"]["share_ppm"], 800000, record["coverage"])

    def test_config_is_kept(self):
        """The user's file, and a copy of it, as they were; Axolotl gets another one, with one line more."""
        self.train("--launcher", "python", "--no-coverage")
        folder = self.run_folder()
        for path in (self.dir / "run.yaml", folder / "run.yaml"):
            self.assertEqual(path.read_text(), real_axolotl.CONFIG)
        edited = (folder / "run.axolotl.yaml").read_text()
        self.assertEqual(edited, real_axolotl.CONFIG + "attn_implementation: sdpa\n")

    def test_two_come_to_the_same_result(self):
        """In folders of their own, which have other names."""
        runs = []
        for name in ("first", "second"):
            folder = self.dir / name
            folder.mkdir()
            shutil.copytree(self.dir / "model", folder / "model")
            for file in ("train.jsonl", "plan.json"):
                shutil.copy(self.dir / file, folder)
            (folder / "seed_first.py").write_text(SEED_FIRST)
            config = real_axolotl.CONFIG.replace("output_dir: ./out", f"output_dir: ./{name}-out")
            (folder / "run.yaml").write_text(config + "seed: 7\nplugins: [seed_first.SeedFirst]\n")
            self.run_program(*self.command("--no-coverage"), cwd=folder, env=real_axolotl.OFFLINE, status=0,
                             timeout=LIMIT_S)
            runs += (folder / "runs").iterdir()
        self.assertIn("came to the same result", self.run_program("verify", "--same-result", *runs, status=0).out)

    def test_key_that_does_not_survive(self):
        """Axolotl's own report says so, and nothing trains."""
        self.write("tamper.py", TAMPER)
        self.write("run.yaml", real_axolotl.CONFIG + "plugins: [tamper.Tamper]\n")
        self.train(status=125)
        record = self.record()
        self.assertEqual((record["config_report"], record["cause"]["id"]), ("differs", "MXT-308"), record)
        self.assertEqual(real_axolotl.losses((self.run_folder() / "train.log").read_text()), [])

    def stop(self, number, grace_s):
        """Signals a training that has begun, and looks at its end; the test itself looks for what is left."""
        self.write("run.yaml", real_axolotl.CONFIG.replace("max_steps: 6", "max_steps: 100000"))
        process = self.start(*self.command("--grace", grace_s), env=real_axolotl.OFFLINE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        self.assertTrue(mxt.wait_until(lambda: any("{'loss'" in path.read_text(errors="replace")
                                                   for path in self.dir.glob("runs/*/train.log")), LIMIT_S))
        process.send_signal(number)
        self.assertEqual(process.wait(120), 128 + number)
        record = self.record()
        self.assertEqual((record["exit_status"], record["signal"], record["stuck"]), (128 + number, number, []))

    def test_stopped(self):
        """accelerate dies of TERM and leaves its trainer, which is ended too."""
        self.stop(signal.SIGTERM, 5)

    def test_interrupted(self):
        """accelerate dies of it at once; its trainer hears of it nevertheless, and saves what it has."""
        self.stop(signal.SIGINT, 60)
        self.assertTrue(real_axolotl.tensors(self.dir / "out" / "adapter_model.safetensors"))


class Examples(mxt.TestCase):
    def test_axolotl_takes_them(self):
        files = sorted((mxt.SOURCE_ROOT / "examples").glob("*.yaml"))
        result = self.run_program(SCHEMA, *files, program=real_axolotl.require(), env=real_axolotl.OFFLINE, status=0)
        seen = [json.loads(line) for line in result.out.splitlines() if line.startswith('{"file"')]
        self.assertEqual([pathlib.Path(row["file"]).name for row in seen], [path.name for path in files])
        for row in seen:
            self.assertEqual((row["unknown"], row["changed"]), ([], []), row)


if __name__ == "__main__":
    mxt.main()
