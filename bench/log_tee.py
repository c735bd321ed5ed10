#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: log_tee.py PROGRAM [--runs N] [--megabytes N] [--folder DIR]

How fast does what a command writes reach the log and our own stream? `mindxtrain run -- COMMAND` beside
`COMMAND | tee LOG`, in turns, the log on a tmpfs (/dev/shm unless told otherwise). The command writes lines of 80 bytes in
pieces of 4 KiB, as the C library does into a pipe, and of 64 KiB; what is shown goes to /dev/null, or into a pipe that
cat reads. Logs are compared. Prints the medians, and what the supervisor's memory came to at most.

The time of `run` holds its start, too: reading the plan, the checks, the folder.
"""

import argparse
import filecmp
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SCENARIO = pathlib.Path(__file__).parent.parent / "tests" / "fixtures" / "scenarios" / "clear_winner.json"
WRITER = """
import os, sys
block, total = int(sys.argv[1]), int(sys.argv[2])
piece = (b"x" * 79 + b"\\n") * (block // 80 + 1)
for at in range(0, total, block):
    part = memoryview(piece)[at % 80:at % 80 + min(block, total - at)]
    while part:
        part = part[os.write(1, part):]
"""


class Bench:
    def __init__(self, program, folder, megabytes):
        self.program, self.folder, self.total = program, pathlib.Path(folder), megabytes * 1_000_000
        self.environment = {**os.environ, "MINDXTRAIN_FAKE_SCENARIO": str(SCENARIO)}
        self.plan = self.folder / "plan.json"
        subprocess.run([program, "autotune", "--device", "fake", "--model", "instella-3b", "--out", self.plan], check=True,
                       env=self.environment, stdout=subprocess.DEVNULL)

    def writer(self, block):
        return [sys.executable, "-c", WRITER, str(block), str(self.total)]

    def timed(self, chain):
        """Seconds until all programs of a chain of pipes have ended; the last one's output goes nowhere."""
        start, before, processes = time.monotonic(), None, []
        for i, argv in enumerate(chain):
            out = subprocess.DEVNULL if i == len(chain) - 1 else subprocess.PIPE
            processes.append(subprocess.Popen(argv, stdin=before or subprocess.DEVNULL, stdout=out, env=self.environment,
                                              stderr=subprocess.DEVNULL))
            if before:
                before.close()
            before = processes[-1].stdout
        for process in processes:
            process.wait()
        seconds = time.monotonic() - start
        if any(process.returncode for process in processes):
            sys.exit(f"{chain}: {[process.returncode for process in processes]}")
        return seconds

    def tee(self, block, reader):
        log = self.folder / "tee.log"
        return self.timed([self.writer(block), ["tee", log], *reader]), log

    def run(self, block, reader):
        out = self.folder / "runs"
        shutil.rmtree(out, ignore_errors=True)
        seconds = self.timed([[self.program, "run", "--plan", self.plan, "--allow-simulated", "--out", out, "--",
                               *self.writer(block)], *reader])
        return seconds, next(out.glob("*/train.log"))

    def compare(self, block, reader, runs):
        """Median seconds of tee and of run."""
        times = {self.tee: [], self.run: []}
        for _ in range(runs):
            logs = []
            for way, seconds in times.items():
                took, log = way(block, reader)
                seconds.append(took)
                logs.append(log)
            if not filecmp.cmp(*logs, shallow=False):
                sys.exit("the logs differ")
        return [statistics.median(seconds) for seconds in times.values()]

    def peak_kib(self):
        """VmHWM of the supervisor, read by its own command at the end of much output."""
        script = f"head -c {self.total} /dev/zero; sleep 0.5; grep VmHWM /proc/$MXT_BENCH_PID/status >&2"
        shell = ["sh", "-c", 'export MXT_BENCH_PID=$$; exec "$@"', "sh", self.program, "run", "--plan", self.plan,
                 "--allow-simulated", "--out", self.folder / "memory", "--", "sh", "-c", script]
        result = subprocess.run(shell, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
        return int(re.search(rb"VmHWM:\s*(\d+)", result.stderr).group(1))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--folder", default="/dev/shm")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        bench = Bench(os.path.abspath(args.program), folder, args.megabytes)
        print(f"{args.megabytes} MB, medians of {args.runs} runs, MB/s")
        for name, reader in (("/dev/null", []), ("a pipe", [["cat"]])):
            for block in (4096, 65536):
                rates = [args.megabytes / seconds for seconds in bench.compare(block, reader, args.runs)]
                print(f"shown to {name}, written by {block} bytes: tee {rates[0]:.0f}, run {rates[1]:.0f}, "
                      f"ratio {rates[1] / rates[0]:.2f}", flush=True)
        print(f"peak memory of the supervisor: {bench.peak_kib()} KiB")


if __name__ == "__main__":
    main()
