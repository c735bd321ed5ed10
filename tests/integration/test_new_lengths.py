#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lengths that vary: what the first calls on new ones cost is measured, charged, told and written down."""

import autotune
import mxt
import sim_cuda
from sim_cuda import both

NEW_LENGTH_NS = 130e6
FEW = ("--steps", 40, "--distinct-lengths", 40)
MANY = ("--steps", 4000000, "--distinct-lengths", 40)


def scenario(flash=None, bare=None, **cost):
    """bare's attention is a fifth faster than flash, and pays 130 ms a direction for every new length."""
    quiet = {"noise": {"sigma": 0.003}}
    slow_start = {"fixed_ns": 100000, "ns_per_flop": 0.002, "first_call_ns": NEW_LENGTH_NS, **cost}
    return {
        "seed": 7,
        "bare": {"attention": {"choice": "math", "cost": slow_start, **quiet, **(bare or {})}, "gemm": quiet},
        "candidates": [{"name": "flash", "probe": "attention", "env": {"MINDXTRAIN_CPU_ATTENTION": "flash"},
                        "factor": 1.2, "cost": {"first_call_ns": 200000}, **(flash or {})}],
    }


class TestCase(autotune.TestCase):
    def decide(self, *args, played=None, **how):
        """Runs on shapes that are not scaled; returns the result and attention's choice."""
        path = self.write("scenario.json", played or scenario())
        result = self.simulate(path, "--seq-len", 256, *args, **how)
        return result, self.choice(self.plan(), "attention")


class Decisions(TestCase):
    def test_few_passes_at_new_lengths(self):
        result, choice = self.decide(*FEW)
        self.assertEqual((choice["winner"], choice["source"]), ("flash", "measured"))
        lengths = choice["new_lengths"]
        self.assertEqual([lengths[key] for key in ("state", "passes", "passes_source", "distinct", "distinct_source")],
                         ["charged", 40, "flags", 40, "flags"])
        self.assertAlmostEqual(lengths["incumbent_cost_ns"], 2 * NEW_LENGTH_NS, delta=1e6)
        self.assertAlmostEqual(lengths["slow_start_cost_ns"], 2 * NEW_LENGTH_NS, delta=1e6)
        expected = 40 * lengths["slow_start_cost_ns"] / lengths["slow_start_saving_ns"]
        self.assertAlmostEqual(lengths["break_even_passes"], expected, delta=2)
        self.assertIn("bare needs 260 ms more for each new length than flash", choice["rule"])
        self.assertIn(f"bare pays off from {lengths['break_even_passes']} passes on", choice["rule"])
        self.assertIn(choice["rule"], result.out)
        self.assertEqual(self.choice(self.plan(), "confirm")["winner"], "plan")
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "flash")

    def test_many_passes(self):
        _, choice = self.decide(*MANY)
        self.assertEqual((choice["winner"], choice["source"]), ("bare", "measured"))
        self.assertIn("in 4000000 passes bare saves", choice["rule"])

    def test_the_break_even_holds(self):
        """Where the passes are far enough from it, the decision is the other one."""
        _, choice = self.decide(*FEW)
        passes = choice["new_lengths"]["break_even_passes"]
        for factor, winner in ((0.5, "flash"), (2, "bare")):
            _, choice = self.decide("--steps", int(factor * passes), "--distinct-lengths", 40)
            self.assertEqual(choice["winner"], winner)

    def test_packed_and_padded(self):
        _, choice = self.decide("--packing", "on", *FEW)
        self.assertEqual(choice["winner"], "bare")
        self.assertIn("packed sequences have one length, so first calls are not charged", choice["rule"])
        self.assertNotIn("new_lengths", choice)
        self.assertNotIn("first_calls", self.plan()["evidence"])

    def test_unknown_passes(self):
        _, choice = self.decide()
        self.assertEqual((choice["winner"], choice["source"]), ("bare", "unresolved"))
        self.assertIn("--steps", choice["rule"])
        lengths = choice["new_lengths"]
        self.assertEqual(lengths["state"], "open")
        self.assertNotIn("passes", lengths)
        self.assertGreater(lengths["break_even_passes"], 1000)
        self.assertIn(f"pays off from {lengths['break_even_passes']} passes on", choice["rule"])

    def test_unknown_passes_do_not_matter_to_who_is_faster_anyway(self):
        _, choice = self.decide(played=scenario(flash={"factor": 0.7}))
        self.assertEqual((choice["winner"], choice["source"]), ("flash", "measured"))
        _, choice = self.decide(played=scenario(flash={"cost": {"first_call_ns": 2 * NEW_LENGTH_NS}}))
        self.assertEqual((choice["winner"], choice["source"]), ("bare", "measured"))

    def test_a_fast_candidate_that_starts_slowly(self):
        """What wins in its steady state has to pay for its new lengths, too."""
        played = scenario(flash={"factor": 0.8, "cost": {"first_call_ns": NEW_LENGTH_NS}}, first_call_ns=0)
        _, choice = self.decide(*FEW, played=played)
        self.assertEqual(choice["winner"], "bare")
        _, choice = self.decide(*MANY, played=played)
        self.assertEqual(choice["winner"], "flash")
        _, choice = self.decide(played=played)
        self.assertEqual((choice["winner"], choice["source"]), ("bare", "unresolved"))

    def test_assumed_lengths_are_called_so(self):
        _, choice = self.decide("--steps", 40)
        self.assertEqual((choice["winner"], choice["new_lengths"]["distinct_source"]), ("flash", "assumed"))
        self.assertIn("assumed", choice["rule"])

    def test_equal_ids(self):
        ids = set()
        for seed in (1, 2, 3):
            self.decide(*FEW, "--seed", seed)
            ids.add(self.plan()["plan_id"])
        self.assertEqual(len(ids), 1)


