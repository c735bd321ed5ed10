#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: manifest_hash.py PROGRAM [--folder DIR] [--gigabytes N] [--files N] [--rounds N]

How fast are files hashed? `mindxtrain verify LIST` beside `b3sum --check LIST`, in turns, each with one thread and with
two, the page cache warm: one large file, then files of 1 MB. Makes the files in DIR (default: a temporary folder), and
removes them. Prints of each the best time and the best processor time of all rounds, and the peak of its memory.

Both read a list that b3sum wrote, so that both are seen to find the same hashes. b3sum maps files into its memory; what
it maps counts in its peak.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

MB = 1_000_000
THREADS = (1, 2)


def fill(path, size, block):
    with open(path, "wb") as file:
        for at in range(0, size, len(block)):
            file.write(block[:min(len(block), size - at)])


def make(folder, gigabytes, files):
    """Two folders, and how many bytes each holds."""
    block = os.urandom(64 * MB)
    one, many = folder / "one", folder / "many"
    one.mkdir()
    many.mkdir()
    fill(one / "model.safetensors", int(gigabytes * 1000 * MB), block)
    for i in range(files):
        fill(many / f"{i:06}.bin", MB, memoryview(block)[i % 1000:i % 1000 + MB])
    return [(one, f"one file of {gigabytes:g} GB", gigabytes * 1000 * MB), (many, f"{files} files of 1 MB", files * MB)]


def write_list(folder):
    path = folder.with_suffix(".b3")
    names = sorted(os.listdir(folder))
    path.write_bytes(subprocess.run(["b3sum", *names], cwd=folder, check=True, stdout=subprocess.PIPE).stdout)
    return path


def peak_mb(pid):
    """What wait4(2) tells is never less than what the parent had when it forked."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / MB
    return 0  # it has ended


class Side:
    """One command, and the best of its runs."""

    def __init__(self, name, argv):
        self.name, self.argv = name, argv
        self.seconds = self.processor = float("inf")
        self.peak_mb = 0

    def run(self, folder):
        start = time.monotonic()
        process = subprocess.Popen(self.argv, cwd=folder, stdout=subprocess.DEVNULL)
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            self.peak_mb = max(self.peak_mb, peak_mb(process.pid))
            time.sleep(0.01)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{self.argv}: {process.returncode}")
        self.seconds = min(self.seconds, seconds)
        self.processor = min(self.processor, usage.ru_utime + usage.ru_stime)


def compare(program, folder, rounds, threads):
    path = folder.with_suffix(".b3")
    sides = [
        Side("b3sum", ["b3sum", "--check", "--quiet", "--num-threads", str(threads), path]),
        Side("mindxtrain", [program, "verify", path, "--dataset", folder, "--threads", str(threads)]),
    ]
    for _ in range(rounds):
        for side in sides:
            side.run(folder)
    return sides


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].removeprefix("usage: "))
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--gigabytes", type=float, default=8)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    program = args.program.resolve()
    print("| what | threads | b3sum, GB/s | mindxtrain, GB/s | ratio | of processor time | peak memory, MB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=args.folder) as scratch:
        for folder, what, size in make(pathlib.Path(scratch), args.gigabytes, args.files):
            write_list(folder)
            for threads in THREADS:
                theirs, ours = compare(program, folder, args.rounds, threads)
                print(f"| {what} | {threads} | {size / theirs.seconds / 1e9:.1f} | {size / ours.seconds / 1e9:.1f} "
                      f"| {theirs.seconds / ours.seconds:.2f} | {theirs.processor / ours.processor:.2f} "
                      f"| {theirs.peak_mb:.0f} and {ours.peak_mb:.0f} |", flush=True)


if __name__ == "__main__":
    main()
