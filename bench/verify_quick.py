#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: verify_quick.py PROGRAM [FOLDER]

What `verify` of many small files takes, the page cache warm: 100,000 files of 40 bytes in 100 folders, in FOLDER (a
temporary one below it; default: where temporary files go). Every way several times in turns; the least and the median
of the wall clock, the processor time, and the peak of the memory. b3sum --check reads the same files.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

FOLDERS, FILES, TURNS = 100, 1000, 7
SETTLED_S = 2.5  # what is younger is not trusted


def make(run):
    for folder in range(FOLDERS):
        (run / f"{folder:03}").mkdir(parents=True)
        for file in range(FILES):
            (run / f"{folder:03}/{file:04}.txt").write_text(f"{folder:18} {file:20}\n")


def timed(command, **how):
    """Wall clock and processor time in seconds, peak of the memory in MiB."""
    read, write = os.pipe()
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, **how)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(write, f"{done.returncode} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}".encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        status, cpu_s, peak_kib = told.read().split()
    os.waitpid(pid, 0)
    if status != "0":
        raise SystemExit(f"{command} ended with {status}")
    return time.monotonic() - start, float(cpu_s), int(peak_kib) / 1024


def main(program, folder=None):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        run = pathlib.Path(scratch, "run")
        make(run)
        os.environ["XDG_CACHE_HOME"] = scratch
        subprocess.run([program, "manifest", "create", run], check=True, stdout=subprocess.DEVNULL)
        time.sleep(SETTLED_S)
        ways = {
            "verify": ([program, "verify", run], {}),
            "verify --quick": ([program, "verify", "--quick", run], {}),
            "b3sum --check": (["b3sum", "--quiet", "--check", "manifest.b3"], {"cwd": run}),
        }
        times = {name: [] for name in ways}
        for _ in range(TURNS + 1):
            for name, (command, how) in ways.items():
                times[name].append(timed(command, **how))
    print(f"{FOLDERS * FILES} files, {TURNS} turns")
    print(f"{'':16} {'least':>8} {'median':>8} {'processor':>10} {'memory':>8}")
    for name, rows in times.items():
        wall, cpu, peak = zip(*rows[1:])  # the first one warms up
        print(f"{name:16} {min(wall):6.2f} s {statistics.median(wall):6.2f} s {min(cpu):8.2f} s {max(peak):4.0f} MiB")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
