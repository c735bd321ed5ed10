#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: worker_fidelity.py PROGRAM PYTHON [--device cuda|cpu-torch] [--rounds N]

Holds the times of the C worker against those of the Python worker with the provider sdpa: the same problems, in turns, on
the same device. Both speak the program's own protocol. Prints a table, and the median of the ratios.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))

import worker_peer  # noqa: E402
from worker_peer import wire  # noqa: E402

WARM_NS, TARGET_NS = 20000000, 20000000
LARGE = ((1, 4096, 32, 8, 128), (2, 4096, 32, 8, 128), (1, 8192, 32, 8, 128), (4, 2048, 16, 16, 80))
SMALL = ((1, 512, 16, 8, 128),)
PRODUCTS = ((8192, 4096, 4096), (8192, 14336, 4096), (4096, 1024, 4096), (8192, 16, 4096))


def problems(device):
    shapes = SMALL if device == "cpu-torch" else LARGE + SMALL
    for batch, seq, heads, kv_heads, dim in shapes:
        for backward in (False, True):
            yield wire.Attention(batch, seq, heads, kv_heads, dim, dtype="bfloat16", backward=backward)
    for m, n, k in PRODUCTS:
        yield wire.Gemm(m, n, k, k, k, n, trans_b=True, dtype="bfloat16")


def torch_folder(python):
    code = "import os, torch; print(os.path.dirname(torch.__file__))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def compare(peers, number, problem, rounds):
    """Times of both, in ns, and what computed it."""
    prepared = [peer.ask(wire.Prepare(number, problem)) for peer in peers]
    for answer in prepared:
        if isinstance(answer, wire.Refused):
            return None, answer.text
    times = [[], []]
    for turn in range(rounds):
        for side in (0, 1) if turn % 2 else (1, 0):
            times[side].append(peers[side].ask(wire.Time(WARM_NS, TARGET_NS, [(number, 0)])).ns)
    return [statistics.median(side) for side in times], "/".join(p.backend or "-" for p in prepared)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("python")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    folder = torch_folder(args.python)
    common = ["--device", args.device, "--torch", folder, "--probe", "layer"]
    ratios = []
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(worker_peer.start(command)) for command in (
            [args.program, "worker", *common],
            [args.python, worker_peer.WORKER, "--provider", "sdpa", *common])]
        for peer in peers:
            print(json.dumps(peer.hello()))
        print("| problem | backend | C ms | Python ms | C/Python |\n|---|---|---|---|---|")
        for number, problem in enumerate(problems(args.device)):
            times, backend = compare(peers, number, problem, args.rounds)
            if times is None:
                print(f"| {problem} | {backend[:100]} |")
                continue
            ratios.append(times[0] / times[1])
            print(f"| {problem} | {backend} | {times[0] / 1e6:.3f} | {times[1] / 1e6:.3f} | {ratios[-1]:.3f} |",
                  flush=True)
    if ratios:
        print(f"\nmedian of {len(ratios)} ratios {statistics.median(ratios):.4f}, "
              f"from {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main()
