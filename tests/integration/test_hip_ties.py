#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two kernels that are equally fast, on a machine whose times are noisy: the default stays, in every one of twenty runs,
and all of them come to one plan."""

import mxt
import sim_hip
from sim_hip import both, ms

RUNS = 20
EVEN = {"attention": {"aotriton": both(1), "ck": both(1)}, "mm": {"hipblaslt": ms(1), "rocblas": ms(1)},
        "noise": {"sigma": 0.02, "tail_probability": 0.02, "tail_size": 0.3}}


class Ties(sim_hip.TestCase):
    def test_twenty_noisy_runs_come_to_one_plan(self):
        plans = set()
        for seed in range(RUNS):
            self.tune(seed=seed, env=self.variables({**EVEN, "seed": seed + 1}))
            plan = self.plan()
            self.assertEqual(plan["decision"]["attention"]["backend"], "aotriton", seed)
            self.assertEqual(plan["decision"]["gemm"]["library"], "hipblaslt", seed)
            plans.add(plan["plan_id"])
        self.assertEqual(len(plans), 1)


if __name__ == "__main__":
    mxt.main()
