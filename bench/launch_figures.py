#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `run` adds to a command, as Markdown for docs/benchmarks.md. Nothing here is a test.

  bench/launch_figures.py --python PATH [--build DIR] [--plan FILE] [--out DIR] [--runs N]

PATH: a Python with torch, or its environment's folder. Without --plan one is sealed that fits this machine. --out is best
on a tmpfs. Figures are those of a host that does nothing else; the processor's time hardly depends on that.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE_ROOT / "tests" / "lib"))
import mxt_plans  # noqa: E402


class Bench:
    def __init__(self, args):
        self.args = args
        self.program = args.build / "src/cli/mindxtrain"
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="mxt-launch-", dir=args.out))
        self.plan = args.plan or self.seal()

    def seal(self):
        """The plan of a CPU whose differences from this machine are put right, as plan check names them."""
        path = self.dir / "plan.json"
        changes = {"stack": {"torch": "0"}, "env": None, "unset": None, "contract": None, "workload.scaled": None}
        path.write_text(mxt_plans.text(mxt_plans.plan(changes)))
        told = subprocess.run([self.program, "plan", "check", "--json", "--python", self.args.python, path],
                              capture_output=True, text=True, check=False)
        contract = {}
        for row in json.loads(told.stdout)["differences"]:
            if row["path"].startswith("contract."):
                contract[row["path"].split(".", 1)[1]] = row["right"]
            else:
                changes[row["path"]] = row.get("right")
        path.write_text(mxt_plans.text(mxt_plans.plan(changes | {"contract": contract or None})))
        return path

    def run_command(self, *command):
        return [self.program, "run", "--plan", self.plan, "--python", self.args.python, "--out", self.dir / "runs", "--",
                *command]

    def times(self, command):
        """Median milliseconds that pass, and of the processor."""
        passed, before = [], resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(self.args.runs):
            began = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            passed.append((time.perf_counter() - began) * 1e3)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return statistics.median(passed), busy / self.args.runs * 1e3

    def checks(self):
        """Milliseconds of each run's checks, and of asking the device who it is, as the runs recorded them."""
        found = [json.loads(path.read_text()) for path in (self.dir / "runs").glob("*/status.json")]
        return (sorted(row["checked_ns"] / 1e6 for row in found), sorted(row["identity_ns"] / 1e6 for row in found))

    def memory_kib(self):
        """Of the supervisor and its guardian, beside each other, while a command runs: shared pages are counted once."""
        process = subprocess.Popen(self.run_command("sleep", "3"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1.5)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        pids = [process.pid, *map(int, children)]
        total = 0
        for pid in pids:
            for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                total += int(line.split()[1]) if line.startswith("Pss:") else 0
        process.wait()
        return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE_ROOT / "build")
    parser.add_argument("--plan", type=pathlib.Path)
    parser.add_argument("--out", default="/dev/shm")
    parser.add_argument("--runs", type=int, default=50)
    bench = Bench(parser.parse_args())
    try:
        alone, under = bench.times(["true"]), bench.times(bench.run_command("true"))
        checked, identity = bench.checks()
        middle = len(checked) // 2
        print(f"load {os.getloadavg()[0]:.1f}\n\n| what | must reach | measured |\n|---|---|---|")
        print(f"| plan and stack check of `run`, {len(checked)} runs | <= 5 ms | best {checked[0]:.1f} ms, median "
              f"{checked[middle]:.1f} ms |")
        print(f"| identity of the device | apart | median {identity[middle]:.2f} ms |")
        print(f"| `run -- true` against `true` | - | {under[0] - alone[0]:.1f} ms more, {under[1] - alone[1]:.1f} ms of "
              "the processor |")
        print(f"| memory of `run` and its guardian | <= 10 MB | {bench.memory_kib() / 1024:.1f} MB |")
    finally:
        shutil.rmtree(bench.dir, ignore_errors=True)


if __name__ == "__main__":
    main()
