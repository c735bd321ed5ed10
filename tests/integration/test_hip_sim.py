#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""autotune on a ROCm torch, with stand-ins for the GPU and a machine in a folder: what is measured and decided."""

import mxt
import sim_hip
import sim_rocm
import sim_torch
from sim_hip import both, ms


class Decisions(sim_hip.TestCase):
    def decided(self, **how):
        """Attention's backend, the products' library, and the variables of the plan."""
        self.tune(**how)
        decision = self.plan()["decision"]
        return decision["attention"]["backend"], decision["gemm"]["library"], decision.get("env", {})

    def test_the_default_stays_where_nothing_is_faster(self):
        self.assertEqual(self.decided(), ("aotriton", "hipblaslt", {}))
        platform = self.plan()["decision"]["platform"]
        self.assertEqual((platform["vendor"], platform["arch"], platform["units"]), ("amd", "gfx942", 304))
        self.assertIs(self.plan()["evidence"]["simulated"], True)

    def test_ck_wins(self):
        backend, library, env = self.decided(attention={"aotriton": both(1.5), "ck": both(1)})
        self.assertEqual((backend, library, env), ("ck", "hipblaslt", {"TORCH_ROCM_FA_PREFER_CK": "1"}))

    def test_ck_that_this_card_cannot_have(self):
        """Torch holds it, and goes on with AOTriton: a switch that changes no bit."""
        self.assertEqual(self.decided(attention={"aotriton": both(1)}), ("aotriton", "hipblaslt", {}))
        witnesses = [row for row in self.plan()["evidence"]["witnesses"] if row["candidate"] == "ck"]
        self.assertTrue(all(row["bits_equal_bare"] for row in witnesses))

    def test_ck_that_crashes_on_the_way_back(self):
        faults = [sim_torch.fault("attention.ck.backward", "crash")]
        self.assertEqual(self.decided(faults=faults, attention={"aotriton": both(1.5), "ck": both(1)}),
                         ("aotriton", "hipblaslt", {}))

    def test_a_card_that_is_cold_at_first(self):
        """All workers heat the same card: who comes later finds it faster, and gains nothing by that."""
        clock = {"cold_factor": 1.5, "warm_s": 2, "shared": str(self.dir / "clock")}
        self.assertEqual(self.decided(clock=clock, attention={"aotriton": both(1), "ck": both(1)}),
                         ("aotriton", "hipblaslt", {}))

    def test_ck_that_falls_off_a_cliff(self):
        """It is faster, but for the lengths that weigh most."""
        cliffs = [{"at": "attention.ck", "dims": [64], "factor": 2}]
        self.assertEqual(self.decided(cliffs=cliffs, attention={"aotriton": both(1), "ck": both(0.95)})[0], "aotriton")

    def test_a_solution_that_is_not_named_again(self):
        """It is the best, and gone when it is asked for once more."""
        self.decided(solutions={"hipblaslt": {"factors": [1, 0.7, 1.1], "vanish": 50001}})
        self.assertNotIn(50001, {pin["solution"] for pin in self.plan()["decision"]["gemm"].get("pins", [])})

    def test_rocblas_where_its_switch_acts(self):
        """Upstream from 2.12 on, and in AMD's own builds."""
        how = {"mm": {"hipblaslt": ms(1.4), "rocblas": ms(1)}}
        self.torch = sim_rocm.Environment(self.dir / "new", build="2.13")
        self.assertEqual(self.decided(**how)[1], "rocblas")
        self.torch = sim_rocm.Environment(self.dir / "older", build="2.9-ck")
        self.assertEqual(self.decided(**how)[1], "hipblaslt")

    def test_a_better_solution_is_pinned(self):
        self.decided(solutions={"hipblaslt": {"factors": [1, 0.7, 1.1]}})
        gemm = self.plan()["decision"]["gemm"]
        self.assertEqual(gemm["mode"], "pinned")
        self.assertEqual({pin["solution"] for pin in gemm["pins"]}, {50001})

    def test_a_torch_without_ck(self):
        """There is nothing to try, however fast it would be."""
        self.torch = sim_rocm.Environment(self.dir / "upstream", build="2.9")
        self.assertEqual(self.decided(attention={"aotriton": both(1.5), "ck": both(1)}), ("aotriton", "hipblaslt", {}))

    def test_a_torch_whose_libraries_are_packages(self):
        """Nothing in libtorch_hip.so says where they are: torch's Python loads them first, and so must a worker."""
        self.torch = sim_rocm.Environment(self.dir / "therock", packages=True)
        self.assertEqual(self.decided(attention={"aotriton": both(1.5), "ck": both(1)})[0], "ck")

    def test_a_torch_of_rocm_6(self):
        self.torch = sim_rocm.Environment(self.dir / "old", build="2.8")
        self.assertEqual(self.decided(), ("aotriton", "hipblaslt", {}))
        self.assertEqual(self.plan()["decision"]["stack"]["torch"], "2.8.0+rocm6.4")

    def test_the_old_layout_of_properties(self):
        """A runtime of ROCm 5 has only that one."""
        self.torch = sim_rocm.Environment(self.dir / "old", build="2.8", major="5", hip="5.7.31921")
        self.tune()
        facts = [row["facts"] for row in self.plan()["evidence"]["witnesses"] if row["candidate"] == "bare"][0]
        self.assertEqual((facts["layout"], facts["hip_runtime"]), ("R0000", 50731921))

    def test_a_torch_without_the_c_interface(self):
        self.torch = sim_rocm.Environment(self.dir / "bare", build="2.9-no-abi")
        result = self.tune(status=None)
        self.assertNotEqual(result.status, 0)
        self.assertIn("aoti_torch_", result.err)

    def test_a_machine_in_a_folder(self):
        """The program sees the cards that the folder tells of, and no others."""
        env = self.variables({}, sim_rocm.machine(8))
        self.assertIn("8", self.run_program("doctor", env=env).out.split("GPU ", 1)[1].splitlines()[0])
        env["MXT_SIM_SYSROOT"] = str(self.dir / "nowhere")
        self.assertNotIn("AMD GPUs", self.run_program("doctor", env=env).out)


if __name__ == "__main__":
    mxt.main()
