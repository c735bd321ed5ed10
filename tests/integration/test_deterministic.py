#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`autotune --deterministic`: only what repeats its results is raced, and the plan says what the job must do."""

import json

import autotune
import mxt
import sim_cuda
import sim_torch
from sim_cuda import both, ms

DUTY = "torch.use_deterministic_algorithms(True)"
REQUIRED = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "FLASH_ATTENTION_DETERMINISTIC": "1"}
QUIET = {"noise": {"sigma": 0.002}}
UNREPEATABLE = [{"fault": "unrepeatable", "at": "check", "count": 1000}]


class OnScenarios(autotune.TestCase):
    def scenario(self, bare_faults=(), faults=()):
        flash = {"name": "flash", "probe": "attention", "env": {"MINDXTRAIN_CPU_ATTENTION": "flash"}, "factor": 0.7,
                 "faults": list(faults)}
        return self.write("scenario.json", {
            "seed": 1, "bare": {"attention": {**QUIET, "faults": list(bare_faults)}, "gemm": QUIET},
            "candidates": [flash]})

    def test_the_decision_says_so(self):
        result = self.simulate(self.scenario(), "--deterministic")
        plan = self.plan()
        self.assertIs(plan["decision"]["workload"]["training"]["deterministic"], True)
        self.assertEqual(plan["decision"]["attention"]["backend"], "flash")
        self.assertIn(f"note: the job must call {DUTY}", result.out)
        self.assertTrue(any(DUTY in text for text in plan["evidence"]["health"]))
        raced = [row for row in plan["evidence"]["samples"] if "problem" in row]
        self.assertTrue(raced)
        self.assertEqual({row.get("repeatable") for row in raced}, {True})
        self.assertNotIn("env.CUBLAS_WORKSPACE_CONFIG", json.dumps(plan))
        self.assertIn(", deterministic\n", self.simulate(self.scenario(), "--deterministic", "--print-workload").out)

    def test_nobody_asked(self):
        result = self.simulate(self.scenario(bare_faults=UNREPEATABLE, faults=UNREPEATABLE))
        plan = self.plan()
        self.assertNotIn("deterministic", plan["decision"]["workload"]["training"])
        self.assertEqual(plan["decision"]["attention"]["backend"], "flash")
        self.assertNotIn(DUTY, result.out + json.dumps(plan))
        self.assertEqual({row.get("repeatable") for row in plan["evidence"]["samples"]}, {None})

    def test_a_faster_candidate_that_does_not_repeat_is_dropped(self):
        self.simulate(self.scenario(faults=UNREPEATABLE), "--deterministic")
        plan = self.plan()
        self.assertEqual(plan["decision"]["attention"]["backend"], "math")
        row = self.samples(plan, probe="attention", candidate="flash")[0]
        self.assertEqual(row["status"], "failed")
        self.assertIn("results differ between runs on attention", row["reason"])

    def test_a_job_that_cannot_repeat(self):
        result = self.simulate(self.scenario(bare_faults=UNREPEATABLE), "--deterministic", status=6)
        self.assert_error(result, 6, "MXT-241", "bare", "results differ between runs")

    def test_who_reads_the_plan_is_told(self):
        self.simulate(self.scenario(), "--deterministic")
        shown = self.run_program("plan", "show", "plan.json", status=0).out
        self.assertIn("deterministic true", shown)
        self.assertIn(f"duty        the job must call {DUTY}", shown)
        path = self.scenario()
        env = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": path}
        checked = self.run_program("plan", "check", "plan.json", status=0, env=env).out
        self.assertIn(f"\nthe job must call {DUTY}", checked)
        event = self.run_program("plan", "check", "--json", "plan.json", status=0, env=env).json()
        self.assertIn(DUTY, event["duty"])

    def test_a_recording_alone(self):
        """There is no training in the decision that could say it."""
        shapes = ("--shapes", mxt.FIXTURES / "recordings" / "lora_accumulated.json")
        self.simulate(self.scenario(), *shapes, "--deterministic", model=None)
        workload = self.plan()["decision"]["workload"]
        self.assertIs(workload["deterministic"], True)
        self.assertNotIn("training", workload)
        self.assertIn(f"duty        the job must call {DUTY}", self.run_program("plan", "show", "plan.json", status=0).out)
        result = self.simulate(self.scenario(), *shapes, "--against", "plan.json", "--out", "second.json", model=None,
                               status=5)
        self.assert_error(result, 5, "MXT-129", "workload.deterministic")

    def test_it_is_another_workload(self):
        self.simulate(self.scenario(), "--deterministic")
        self.simulate(self.scenario(), "--deterministic", "--against", "plan.json", "--out", "second.json")
        self.assertEqual(self.plan()["plan_id"], self.plan("second.json")["plan_id"])
        result = self.simulate(self.scenario(), "--against", "plan.json", "--out", "second.json", status=5)
        self.assert_error(result, 5, "MXT-129", "workload.training.deterministic")


