# SPDX-License-Identifier: Apache-2.0
"""Running autotune on the simulated device."""

import json

import mxt

SCENARIOS = mxt.FIXTURES / "scenarios"

# Variables that choose kernels, so that a developer's own environment does not race as `yours`.
NO_SELECTORS = {name: None for name in ("MINDXTRAIN_CPU_ATTENTION", "MINDXTRAIN_CPU_BLAS", "OPENBLAS_NUM_THREADS",
                                        "OMP_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS")}


class TestCase(mxt.TestCase):
    def simulate(self, scenario, *args, status=0, env=None, budget=30, model="instella-3b", **how):
        """Runs autotune on a scenario (a name under fixtures, or a path); returns the result. `model` None: a config in
        `args` names it."""
        path = scenario if "/" in str(scenario) else SCENARIOS / f"{scenario}.json"
        variables = {**NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": path, **(env or {})}
        what = ["--model", model] if model else []
        return self.run_program("autotune", "--device", "fake", *what, "--budget", budget, *args,
                                status=status, env=variables, **how)

    def plan(self, name="plan.json"):
        return json.loads((self.dir / name).read_text())

    def choice(self, plan, probe):
        """The last word on a probe in the evidence."""
        return [row for row in plan["evidence"]["choices"] if row["probe"] == probe][-1]

    def samples(self, plan, **wanted):
        return [row for row in plan["evidence"]["samples"] if all(row.get(k) == v for k, v in wanted.items())]
