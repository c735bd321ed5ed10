#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pinned products on the stand-ins of a ROCm torch: what is pinned, that it really runs, and what takes pins back."""

import json
import os
import signal

import mxt
import mxt_plans
import sim_hip
import sim_rocm
import sim_torch
from sim_hip import both

MODEL = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 32, "intermediate_size": 64,
    "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 32, "vocab_size": 64,
    "max_position_embeddings": 512, "torch_dtype": "bfloat16", "tie_word_embeddings": False, "rms_norm_eps": 1e-06,
    "hidden_act": "silu",
}
# The second solution is a fifth faster than hipBLASLt's own choice.
TUNABLEOP = {"PYTORCH_TUNABLEOP_ENABLED": "1", "PYTORCH_TUNABLEOP_TUNING": "0",
             "PYTORCH_TUNABLEOP_FILENAME": "@file:tunableop.csv@"}
FASTER = {"hipblaslt": {"factors": [1, 0.8]}, "rocblas": {"factors": [1, 1.2]}}


class Pins(sim_hip.TestCase):
    def setUp(self):
        super().setUp()
        self.write("config.json", json.dumps(MODEL))
        self.temporary = self.dir / "tmp"
        self.temporary.mkdir()

    def arguments(self, out="plan.json", budget=120):
        return ("autotune", "--device", "hip", "--python", self.torch.folder, "--model", self.dir / "config.json",
                "--seq-len", 16, "--micro-batch", 1, "--budget", budget, "--out", self.dir / out)

    def environment_of(self, scenario):
        return {**self.variables({"solutions": FASTER, **scenario}), "TMPDIR": str(self.temporary)}

    def tune(self, *args, status=0, env=None, out="plan.json", budget=120, **scenario):
        return self.run_program(*self.arguments(out, budget), *args, status=status,
                                env={**self.environment_of(scenario), **(env or {})})

    def gemm(self):
        return self.plan()["decision"]["gemm"]

    def assert_not_pinned(self, *words):
        """The library goes on choosing, the rest of the plan is whole, and each word is in what was skipped."""
        self.assertEqual(self.gemm(), {"library": "hipblaslt", "mode": "heuristic"})
        self.assertFalse([name for name in self.plan()["decision"].get("env", {}) if "TUNABLE" in name or "TUNING" in name])
        skipped = " ".join(self.plan()["evidence"]["budget"]["skipped"])
        for word in words:
            self.assertIn(word, skipped)
        self.assertFalse([row for row in self.plan()["evidence"]["heuristic"]["samples"] if "pinned" in row])

    def test_pins_run_on_the_layer(self):
        result = self.tune()
        gemm, evidence = self.gemm(), self.plan()["evidence"]
        self.assertEqual(gemm["mode"], "pinned")
        self.assertEqual({pin["solution"] for pin in gemm["pins"]}, {50001})
        self.assertEqual(gemm["built"], {"arch": "gfx942:sramecc+:xnack-", "hip": "702", "hipblaslt": "100202-dabb6df2b9",
                                         "rocblas": "5.2.0.dabb6df2b9"})
        self.assertEqual(self.plan()["decision"]["env"], TUNABLEOP)
        self.assertEqual(self.choice("pins")["winner"], "pinned")
        self.assertGreater(self.choice("pins")["bound_ppm"], 150000)
        self.assertGreater(self.choice("confirm")["bound_ppm"], 100000)
        self.assertEqual(len(gemm["pins"]), len([row for row in evidence["heuristic"]["samples"] if "pinned" in row]))
        self.assertRegex(result.out, rf"(?m)^pins: {len(gemm['pins'])} products, which save \d+\.\d % of GEMM time")
        self.assertEqual(os.listdir(self.temporary), [])
        self.run_program("plan", "env", self.dir / "plan.json", "--files", self.dir / "files", status=0)
        content = (self.dir / "files" / "tunableop0.csv").read_bytes()
        self.assertEqual(evidence["files"], {"tunableop.csv": mxt_plans.blake3(content)})

    def test_a_second_machine_confirms_them(self):
        self.tune()
        first = self.plan()["plan_id"]
        self.tune("--against", self.dir / "plan.json", out="second.json")
        self.assertEqual(json.loads((self.dir / "second.json").read_text())["plan_id"], first)
        slower = {"hipblaslt": {"factors": [1, 1.3]}, "rocblas": {"factors": [1, 1.2]}}
        self.assert_error(self.tune("--against", self.dir / "plan.json", out="third.json", status=7, solutions=slower), 7,
                          "MXT-245", "gemm: surely slower than bare")
        self.assertEqual(os.listdir(self.temporary), [])

    def test_hipblaslt_reads_them_under_an_older_torch(self):
        self.torch = sim_rocm.Environment(self.dir / "old", build="2.8")
        self.tune()
        self.assertEqual(self.plan()["decision"]["env"], {"HIPBLASLT_TUNING_OVERRIDE_FILE": "@file:hipblaslt.txt@"})
        self.assertEqual(self.gemm()["mode"], "pinned")
        self.assertGreater(self.choice("confirm")["bound_ppm"], 100000)

    def test_nothing_reads_them(self):
        self.torch = sim_rocm.Environment(self.dir / "old", build="2.8", hipblaslt="6.2")
        self.tune()
        self.assert_not_pinned("pins: nothing in this stack reads pins")

    def test_little_gain_pins_nothing(self):
        self.tune(solutions={"hipblaslt": {"factors": [1, 0.97]}, "rocblas": {"factors": [1, 1.2]}})
        self.assert_not_pinned()
        self.assertEqual(self.choice("pins")["rule"], "no product has a solution that surely saves 5 % of it")

    def test_a_solution_that_is_gone(self):
        """It was named once, and is not there when the library is asked again."""
        self.tune(solutions={"hipblaslt": {"factors": [1, 0.8], "vanish": 50001}, "rocblas": {"factors": [1, 1.2]}})
        self.assert_not_pinned()
        self.assertEqual(self.choice("pins")["winner"], "heuristic")

    def test_pins_that_torch_refuses(self):
        """What would be an error in the job is one in the confirm stage: the pins go, and what else was chosen stays."""
        self.tune(faults=[sim_torch.fault("mm.hipblaslt.50001", "error", text="no such solution")],
                  attention={"aotriton": both(1.5), "ck": both(1)})
        self.assert_not_pinned()
        self.assertEqual(self.choice("pins")["winner"], "pinned")
        rules = [row["rule"] for row in self.plan()["evidence"]["choices"] if row["probe"] == "confirm"]
        self.assertEqual(rules, ["a worker failed in this race", "not surely slower"])
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "ck")
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_file_that_torch_does_not_take(self):
        """torch was built with another HIP than it says: it warns, computes as ever, and no pin shows."""
        self.torch = sim_rocm.Environment(self.dir / "odd", hip="7.1.26015")
        self.tune()
        self.assert_not_pinned("pins: none was seen to act")

    def test_what_was_ranked_is_kept(self):
        """The library hangs at the fourth product: the three before it are pinned."""
        self.tune(faults=[sim_torch.fault("hipblaslt.heuristic", "hang", after=3)], budget=60)
        self.assertEqual(self.plan()["evidence"]["heuristic"]["ranked"], len(self.gemm()["pins"]))
        self.assertEqual(self.gemm()["mode"], "pinned")

    def test_nothing_may_tune_while_the_job_runs(self):
        result = self.tune(env={"PYTORCH_TUNABLEOP_ENABLED": "1"}, status=3)
        self.assert_error(result, 3, "MXT-128", "PYTORCH_TUNABLEOP_TUNING=0")

    def test_an_interrupt_leaves_no_files(self):
        hang = sim_torch.fault("mm.hipblaslt.50001", "hang", after=40)
        process = self.start(*self.arguments(), env=self.environment_of({"faults": [hang]}))
        self.assertTrue(mxt.wait_until(lambda: os.listdir(self.temporary), 60))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(os.listdir(self.temporary), [])


if __name__ == "__main__":
    mxt.main()
