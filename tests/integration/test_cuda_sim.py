#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""autotune on a CUDA torch, with stand-ins for the GPU: what is measured, decided and written down."""

import os

import mxt
import sim_cuda
import sim_nvidia
import sim_torch
from sim_cuda import both, ms

FLASH_WINS = {"attention": {"cudnn": both(1.5), "flash": both(1)}}
CUBLASLT_WINS = {"mm": {"cublas": ms(1.4), "cublaslt": ms(1)}}
USES_FLASH = {"TORCH_CUDNN_SDPA_DEPRIORITIZED": "1"}
USES_CUBLASLT = {"TORCH_BLAS_PREFER_CUBLASLT": "1"}


class Decisions(sim_cuda.TestCase):
    def decided(self, **scenario):
        """Attention's backend, the products' library, and the variables of the plan."""
        result = self.tune(**scenario)
        decision = self.plan()["decision"]
        return result, decision["attention"]["backend"], decision["gemm"]["library"], decision.get("env", {})

    def test_the_default_stays_where_nothing_is_faster(self):
        result, *decision = self.decided()
        self.assertEqual(decision, ["cudnn", "cublas", {}])
        self.assertIn("no difference found", result.out)

    def test_flash_wins(self):
        _, *decision = self.decided(**FLASH_WINS)
        self.assertEqual(decision, ["flash", "cublas", USES_FLASH])
        choice = self.choice("attention")
        self.assertEqual((choice["winner"], choice["source"]), ("flash", "measured"))
        self.assertAlmostEqual(choice["gain_ppm"], 333333, delta=10000)

    def test_cublaslt_wins(self):
        _, *decision = self.decided(**CUBLASLT_WINS)
        self.assertEqual(decision, ["cudnn", "cublaslt", USES_CUBLASLT])

    def test_two_cards(self):
        cards = [sim_nvidia.h200(i, l2_bytes=sim_cuda.L2_BYTES) for i in range(2)]
        result = self.tune("--gpus", 2, gpus=cards)
        self.assertIn("note: not modelled: the exchange of gradients", result.out)
        decision = self.plan()["decision"]
        self.assertEqual((decision["platform"]["link"], decision["collective"]["config"]), ("nvlink", "nvlink"))
        self.assert_error(self.tune("--gpus", 2, status=4, gpus=cards[:1]), 4, "MXT-246", "this process sees 1")
        hidden = self.tune("--gpus", 2, status=4, gpus=cards, env={"CUDA_VISIBLE_DEVICES": "1"})
        self.assert_error(hidden, 4, "MXT-246", "this process sees 1")

    def test_both_win(self):
        _, *decision = self.decided(**FLASH_WINS, **CUBLASLT_WINS)
        self.assertEqual(decision, ["flash", "cublaslt", {**USES_FLASH, **USES_CUBLASLT}])
        self.assertEqual(self.choice("confirm")["winner"], "plan")

    def test_equal_decisions_have_equal_ids(self):
        ids = set()
        for seed in (1, 2, 3):
            self.tune(seed=seed, **FLASH_WINS)
            ids.add(self.plan()["plan_id"])
        self.assertEqual(len(ids), 1)

    def test_a_gain_within_the_noise_is_none(self):
        _, *decision = self.decided(noise={"sigma": 0.05},
                                    attention={"cudnn": both(1), "flash": both(0.99)})
        self.assertEqual(decision, ["cudnn", "cublas", {}])

    def test_times_that_drift_make_no_winner(self):
        _, *decision = self.decided(drift_per_s=0.05, attention={"cudnn": both(1), "flash": both(1)},
                                    mm={"cublas": ms(1), "cublaslt": ms(1)})
        self.assertEqual(decision, ["cudnn", "cublas", {}])

    def test_a_switch_that_does_nothing(self):
        """A torch without cuDNN takes flash by itself."""
        _, *decision = self.decided(attention={"flash": both(1)})
        self.assertEqual(decision, ["flash", "cublas", {}])
        rows = self.samples(candidate="flash", probe="attention")
        self.assertTrue(rows)
        for row in rows:
            self.assertIn("no effect here", row["reason"])

    def test_a_torch_before_the_switches(self):
        self.torch = sim_torch.Environment(self.dir / "old", build="2.8")
        _, *decision = self.decided(**FLASH_WINS)
        self.assertEqual(decision, ["cudnn", "cublas", {}])
        self.assertEqual(self.samples(candidate="flash"), [])
        self.assertEqual(self.plan()["decision"]["stack"]["cuda"], "12.8")


