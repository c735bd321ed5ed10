#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: plan_stability.py PROGRAM [--pairs N] [--budget S] [--first-seed N]

Two simulated machines of equal truth and different noise: how often do they make the same plan?

Every pair draws a truth: how much faster or slower one challenger of attention and one of the products are than the
default. Its two machines differ in speed (4 %), in every launch (2.2 %, quartiles at 1.5 %), in what a process keeps for
life (0.3 %) and in the order of their turns; one launch in 500 is disturbed. Each makes a plan on the fake device; equal
plans have equal ids. Then the second machine confirms the first one's plan with --against.

A gain between half of the margin and twice the margin cannot be told in general: pairs with such a truth are counted
apart. The margin is 3 %. Prints one line per group. Nothing of this was measured on hardware.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

MARGIN = 0.03
CLEAR = (-0.10, -0.03, 0.0, 0.01, 0.014, 0.062, 0.08, 0.15, 0.30)  # time saved
BAND = (0.016, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.058)
NOISE = {"sigma": 0.022, "process_sigma": 0.003, "tail_probability": 0.002, "tail_size": 1}
FLASH = {"MINDXTRAIN_CPU_ATTENTION": "flash"}
BLIS = {"MINDXTRAIN_CPU_BLAS": "blis"}


def machine(truth, speed, seed):
    """The scenario of one machine."""
    row = {"noise": NOISE, "cost": {"fixed_ns": 2000, "ns_per_flop": 2e-6 * speed}}
    gain = {"attention": truth[0], "gemm": truth[1]}
    return {"seed": seed, "bare": {"attention": {"choice": "math", **row}, "gemm": {"choice": "openblas", **row}},
            "inventory": {"peak_gflops": 1307400},
            "candidates": [{"name": name, "probe": probe, "env": env, "choice": name, "factor": 1 - gain[probe]}
                           for name, probe, env in (("flash", "attention", FLASH), ("blis", "gemm", BLIS))]}


class Runs:
    def __init__(self, program, folder, budget):
        self.program, self.folder, self.budget = program, pathlib.Path(folder), budget

    def autotune(self, scenario, seed, out, *args):
        (self.folder / "scenario.json").write_text(json.dumps(scenario))
        kept = {name: value for name, value in os.environ.items()
                if name not in (*FLASH, *BLIS, "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        return subprocess.run(
            [self.program, "autotune", "--device", "fake", "--model", "instella-3b", "--budget", str(self.budget),
             "--seed", str(seed), "--out", self.folder / out, *args], capture_output=True, text=True, check=False,
            env={**kept, "MINDXTRAIN_FAKE_SCENARIO": str(self.folder / "scenario.json")})

    def plan_id(self, scenario, seed, out):
        result = self.autotune(scenario, seed, out)
        if result.returncode != 0:
            sys.exit(f"{scenario}: {result.stderr}")
        return json.loads((self.folder / out).read_text())["plan_id"]

    def pair(self, truth, rng):
        """(equal ids, the second machine confirms the first one's plan)"""
        first, second = (machine(truth, rng.lognormvariate(0, 0.04), rng.randrange(1 << 31)) for _ in range(2))
        seeds = [rng.randrange(1 << 31) for _ in range(3)]
        one = self.plan_id(first, seeds[0], "first.json")
        other = self.plan_id(second, seeds[1], "second.json")
        confirmed = self.autotune(second, seeds[2], "third.json", "--against", self.folder / "first.json")
        return one == other, confirmed.returncode == 0 and json.loads(
            (self.folder / "third.json").read_text())["plan_id"] == one


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].removeprefix("usage: "))
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options.program.resolve(), folder, options.budget)
        for name, gains in (("outside the band", CLEAR), ("inside the band", BAND)):
            equal = confirmed = 0
            for i in range(options.pairs):
                rng = random.Random(options.first_seed + i)
                truth = (rng.choice(gains), rng.choice(gains))
                same, held = runs.pair(truth, rng)
                equal += same
                confirmed += held
                if not same or not held:
                    print(f"  pair {options.first_seed + i}: attention {truth[0]:+.1%}, products {truth[1]:+.1%}: "
                          f"{'equal' if same else 'different'} plans, {'confirmed' if held else 'not confirmed'}")
            print(f"{name}: {equal} of {options.pairs} pairs have one plan_id; {confirmed} confirmed with --against")


if __name__ == "__main__":
    main()
