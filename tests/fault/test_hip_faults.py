#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on an AMD GPU, with a torch for ROCm, or between the two: each costs what it must, with a reason and the
right exit status, and leaves no process (mxt.TestCase sees to that) and no files."""

import json
import os

import mxt
import mxt_plans
import sim_hip
import sim_rocm
from sim_hip import both
from sim_torch import fault

# Products of one layer of this model are few.
MODEL = {**sim_hip.MODEL, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1,
         "vocab_size": 64}
# The second solution is a fifth faster than hipBLASLt's own choice.
FASTER = {"hipblaslt": {"factors": [1, 0.8]}, "rocblas": {"factors": [1, 1.2]}}

# What happens to CK's attention, and a word of the reason.
ATTENTION_FAULTS = (
    (fault("attention.ck.backward", "crash"), "signal 11"),
    (fault("attention.ck.backward", "wrong"), "MXT-285"),
    (fault("attention.ck.backward", "wrong", after=4), "wrong result"),
    (fault("attention.ck.forward", "nan"), "not a number"),
    (fault("attention.ck.backward", "illegal_address"), "illegal memory access"),
    (fault("attention.ck.backward", "hang"), "within"),
    (fault("load.hip", "crash", env={"TORCH_ROCM_FA_PREFER_CK": "1"}), "signal 11"),
    (fault("device", "error", env={"TORCH_ROCM_FA_PREFER_CK": "1"}, code=46), "cannot be used"),
)


class TestCase(sim_hip.TestCase):
    def setUp(self):
        super().setUp()
        self.write("config.json", MODEL)
        self.temporary = self.dir / "tmp"
        self.temporary.mkdir()

    def variables(self, scenario, machine=None):
        return {**super().variables(scenario, machine), "TMPDIR": str(self.temporary)}

    def tune(self, *args, status=0, budget=60, **scenario):
        """Short sequences: nothing here depends on what takes long."""
        return self.run_program(
            "autotune", "--device", "hip", "--python", self.torch.folder, "--model", self.dir / "config.json", "--seq-len",
            16, "--micro-batch", 1, "--seed", 1, "--budget", budget, *args, status=status, env=self.variables(scenario))

    def decision(self):
        return self.plan()["decision"]


class Challengers(TestCase):
    def test_a_fault_costs_its_candidate_and_nothing_else(self):
        for what, word in ATTENTION_FAULTS:
            with self.subTest(**what):
                self.tune(faults=[what], attention={"aotriton": both(1.5), "ck": both(1)}, solutions=FASTER, budget=20)
                self.assertEqual(self.decision()["attention"]["backend"], "aotriton")
                self.assertEqual(self.decision()["gemm"]["mode"], "pinned")
                rows = self.samples(candidate="ck", probe="attention")
                self.assertTrue(rows)
                for row in rows:
                    self.assertIn(row["status"], ("failed", "timeout", "unsupported"))
                    self.assertIn(word, row["reason"])

    def test_a_library_that_fails_while_solutions_are_compared(self):
        """The comparison ends, says so, and costs neither the products nor attention anything."""
        for site, kind, word in (("hipblaslt.heuristic", "crash", "signal 11"),
                                 ("hipblaslt.matmul.50001", "illegal_address", "illegal memory access"),
                                 ("hipblaslt.heuristic", "error", "cannot rank")):
            with self.subTest(site=site, kind=kind):
                self.tune(faults=[fault(site, kind)], attention={"aotriton": both(1.5), "ck": both(1)})
                self.assertEqual(self.decision()["gemm"], {"library": "hipblaslt", "mode": "heuristic"})
                self.assertEqual(self.decision()["attention"]["backend"], "ck")
                evidence = self.plan()["evidence"]
                told = " ".join(evidence.get("health", []) + evidence["budget"]["skipped"])
                self.assertIn(word, told)


class Incumbents(TestCase):
    def test_an_incumbent_that_fails(self):
        for what, word in (
                (fault("attention.aotriton.backward", "crash"), "signal 11"),
                (fault("mm.hipblaslt", "wrong"), "MXT-285"),
                (fault("mm.hipblaslt", "illegal_address"), "illegal memory access"),
                (fault("load.hipblaslt", "crash"), "signal 11"),
                (fault("load.rocblas", "exit", code=3), "status 3"),
        ):
            with self.subTest(**what):
                self.incumbent_refused("bare", word, faults=[what])

    def test_a_library_that_hangs_while_it_is_loaded(self):
        self.incumbent_refused("something hangs", error_id="MXT-240", faults=[fault("load.hipblaslt", "hang")], budget=4)

    def test_a_card_that_is_taken(self):
        self.incumbent_refused("cannot be used", status=4, error_id="MXT-244", device={"status": 46})


class Torches(TestCase):
    def library(self, name):
        """A torch anew, and one of its libraries as a file that can be changed."""
        self.torch = sim_rocm.Environment(self.dir / f"of-{name}")
        path = self.torch.torch / "lib" / name
        content = path.read_bytes()
        path.unlink()
        return path, content

    def test_a_library_is_missing(self):
        """Named by the loader: also where what is preloaded calls the loader in between."""
        for name in ("libamdhip64.so", "libhipblaslt.so", "librocblas.so"):
            with self.subTest(name):
                self.library(name)
                self.torch_refused(name, "repair its installation")
        self.library("libtorch_hip.so")
        self.torch_refused("torch for ROCm is not installed", "libtorch_hip.so")

    def test_a_library_of_another_machine(self):
        for name in ("libhipblaslt.so", "libtorch_hip.so"):
            with self.subTest(name):
                path, content = self.library(name)
                path.write_bytes(content[:18] + b"\xb7\x00" + content[20:])
                self.torch_refused(name, "repair its installation")

    def test_a_library_that_is_none(self):
        for name in ("libhipblaslt.so", "libtorch_hip.so"):
            with self.subTest(name):
                path, _ = self.library(name)
                path.write_text("not an ELF file\n")
                self.torch_refused(name, "repair its installation")

    def test_no_interface_for_c(self):
        self.torch = sim_rocm.Environment(self.dir / "other", build="2.9-no-abi")
        self.torch_refused("aoti_torch_abi_version", "2.8")

    def test_the_version_is_another(self):
        self.torch = sim_rocm.Environment(self.dir / "other", version="2.10.0+rocm7.2.1")
        self.torch_refused("2.10.0+rocm7.2.1", "of version 2.9")

    def test_a_version_that_no_plan_could_name(self):
        path = self.torch.torch / "version.py"
        path.write_text(path.read_text().replace("7.2.53211", "7.2.\u00e9\x1b[2J"))
        self.tune()
        self.assertEqual(self.decision()["stack"]["hip"], "7.2.???[2J")

    def test_results_of_another_size(self):
        """hipBLASLt says 7.2, and its results are 64 bytes instead of 56."""
        self.torch = sim_rocm.Environment(self.dir / "wide", hipblaslt="7.2-wide")
        self.tune(solutions=FASTER)
        self.assertEqual(self.decision()["gemm"]["mode"], "pinned")


class GivenPlans(TestCase):
    """--against with a plan whose products are pinned."""

    def given(self):
        """The plan of a machine where all is well."""
        self.tune(solutions=FASTER)
        plan = self.plan()
        self.assertEqual(plan["decision"]["gemm"]["mode"], "pinned")
        return plan

    def against(self, plan, status):
        path = self.write("given.json", mxt_plans.text(plan))
        result = self.tune("--against", path, "--out", self.dir / "second.json", solutions=FASTER, status=status)
        self.assertEqual(os.listdir(self.temporary), [])
        return result

    def test_libraries_of_another_build(self):
        """Their files look alike: only who loads them is told their revision."""
        plan = self.given()
        self.against(plan, 0)
        for key, value in (("hipblaslt", "100202-0123456789"), ("rocblas", "5.2.0.0123456789")):
            with self.subTest(key):
                decision = json.loads(json.dumps(plan["decision"]))
                decision["gemm"]["built"][key] = value
                result = self.against(mxt_plans.seal(decision, plan["evidence"]), 5)
                self.assert_error(result, 5, "MXT-129", f"gemm.built.{key}: {value}")

    def test_pins_that_are_not_of_here(self):
        """Written by hand: of the library's own choice, of a solution that there is not, of a product too large."""
        plan = self.given()
        large = {"op": "gemm", "m": 65536, "n": 65536, "k": 65536, "dtype": "bfloat16"}
        for change, words in (({"solution": 50000}, "none of its pins was seen to act"),
                              ({"solution": 77777}, "a worker failed in this race"),
                              ({"problem": large}, "none of its pins could be timed")):
            with self.subTest(**change):
                decision = json.loads(json.dumps(plan["decision"]))
                pins = [{**pin, **change} for pin in decision["gemm"]["pins"]]
                decision["gemm"]["pins"] = pins[:1] if "problem" in change else pins
                result = self.against(mxt_plans.seal(decision, plan["evidence"]), 7)
                self.assert_error(result, 7, "MXT-245", words)

    def test_pins_that_nobody_reads(self):
        """The plan fits in all that it says, but torch was built with another HIP: it leaves the file alone."""
        plan = self.given()
        self.torch = sim_rocm.Environment(self.dir / "odd", major="6")
        self.assert_error(self.against(plan, 7), 7, "MXT-245", "gemm: none of its pins was seen to act")


if __name__ == "__main__":
    mxt.main()