class OnStandIns(sim_cuda.TestCase):
    """A CUDA torch: its own rules under deterministic algorithms are part of what is measured."""

    def test_torch_avoids_cudnn(self):
        result = self.tune("--deterministic")
        decision = self.plan()["decision"]
        self.assertEqual(decision["attention"]["backend"], "flash")
        self.assertEqual(decision["env"], REQUIRED)
        self.assertNotIn("CUBLAS_WORKSPACE_CONFIG", decision.get("contract", {}))
        self.assertIn(DUTY, result.out)
        facts = [row["facts"] for row in self.plan()["evidence"]["witnesses"]]
        self.assertEqual({row["deterministic"] for row in facts}, {True})
        for row in self.samples(candidate="flash", probe="attention"):
            self.assertIn("no effect here", row["reason"])
        self.assertEqual({row["repeatable"] for row in self.samples(candidate="bare", probe="attention")}, {True})

    def test_the_callers_workspace_stays(self):
        self.tune("--deterministic", env={"CUBLAS_WORKSPACE_CONFIG": ":16:8"})
        decision = self.plan()["decision"]
        self.assertEqual(decision["contract"]["CUBLAS_WORKSPACE_CONFIG"], ":16:8")
        self.assertEqual(decision["env"], {"FLASH_ATTENTION_DETERMINISTIC": "1"})

    def test_a_choice_comes_on_top(self):
        self.tune("--deterministic", mm={"cublas": ms(1.4), "cublaslt": ms(1)})
        self.assertEqual(self.plan()["decision"]["env"], {**REQUIRED, "TORCH_BLAS_PREFER_CUBLASLT": "1"})

    def test_a_library_that_does_not_repeat(self):
        self.tune("--deterministic", budget=240, mm={"cublas": ms(1.4), "cublaslt": ms(1)},
                  faults=[sim_torch.fault("mm.cublaslt", "unrepeatable")])
        self.assertEqual(self.plan()["decision"]["env"], REQUIRED)
        row = self.samples(candidate="cublaslt", status="failed")[0]
        self.assertIn("results differ between runs on gemm", row["reason"])

    def test_gradients_that_do_not_repeat(self):
        result = self.tune("--deterministic", status=6, faults=[sim_torch.fault("attention.flash.backward",
                                                                               "unrepeatable")])
        self.assert_error(result, 6, "MXT-241", "results differ between runs on attention", "backward")

    def test_without_it_nothing_of_this_matters(self):
        self.tune(attention={"cudnn": both(1), "flash": both(1.5)},
                  faults=[sim_torch.fault("attention", "unrepeatable")])
        decision = self.plan()["decision"]
        self.assertEqual((decision["attention"]["backend"], decision.get("env")), ("cudnn", None))


if __name__ == "__main__":
    mxt.main()
