#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of a recorded step would its config alone have tuned, by measured time?

  bench/coverage.py PROGRAM RECORDED PLAN [--least PERCENT] -- [--config run.yaml | --model MODEL] [OPTIONS of autotune]

PLAN is what `PROGRAM autotune --shapes RECORDED` wrote on this machine: its times weigh the calls. What follows -- gives
the workload to hold the recording against; name the same --device as for the plan. Prints the share of the products' time
and the attention calls that are covered, and the largest that are not. With --least the exit status is 1 when less of the
products' time, or not every attention call, is covered.
"""

import argparse
import json
import pathlib
import subprocess
import sys

SHOWN = 15


def problems(program, *options):
    """[(problem, calls in a step)] of a workload."""
    command = [program, "autotune", *options, "--print-workload", "--json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [(row["problem"], row["calls"] * row["share_ppm"] / 1e6) for row in json.loads(output)["problems"]]


def like(problem):
    """What has to be equal: all but the lengths of packed documents, which are never the same twice."""
    if "documents" in problem:
        problem = dict(problem, documents=True, seq=0)
    return json.dumps(problem, sort_keys=True)


def added(rows):
    """{what has to be equal: calls}"""
    calls = {}
    for problem, count in rows:
        calls[like(problem)] = calls.get(like(problem), 0) + count
    return calls


def times(plan):
    """{problem: nanoseconds} under what the job would do today."""
    incumbents = {choice["probe"]: choice["incumbent"] for choice in plan["evidence"]["choices"] if "incumbent" in choice}
    found = {}
    for sample in plan["evidence"]["samples"]:
        if "problem" in sample and "median_ns" in sample and sample["candidate"] == incumbents.get(sample["probe"]):
            found[json.dumps(sample["problem"], sort_keys=True)] = sample["median_ns"]
    return found


def compare(recorded, generated, measured):
    """Rows (problem, calls, calls that are covered, nanoseconds of one call or None)."""
    asked, given = added(recorded), added(generated)
    rows = []
    for problem, calls in recorded:
        part = min(1.0, given.get(like(problem), 0) / asked[like(problem)]) if calls else 1.0
        rows.append((problem, calls, calls * part, measured.get(json.dumps(problem, sort_keys=True))))
    return rows


def summary(rows, kind):
    """(total, covered, not measured) of one kind: time of products, calls of attention."""
    mine = [row for row in rows if row[0]["op"] == kind]
    if kind == "attention":
        return sum(row[1] for row in mine), sum(row[2] for row in mine), 0
    timed = [row for row in mine if row[3] is not None]
    return sum(row[1] * row[3] for row in timed), sum(row[2] * row[3] for row in timed), len(mine) - len(timed)


def print_misses(rows):
    """What is not covered, the most time first."""
    misses = sorted(((calls - hit) * (ns or 0), calls - hit, json.dumps(problem, sort_keys=True))
                    for problem, calls, hit, ns in rows if calls - hit > 1e-5 * calls)
    for lost, calls, text in reversed(misses[-SHOWN:]):
        print(f"  {lost / 1e6:9.3f} ms  {calls:8.1f} x {text}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("recorded")
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("options", nargs="*")
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    args = parser.parse_args(arguments[:cut])
    options = arguments[cut + 1:]
    device = options[options.index("--device"):][:2] if "--device" in options else []
    rows = compare(problems(args.program, "--shapes", args.recorded, *device), problems(args.program, *options),
                   times(json.loads(args.plan.read_text())))
    total, covered, unmeasured = summary(rows, "gemm")
    calls, covered_calls, _ = summary(rows, "attention")
    share = 100 * covered / total if total else 100.0
    print(f"products: {share:.2f} % of {total / 1e6:.3f} ms in a step are covered ({unmeasured} kinds were not measured)")
    print(f"attention: {covered_calls:.1f} of {calls:.1f} calls in a step are covered")
    print_misses(rows)
    return 1 if args.least and (share < args.least or covered_calls < calls - 1e-6) else 0


sys.exit(main())
