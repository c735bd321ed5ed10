#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""autotune on a ROCm torch, with stand-ins for the GPU and a machine in a folder: what is measured and decided."""

import mxt
import sim_hip
import sim_rocm
from sim_hip import both


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

    def test_a_torch_without_ck(self):
        """There is nothing to try, however fast it would be."""
        self.torch = sim_rocm.Environment(self.dir / "upstream", build="2.9")
        self.assertEqual(self.decided(attention={"aotriton": both(1.5), "ck": both(1)}), ("aotriton", "hipblaslt", {}))

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
