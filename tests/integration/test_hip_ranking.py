#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heuristic check of hipBLASLt and rocBLAS, on stand-ins of several releases: what is found, and what goes wrong."""

import json
import os
import subprocess

import mxt
import sim_hip
import sim_rocm
import sim_torch
from sim_cuda import ms

LIMIT_MS = 30000  # of which little is needed, unless the machine is busy
NONE = -2147483648
FASTER = {"factors": [1, 1.1, 0.9, 1.3], "workspace_bytes": 0}
TO_ROCBLAS = {"TORCH_BLAS_PREFER_HIPBLASLT": "0", "ROCBLAS_USE_HIPBLASLT": "0", "DISABLE_ADDMM_CUDA_LT": "1"}


class HipRanking(mxt.TestCase):
    def rank(self, *args, build="2.9-ck", hipblaslt=None, limit_ms=LIMIT_MS, env=None, solutions=None, **scenario):
        """The ranking of a small product on a build of torch."""
        torch = sim_rocm.Environment(self.dir / f"env-{build}-{hipblaslt}", build=build, hipblaslt=hipblaslt)
        played = {"seed": 1, "noise": {"sigma": 0.002}, "mm": {"hipblaslt": ms(1.3), "rocblas": ms(1.3)},
                  "solutions": solutions or {"hipblaslt": FASTER, "rocblas": FASTER}, **scenario}
        changes = {**sim_hip.CLEAN, **torch.scenario(**played), **(env or {})}
        variables = {**os.environ, **changes}
        variables = {name: value for name, value in variables.items() if value is not None}
        command = [os.environ["MXT_RANK_PRODUCT"], "hip", str(torch.torch), str(limit_ms), "32", "64", "16", *args]
        result = subprocess.run(command, env=variables, check=True, capture_output=True, text=True, timeout=120)
        return json.loads(result.stdout)

    def test_a_faster_solution_is_named(self):
        for build, hipblaslt, library in (("2.8", "6.0", "0.6.0"), ("2.8", "6.2", "0.8.0"), ("2.9-ck", None, "1.2.2"),
                                          ("2.9-ck", "7.2-wide", "1.2.2")):
            with self.subTest(build=build, hipblaslt=hipblaslt):
                found = self.rank(build=build, hipblaslt=hipblaslt)
                self.assertRegex(found.get("library", found), rf"^hipBLASLt {library} \([0-9a-f]+\)$")
                self.assertEqual((found["offered"], found["algorithms"], found["solution"]), (4, 4, 50002))
                self.assertTrue(90000 < found["gain_ppm"] < 110000, found)
                self.assertTrue(80000 < found["bound_ppm"] <= found["gain_ppm"], found)
                self.assertEqual(found["remark"], "")

    def test_how_many_are_offered(self):
        many = {"hipblaslt": {"count": 940, "gain": 0.04}}
        for hipblaslt, limit_ms, offered in (("6.0", 1500, 8), ("7.2", 1500, 940), ("7.2", 900, 256)):
            found = self.rank(hipblaslt=hipblaslt, solutions=many, limit_ms=limit_ms)
            if "rc" in found:  # a machine as busy as that
                self.assertIn("no time to compare algorithms", found["text"])
            else:
                self.assertEqual(found["offered"], offered)

    def test_the_default_stays(self):
        found = self.rank(solutions={"hipblaslt": {"factors": [1, 1.1, 1.2]}})
        self.assertEqual((found["solution"], found["gain_ppm"], found["bound_ppm"]), (NONE, 0, 0))

    def test_a_solution_that_needs_the_whole_workspace(self):
        """torch would not compute with it, and not say so."""
        for workspace, solution in ((76 << 20, NONE), ((76 << 20) - 1, 50001)):
            found = self.rank(solutions={"hipblaslt": {"factors": [1, 0.9, 1.1], "workspace_bytes": workspace}})
            self.assertEqual(found["solution"], solution)

    def test_what_is_not_offered_again(self):
        found = self.rank(solutions={"hipblaslt": {**FASTER, "vanish": 50002}})
        self.assertEqual(found["remark"], "solution 50002 was offered, but is not when asked for again")
        self.assertEqual((found["solution"], found["gain_ppm"]), (NONE, 0))

    def test_what_computes_wrong(self):
        found = self.rank(faults=[sim_torch.fault("hipblaslt.matmul.50002", "wrong")])
        self.assertEqual((found["remark"], found["solution"]), ("solution 50002 computes wrong", NONE))

    def test_a_bias(self):
        self.assertEqual(self.rank("bias")["solution"], 50002)

    def test_rocblas(self):
        found = self.rank(build="2.10-fork", env=TO_ROCBLAS)
        self.assertRegex(found.get("library", found), r"^rocBLAS 5\.")
        self.assertEqual((found["offered"], found["solution"]), (5, -1002))
        found = self.rank("bias", build="2.10-fork", env=TO_ROCBLAS)
        self.assertIn("rocBLAS adds no bias", found.get("text", found))
        found = self.rank("bias", build="2.10-fork", env={**TO_ROCBLAS, "DISABLE_ADDMM_CUDA_LT": "0"})
        self.assertIn("hipBLASLt", found.get("library", found))

    def test_a_switch_that_does_nothing(self):
        self.assertIn("hipBLASLt", self.rank(build="2.10", env=TO_ROCBLAS).get("library"))

    def test_no_ranking(self):
        found = self.rank(faults=[sim_torch.fault("hipblaslt.heuristic", "error", code=7)])
        self.assertEqual((found["rc"], found["error"]), (-95, 290))


if __name__ == "__main__":
    mxt.main()
