#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker's first contact with an AMD GPU: what it finds out, and what makes it refuse, on stand-ins for ROCm."""

import os
import shutil

import mxt
import sim_hip
import sim_rocm
import worker_peer
from worker_peer import wire


HELD = ["layout", "numbers", "driver", "copy", "fill", "clock", "gemm", "attention"]


class TestCase(sim_hip.TestCase):
    def contact(self, probe="layer", hide=None, **scenario):
        """What the worker says when it opened the device: facts or a refusal."""
        variables = self.variables(scenario)
        if hide:
            shutil.rmtree(self.dir / "sim-rocm" / hide)
        for name in variables:
            os.environ.pop(name, None)
        env = {name: value for name, value in variables.items() if value is not None}
        command = [mxt.PROGRAM, "worker", "--device", "hip", "--ordinal", 0, "--torch", self.torch.torch,
                   *(["--probe", probe] if probe else [])]
        with worker_peer.start(command, env) as peer:
            return peer.hello()

    def refused(self, *words, **how):
        answer = self.contact(**how)
        self.assertIsInstance(answer, wire.Refused, answer)
        for word in (*words, "MXT-285", "mindxtrain doctor --bundle report.tar"):
            self.assertIn(word, answer.text)


class Facts(TestCase):
    def test_everything_holds(self):
        facts = self.contact()
        self.assertEqual(facts["self_test"], HELD)
        self.assertEqual((facts["layout"], facts["name"]), ("R0600", "AMD Instinct MI300X"))
        self.assertEqual(facts["libraries"], {
            "arch": "gfx942:sramecc+:xnack-", "hip": {"version": 70253211}, "rocblas": {"version": "5.2.0.dabb6df2b9"},
            "hipblaslt": {"version": 100202, "revision": "dabb6df2b9"}})
        lib = self.torch.torch / "lib"
        self.assertEqual({name: facts["files"][name] for name in ("hip", "hipblaslt", "rccl", "rocblas")},
                         {"hip": str(lib / "libamdhip64.so"), "hipblaslt": str(lib / "libhipblaslt.so"),
                          "rccl": str(lib / "librccl.so"), "rocblas": str(lib / "librocblas.so")})

    def test_rocm_6(self):
        self.torch = sim_rocm.Environment(self.dir / "env", "2.8")
        facts = self.contact()
        self.assertEqual((facts["self_test"], facts["libraries"]["hip"]), (HELD, {"version": 60443484}))

    def test_rocm_5(self):
        """Its runtime describes a device in another layout."""
        self.torch = sim_rocm.Environment(self.dir / "env", "2.8")
        library = self.torch.torch / "lib" / "libamdhip64.so"
        library.unlink()
        self.torch.link("amdhip64-5", library)
        facts = self.contact()
        self.assertEqual((facts["layout"], facts["self_test"]), ("R0000", HELD))
        self.assertEqual((facts["name"], facts["hip_runtime"]), ("AMD Instinct MI300X", 50731921))

    def test_only_the_kernels_that_it_is_for(self):
        self.assertEqual(self.contact(probe="gemm")["self_test"], HELD[:-1])
        self.assertEqual(self.contact(probe=None)["self_test"], HELD[:-2])
        facts = self.contact(probe="attention")
        self.assertEqual(facts["self_test"], [name for name in HELD if name != "gemm"])
        self.assertEqual(sorted(facts["libraries"]), ["arch", "hip"])

    def test_a_sandbox_without_the_drivers_files(self):
        """HIP alone is believed."""
        self.assertEqual(self.contact(hide="sys/class/kfd")["self_test"], [name for name in HELD if name != "driver"])


class Refusals(TestCase):
    def test_a_run_ends(self):
        result = self.tune(status=6, device={"multiprocessors": 38})
        self.assert_error(result, 6, "MXT-241", "HIP says 38 and the driver 304")
        self.assertIn("MXT-285", result.err)

    def test_one_choice_is_lost(self):
        result = self.tune(attention={"aotriton": sim_hip.both(2), "ck": sim_hip.both(1)},
                           faults=[{"at": "attention.ck", "kind": "wrong"}])
        self.assertIn("a small problem (attention, ck) is off by", result.out)
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "aotriton")

    def test_another_architecture(self):
        self.refused("gfx90a:sramecc+:xnack-", "gfx942", device={"arch": "gfx90a:sramecc+:xnack-"})

    def test_a_name_that_is_none(self):
        self.refused("R0600", "no printable text", device={"name": "\x01"})
        self.refused("R0600", "does not begin with", device={"arch": "sm_90"})

    def test_memory_disagrees(self):
        self.refused("tell the same memory", "206141652992", "25769803776", device={"memory_bytes": 24 << 30})

    def test_units_disagree(self):
        self.refused("tell the same compute units", "304", "38", device={"multiprocessors": 38})

    def test_another_card(self):
        self.refused("know the same cards", "0000:47:00", "0000:0c:00.0", device={"pci": ["0000:47:00.0"]})

    def test_wrong_numbers(self):
        for site, name in (("attention.aotriton", "attention"), ("mm.hipblaslt", "gemm")):
            with self.subTest(site):
                self.refused("small problems are computed right", name, faults=[{"at": site, "kind": "wrong"}])


if __name__ == "__main__":
    mxt.main()