class Evidence(TestCase):
    def test_costs_of_each_candidate(self):
        self.decide(*FEW)
        rows = {row["candidate"]: row for row in self.plan()["evidence"]["first_calls"] if row["probe"] == "attention"}
        self.assertEqual(set(rows), {"bare", "flash"})
        for row in rows.values():
            self.assertLessEqual(row["low_ns"], row["cost_ns"])
            self.assertLessEqual(row["cost_ns"], row["high_ns"])
        self.assertAlmostEqual(rows["bare"]["forward_ns"], NEW_LENGTH_NS, delta=1e6)
        self.assertAlmostEqual(rows["bare"]["backward_ns"], NEW_LENGTH_NS, delta=1e6)
        self.assertAlmostEqual(rows["flash"]["forward_ns"], 200000, delta=50000)

    def test_first_calls_that_cost_nothing_are_not_looked_at(self):
        _, choice = self.decide(*FEW, played=scenario(first_call_ns=0))
        self.assertEqual(choice["new_lengths"]["state"], "cheap")
        self.assertNotIn("first_calls", self.plan()["evidence"])

    def test_products_are_not_charged(self):
        """What a product's first calls take is mostly the loading of kernels, which happens once."""
        played = scenario(first_call_ns=0)
        played["candidates"] = [{"name": "blas=blis", "probe": "gemm", "env": {"MINDXTRAIN_CPU_BLAS": "blis"},
                                 "choice": "blis", "factor": 0.8, "cost": {"first_call_ns": 2e9}}]
        self.decide(*FEW, played=played)
        choice = self.choice(self.plan(), "gemm")
        self.assertEqual(choice["winner"], "blas=blis")
        self.assertNotIn("new_lengths", choice)


class Padding(TestCase):
    # Everything is slow to start, so that fewer lengths are worth more than the tokens that are added.
    SLOW = scenario(flash={"cost": {"first_call_ns": 1000 * NEW_LENGTH_NS}}, first_call_ns=1000 * NEW_LENGTH_NS)

    def test_advice(self):
        result, _ = self.decide("--steps", 100, "--lengths", "100:200", played=self.SLOW)
        self.assertIn("estimated, from what was measured: padding to a multiple of 64", result.out)
        self.assertNotIn("multiple of 512", result.out)

    def test_no_advice(self):
        """Not on assumed lengths, not where little would be saved, not where lengths are padded already."""
        for args in (("--steps", 100), ("--steps", 4000000, "--lengths", "100:200"), ("--lengths", "100:200"),
                     ("--steps", 100, "--lengths", "100:200", "--packing", "on")):
            result, _ = self.decide(*args, played=self.SLOW)
            self.assertNotIn("padding to a multiple", result.out)


