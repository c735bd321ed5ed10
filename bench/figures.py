#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of the program on this machine, as Markdown for docs/benchmarks.md. Nothing here is a test.

  bench/figures.py [--build DIR] [--model MODEL] [--runs N] [--only NAME ...] [--set NAME=VALUE ...] [--unset NAME ...]

--build takes a folder that make bundle made, too. --set and --unset change the environment of all runs, for example
--unset OPENBLAS_CORETYPE.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time


def high_water_kib(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


class Bench:
    def __init__(self, args):
        self.args = args
        built, bundled = args.build / "src/cli/mindxtrain", args.build / "bin/mindxtrain"
        self.program = built if built.exists() else bundled
        self.exhaustive_program = args.build / "bench/exhaustive"
        self.env = dict(os.environ)
        for item in args.set:
            name, _, value = item.partition("=")
            self.env[name] = value
        for name in args.unset:
            self.env.pop(name, None)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="mxt-bench-"))
        self.plans = []

    def autotune(self, out, *extra):
        """(exit status, seconds, peak KiB of the orchestrator alone)."""
        began = time.monotonic()
        process = subprocess.Popen([self.program, "autotune", "--model", self.args.model, "--out", out,
                                    *self.args.options, *extra],
                                   env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        peak = 0
        drained = threading.Thread(target=process.stderr.read)
        drained.start()
        while process.poll() is None:
            peak = max(peak, high_water_kib(process.pid))
            time.sleep(0.02)
        drained.join()
        return process.returncode, time.monotonic() - began, peak

    def runs(self):
        """Repeated runs: wall clock, plan_id, gains, peak memory."""
        rows = []
        for run in range(self.args.runs):
            out = self.dir / f"run{run}.json"
            status, seconds, peak = self.autotune(out)
            plan = json.loads(out.read_text()) if status == 0 else None
            rows.append((status, seconds, peak, plan))
            self.plans += [plan] if plan else []
        print("| run | status | s | peak RSS, MB | plan_id | " "choices (gain, bound, floor in %) |")
        print("|---|---|---|---|---|---|")
        for run, (status, seconds, peak, plan) in enumerate(rows):
            choices = "; ".join(
                f"{c['probe']}: {c['winner']}" + "".join(
                    f", {c[key] / 1e4:.1f}" for key in ("gain_ppm", "bound_ppm", "floor_ppm") if key in c)
                for c in plan["evidence"]["choices"]) if plan else ""
            name = plan["plan_id"][:12] if plan else "none"
            print(f"| {run} | {status} | {seconds:.1f} | {peak / 1000:.1f} | {name} | {choices} |")
        counted = collections.Counter(plan["plan_id"][:12] for plan in self.plans)
        print(f"\nplan_ids: {dict(counted)}\n")

    def budgets(self):
        """The promise: never more than the budget."""
        print("| --budget | status | s |\n|---|---|---|")
        for budget in (5, 10, 20, 60):
            for _ in range(self.args.budget_runs):
                status, seconds, _ = self.autotune(self.dir / "budget.json", "--budget", str(budget))
                print(f"| {budget} | {status} | {seconds:.2f} |")
        print()

    def regret(self):
        """The chosen candidates against all candidates, measured for many blocks."""
        result = subprocess.run([self.exhaustive_program, self.program, self.args.model, str(self.args.blocks),
                                 *self.args.exhaustive], env=self.env, stdout=subprocess.PIPE, text=True, check=True)
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        ratio = {(row["probe"], row["candidate"]): row.get("time_ratio_ppm") for row in rows}
        print("| probe | candidate | time against bare |\n|---|---|---|")
        for row in rows:
            text = f"{row['time_ratio_ppm'] / 1e6:.4f}" if "time_ratio_ppm" in row else row["status"]
            print(f"| {row['probe']} | {row['candidate']} | {text} |")
        print()
        for number, plan in enumerate(self.plans):
            for choice in plan["evidence"]["choices"]:
                times = {name: value for (probe, name), value in ratio.items() if probe == choice["probe"] and value}
                if choice["winner"] in times:
                    regret = times[choice["winner"]] / min(times.values()) - 1
                    print(f"run {number}, {choice['probe']}: {choice['winner']}, regret {regret * 100:.2f} %")
        print()

    def sizes(self):
        """Stripped size, and the time of a plan check."""
        stripped = self.dir / "stripped"
        subprocess.run(["strip", "-o", stripped, self.program], check=True)
        print(f"stripped binary: {stripped.stat().st_size / 1e6:.2f} MB")
        plan = self.dir / "run0.json"
        if not plan.exists():
            self.autotune(plan)
        times = []
        for _ in range(100):
            began = time.monotonic()
            subprocess.run([self.program, "plan", "check", plan], env=self.env, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            times.append((time.monotonic() - began) * 1e3)
        times.sort()
        print(f"plan check: median {statistics.median(times):.2f} ms, 95th {times[94]:.2f}, worst {times[-1]:.2f}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--model", default="instella-3b")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget-runs", type=int, default=3)
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=["runs", "budgets", "regret", "sizes"])
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--unset", nargs="*", default=[])
    parser.add_argument("--options", nargs="*", default=[], help="given to autotune: write --options=--device=cuda")
    parser.add_argument("--exhaustive", nargs="*", default=[], help="DEVICE TORCH SEQ_LEN MICRO_BATCH LORA_RANK")
    args = parser.parse_args()
    bench = Bench(args)
    for name in args.only:
        getattr(bench, name)()


if __name__ == "__main__":
    main()