class Evidence(sim_cuda.TestCase):
    def test_a_plan_of_stand_ins_says_so(self):
        result = self.tune(**FLASH_WINS)
        self.assertIs(self.plan()["evidence"]["simulated"], True)
        for line in result.out.splitlines():
            if " ms " in line or "faster" in line or "saves" in line:
                self.assertIn("[simulated]", line)
        result = self.run_program("plan", "check", "--for", "train", "plan.json")
        self.assertNotEqual(result.status, 0)
        self.assertIn("simulated", result.out + result.err)

    def test_what_computed_is_written_down(self):
        self.tune(**FLASH_WINS, **CUBLASLT_WINS)
        for candidate, backend in (("bare", "cudnn"), ("bare (twin)", "cudnn"), ("flash", "flash")):
            rows = self.samples(candidate=candidate, probe="attention", status="ok")
            self.assertTrue(rows)
            self.assertEqual({row["backend"] for row in rows}, {backend})
        self.assertTrue(all(row["error_ppb"] > 0 for row in rows))

    def test_times_are_the_devices(self):
        self.tune(**FLASH_WINS, noise={"sigma": 0})
        for candidate, forward in (("bare", 1500000), ("flash", 1000000)):
            for row in self.samples(candidate=candidate, probe="attention", status="ok"):
                expected = forward * (1 if row["problem"]["direction"] == "forward" else 2)
                self.assertAlmostEqual(row["median_ns"], expected, delta=expected * 0.001)

    def test_the_first_call_of_a_shape(self):
        self.tune(attention={"cudnn": both(1, first_call=130), "flash": both(1)})
        for candidate, least in (("bare", 130000000), ("flash", 0)):
            for row in self.samples(candidate=candidate, probe="attention", status="ok"):
                self.assertGreaterEqual(row["first_call_ns"], least)
                self.assertLess(row["first_call_ns"], least + 10000000)

    def test_the_stack_is_that_of_the_wheels(self):
        self.tune()
        self.assertEqual(self.plan()["decision"]["stack"], {
            "torch": "2.15.0+cu130", "cuda": "13.0", "cudnn": "9.26.0.51", "cublas": "13.1.0.3"})
        platform = self.plan()["decision"]["platform"]
        self.assertEqual((platform["vendor"], platform["arch"], platform["units"]), ("nvidia", "sm_90", 132))

    def test_shapes_that_do_not_fit(self):
        """A card of 2 MB cannot hold attention over 256 positions for three workers: it is cut, and that is said."""
        result = self.tune(gpus=[sim_nvidia.h200(0, l2_bytes=sim_cuda.L2_BYTES, memory_bytes=2000000)])
        self.assertIn("do not fit into this device's memory", result.out)
        longest = max(row["problem"]["seq"] for row in self.samples(probe="attention"))
        self.assertLess(longest, 256)

    def test_a_slice_of_a_card(self):
        """MIG: the process is told which slice it has."""
        slices = [{"l2_bytes": sim_cuda.L2_BYTES}, {"l2_bytes": sim_cuda.L2_BYTES}]
        gpu = sim_nvidia.cut(0, *slices, l2_bytes=sim_cuda.L2_BYTES)
        self.tune(gpus=[gpu], env={"CUDA_VISIBLE_DEVICES": gpu["slices"][1]["uuid"]})
        platform = self.plan()["decision"]["platform"]
        self.assertEqual((platform["partition"], platform["units"]), ("mig", 16))


class Libraries(sim_cuda.TestCase):
    def files(self):
        witnesses = [row for row in self.plan()["evidence"]["witnesses"] if row["candidate"] == "bare"]
        return {name: os.path.realpath(path) for name, path in witnesses[0]["facts"]["files"].items()}

    def test_two_torches_in_one_path(self):
        """PYTHONPATH comes before the environment's own folder: its torch is the one that trains."""
        other = sim_torch.Environment(self.dir / "other", build="2.8")
        self.tune(env={"PYTHONPATH": other.site})
        self.assertEqual(self.plan()["decision"]["stack"]["torch"], "2.8.0+cu128")
        self.assertIn("sim-cudart-12", self.files()["cudart"])

    def test_a_wrong_cudnn_on_the_library_path(self):
        """torch's own folders come first: what LD_LIBRARY_PATH holds is not loaded."""
        shadow = self.dir / "shadow"
        shadow.mkdir()
        self.write("shadow/libcudnn.so.9", "no library")
        driver = self.variables({})["LD_LIBRARY_PATH"]
        self.tune(env={"LD_LIBRARY_PATH": f"{shadow}:{driver}"})
        self.assertEqual(self.files()["cudnn"], str(self.torch.libraries / "libsim-cudnn.so"))

    def test_a_cudnn_that_comes_before_torchs(self):
        """A preloaded one is what runs, whatever the wheel says: the evidence names it."""
        other = self.dir / "libcudnn.so.9"
        other.write_bytes((self.torch.libraries / "libsim-cudnn.so").read_bytes())
        self.tune(env={"LD_PRELOAD": other})
        self.assertEqual(self.files()["cudnn"], str(other))


if __name__ == "__main__":
    mxt.main()