class Faults(TestCase):
    # The course has three shapes in two directions: what is prepared next is at one of six new lengths. Faults of bare
    # act in all probes, so that there it has to be a call beyond the last of the products.
    HANGS = {"faults": [{"fault": "hang", "at": "prepare", "call": 7}]}
    HANGS_LATE = {"faults": [{"fault": "hang", "at": "prepare", "call": 18}]}

    def test_a_candidate_that_hangs_at_a_new_length(self):
        _, choice = self.decide(*FEW, played=scenario(flash=self.HANGS))
        self.assertEqual(choice["winner"], "bare")
        rows = self.samples(self.plan(), candidate="flash", probe="attention")
        self.assertEqual({row["status"] for row in rows}, {"timeout"})

    def test_a_candidate_that_builds_for_long(self):
        """It is given up after one length, so that the others keep their race."""
        slow = {"faults": [{"fault": "slow", "at": "prepare", "call": 7, "count": 12, "ms": 1500}]}
        _, choice = self.decide(*FEW, played=scenario(flash=slow), budget=20)
        self.assertEqual(choice["winner"], "bare")
        row = self.samples(self.plan(), candidate="flash", probe="attention")[0]
        self.assertEqual(row["reason"], "no time to measure what new lengths cost it")

    def test_no_time_for_new_lengths(self):
        _, choice = self.decide(*FEW, "--lora-rank", 0, played=scenario(bare=self.HANGS_LATE), budget=10)
        self.assertEqual((choice["winner"], choice["source"]), ("bare", "unresolved"))
        self.assertEqual(choice["new_lengths"]["state"], "not measured")
        self.assertIn("no time to measure what new lengths cost", choice["rule"])

    def test_a_wrong_result_at_a_new_length(self):
        wrong = {"faults": [{"fault": "wrong-result", "at": "check", "call": 7}]}
        _, choice = self.decide(*FEW, played=scenario(flash=wrong))
        self.assertEqual(choice["winner"], "bare")
        row = self.samples(self.plan(), candidate="flash", probe="attention")[0]
        self.assertIn("wrong result on attention b1 s255", row["reason"])


class Against(TestCase):
    def confirm(self, *args, status=0):
        return self.simulate(self.dir / "scenario.json", "--seq-len", 256, "--against", "first.json", *args,
                             status=status)

    def test_a_plan_is_confirmed_under_the_same_charges(self):
        self.decide(*FEW)
        (self.dir / "plan.json").rename(self.dir / "first.json")
        self.confirm(*FEW)
        self.assertEqual(self.plan()["plan_id"], self.plan("first.json")["plan_id"])
        result = self.confirm(*MANY, status=7)
        self.assertIn("attention: surely slower than bare", result.err)
        result = self.confirm()
        self.assertIn("how many forward passes the run has is not known", result.out)


class Cudnn(sim_cuda.TestCase):
    """The switches of torch for CUDA, on stand-ins."""
    SLOW_START = {"attention": {"cudnn": both(1, first_call=130), "flash": both(1.5)}}

    def test_plans_that_are_shared_between_lengths(self):
        self.tune(*FEW, **self.SLOW_START)
        choice = self.choice("attention")
        self.assertEqual(choice["winner"], "cudnn-avoid-recompile")
        decision = self.plan()["decision"]
        self.assertEqual(decision["attention"]["backend"], "cudnn")
        self.assertEqual(decision["env"], {"TORCH_CUDNN_SDPA_AVOID_RECOMPILE": "1"})

    def test_flash_where_sharing_computes_wrong(self):
        wrong = sim_cuda.sim_torch.fault("attention.cudnn.forward", "wrong",
                                         env={"TORCH_CUDNN_SDPA_AVOID_RECOMPILE": "1"})
        self.tune(*FEW, faults=[wrong], **self.SLOW_START)
        self.assertEqual(self.choice("attention")["winner"], "flash")
        self.assertEqual(self.plan()["decision"]["env"], {"TORCH_CUDNN_SDPA_DEPRIORITIZED": "1"})
        self.assertIn("bare (cudnn) needs 260 ms more for each new length than flash", self.choice("attention")["rule"])

    def test_the_default_stays_over_many_passes_and_when_packed(self):
        self.tune(*MANY, **self.SLOW_START)
        self.assertEqual(self.plan()["decision"].get("env", {}), {})
        self.tune("--packing", "on", **self.SLOW_START)
        self.assertEqual(self.plan()["decision"].get("env", {}), {})
        self.assertEqual(self.samples(candidate="cudnn-avoid-recompile"), [])


if __name__ == "__main__":
    mxt.main()
