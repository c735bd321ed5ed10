#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`autotune` through a torch on the host: the real ones of the cache, oldest and newest; and where there is none."""

import json
import os
import unittest

import autotune
import mxt
import real_torch

CONFIG = {"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 4,
          "num_key_value_heads": 2, "head_dim": 64, "intermediate_size": 512, "vocab_size": 1024,
          "tie_word_embeddings": False}
# Variables that choose the kernels of a torch on the host.
NO_SELECTORS = {**autotune.NO_SELECTORS, "OMP_PROC_BIND": None, "OMP_PLACES": None, "MKL_NUM_THREADS": None,
                "ATEN_CPU_CAPABILITY": None, "ONEDNN_MAX_CPU_ISA": None}
NO_TORCH = {"VIRTUAL_ENV": None, "CONDA_PREFIX": None, "PYTHONPATH": None, "PATH": "/nowhere"}


class TestCase(mxt.TestCase):
    def tune(self, *args, env=None, budget=120, **how):
        config = self.write("config.json", CONFIG)
        return self.run_program("autotune", "--model", config, "--seq-len", "128", "--budget", budget, *args,
                                env={**NO_SELECTORS, **(env or {})}, timeout=budget + 60, **how)

    def torch(self, version, text):
        """A folder for --python whose torch is nothing but what it says of itself."""
        site = "env/lib/python3.11/site-packages"
        self.write("env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
        self.write(f"{site}/torch/version.py", text)
        self.write(f"{site}/torch-{version}.dist-info/METADATA", f"Name: torch\nVersion: {version}\n")
        python = self.write("env/bin/python3", "no program\n")
        python.chmod(0o755)
        return self.dir / "env"


class RealTorch(TestCase):
    def plan_of(self, version):
        environment = real_torch.environment(version)
        result = self.tune("--device", "cpu", "--python", environment, "--out", f"{version}.json", status=0)
        return result, json.loads((self.dir / f"{version}.json").read_text())

    def look(self, version):
        result, plan = self.plan_of(version)
        decision, samples = plan["decision"], plan["evidence"]["samples"]
        self.assertEqual(decision["stack"]["torch"].partition("+")[0], version)
        self.assertNotIn("provider", decision["stack"])
        self.assertNotIn("self-test", result.out)
        self.assertNotIn("simulated", plan["evidence"])
        self.assertEqual({row["problem"]["dtype"] for row in samples if "problem" in row}, {"bfloat16"})
        attention = [row for row in samples if row["probe"] == "attention" and row["candidate"] == "bare"]
        self.assertEqual({row["status"] for row in attention}, {"ok"})
        self.assertEqual({row["backend"] for row in attention}, {decision["attention"]["backend"]})
        self.assertIn(decision["attention"]["backend"], ("flash", "math"))
        self.assertEqual(decision["gemm"], {"library": "torch", "mode": "heuristic"})
        facts = [row["facts"] for row in plan["evidence"]["witnesses"] if row["candidate"] == "bare"]
        self.assertTrue(facts[0]["library"].endswith("libtorch_cpu.so"), facts)
        self.check(version, plan)

    def check(self, version, plan):
        """It fits the torch that it was made with, and no other."""
        path = self.dir / f"{version}.json"
        out = self.run_program("plan", "check", path, "--python", real_torch.environment(version), "--for", "train",
                               env=NO_SELECTORS, status=0).out
        self.assertIn(f"plan {plan['plan_id']} fits this machine (cpu-torch)", out)
        other = next(name for name in real_torch.VERSIONS if name != version)
        event = self.run_program("plan", "check", "--json", path, "--python", real_torch.environment(other),
                                 env=NO_SELECTORS, status=5).json()
        self.assertEqual([row["path"] for row in event["differences"]], ["stack.torch"])
        self.assert_error(self.run_program("plan", "check", path, env={**NO_SELECTORS, **NO_TORCH}), 4, "MXT-134",
                          "no torch was found", "--python")
        post = self.run_program("plan", "show", "--format", "post", path, status=0).out
        self.assertIn(f"| torch | `{plan['decision']['stack']['torch']}` |", post)
        self.assertNotIn("CUDA", post)

    def test_oldest(self):
        self.look(real_torch.VERSIONS[0])

    def test_deterministic(self):
        for version in real_torch.VERSIONS:
            self.tune("--device", "cpu", "--python", real_torch.environment(version), "--deterministic", status=0)
            plan = json.loads((self.dir / "plan.json").read_text())
            self.assertIs(plan["decision"]["workload"]["training"]["deterministic"], True)
            self.assertNotIn("CUBLAS_WORKSPACE_CONFIG", plan["decision"].get("env", {}))
            rows = [row for row in plan["evidence"]["samples"] if row["candidate"] == "bare" and "problem" in row]
            self.assertEqual({row["repeatable"] for row in rows}, {True})
            self.assertEqual({row["facts"]["deterministic"] for row in plan["evidence"]["witnesses"]}, {True})

    def test_newest(self):
        self.look(real_torch.VERSIONS[-1])


class Picks(TestCase):
    """Which device is taken, and what is said about it. The plan is not made."""

    def preview(self, *args, **how):
        return self.tune(*args, "--print-workload", **how)

    def fallback(self, device, *args, words, env=None):
        """The self-test steps in, with a note; its budget is so small that nothing is measured."""
        result = self.tune("--device", device, *args, "--json", env=env, budget=1)
        events = result.events()
        run = next(event for event in events if event["event"] == "run")
        self.assertEqual((run["device"], run["self_test"]), ("cpu", True))
        notes = [event["text"] for event in events if event["event"] == "note"]
        for word in words:
            self.assertIn(word, notes[0])

    def test_no_torch(self):
        for device in ("auto", "cpu"):
            self.fallback(device, env=NO_TORCH, words=["no torch was found", "--python"])

    def test_a_torch_that_is_too_old(self):
        folder = self.torch("2.7.1", "__version__ = '2.7.1+cpu'\ncuda = None\n")
        for device in ("auto", "cpu"):
            self.fallback(device, "--python", folder, words=["2.7.1", "2.8"])

    def test_a_torch_that_says_nothing(self):
        folder = self.torch("2.9.0", "# cut off")
        self.fallback("cpu", "--python", folder, words=["version.py does not tell a version"])

    def test_self_test_asks_for_no_torch(self):
        result = self.preview("--device", "self-test", env=NO_TORCH, status=0)
        self.assertIn("float32", result.out)

    def test_cuda_is_asked_for(self):
        old = self.torch("2.7.1", "__version__ = '2.7.1+cu128'\ncuda = '12.8'\n")
        for env, args, words in ((NO_TORCH, [], "no torch was found"), ({}, ["--python", old], "2.7.1")):
            self.assert_error(self.preview("--device", "cuda", *args, env=env), 4, "MXT-244", "--device cuda", words)
        host = self.torch("2.9.0", "__version__ = '2.9.0+cpu'\ncuda = None\n")
        self.assert_error(self.preview("--device", "cuda", "--python", host), 4, "MXT-244", "not built for CUDA")

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "NVIDIA's driver is here")
    def test_no_driver(self):
        folder = self.torch("2.9.0", "__version__ = '2.9.0+cu130'\ncuda = '13.0'\n")
        result = self.preview("--device", "cuda", "--python", folder, env={"LD_LIBRARY_PATH": None})
        self.assert_error(result, 4, "MXT-244", "libnvidia-ml.so.1")

    def test_several_nodes(self):
        folder = self.torch("2.9.0", "__version__ = '2.9.0+cu130'\ncuda = '13.0'\n")
        self.assert_error(self.preview("--device", "cpu", "--python", folder, "--gpus", "2", "--nodes", "2"), 4,
                          "MXT-246", "2 GPUs on 2 nodes: the cpu-torch device can only stand for one")

    def test_no_such_python(self):
        self.assert_error(self.preview("--python", "/nowhere/python3"), 3, "MXT-231", "/nowhere/python3")


if __name__ == "__main__":
    mxt.main()
