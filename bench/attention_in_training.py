#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a training take the attention that its plan names, and what does looking cost?

Records two steps, makes a plan for them, and from it one for each of torch's other attention kernels: nothing but
decision.attention differs, and no variable leads there. Each trains for some steps under `mindxtrain run`
(bench/real_step.py: transformers and peft, random weights); a line says what the plan names, what the process saw, and
how long a step took. Then the same steps with and without the hook, in turns.

    python3 bench/attention_in_training.py bin/mindxtrain OUT
    python3 bench/attention_in_training.py build/src/cli/mindxtrain OUT --device cpu --model tiny --seq-len 256

Exit status 1: a training took other kernels than its plan names.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

STEP = pathlib.Path(__file__).resolve().parent / "real_step.py"
BACKENDS = {"cuda": ("cudnn", "flash", "efficient", "math"), "hip": ("aotriton", "efficient", "math"),
            "cpu": ("flash", "math")}
# What moves torch's attention by itself.
VARIABLES = ("TORCH_CUDNN_SDPA_DEPRIORITIZED", "TORCH_CUDNN_SDPA_PREFERRED", "TORCH_CUDNN_SDPA_AVOID_RECOMPILE",
             "TORCH_ROCM_FA_PREFER_CK")
RECORDED = 3  # steps after which the hook is gone


def parse_arguments():
    """The settings of the run."""
    parser = argparse.ArgumentParser(description="What attention trainings take, and what looking costs.")
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--device", choices=sorted(BACKENDS), default="cuda")
    parser.add_argument("--python", default=sys.executable, help="the Python that trains")
    parser.add_argument("--model", default="qwen3-8b", help="of real_step.py")
    parser.add_argument("--layers", type=int, default=3, help="of the model")
    parser.add_argument("--seq-len", type=int, default=2048)
    parser.add_argument("--micro-batch", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="with and without the hook")
    parser.add_argument("--budget", type=int, default=60, help="seconds for the plan")
    parser.add_argument("--plan", type=pathlib.Path, help="take this one instead of making one")
    return parser.parse_args()


def call(command, **how):
    """A finished process; what went wrong is shown."""
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **how)
    if process.returncode != 0:
        print(f"status {process.returncode}: {' '.join(map(str, command))}\n{process.stderr[-2000:]}", flush=True)
    return process


def make_plan(arguments):
    """Its path: made of what two steps of the training call."""
    path, recorded = arguments.out / "plan.json", arguments.out / "recorded.json"
    call([arguments.program, "record", "--out", recorded, "--", *train_command(arguments)])
    process = call([arguments.program, "autotune", "--shapes", recorded, "--device", arguments.device, "--python",
                    arguments.python, "--budget", arguments.budget, "--out", path])
    if process.returncode != 0:
        raise SystemExit(1)
    return path


def seal(arguments, plan, path):
    """Writes the plan with the id of its decision: the program says which one that is."""
    for _ in range(2):
        path.write_text(json.dumps(plan, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8")
        process = subprocess.run([arguments.program, "plan", "id", path], capture_output=True, text=True, check=False)
        if process.returncode == 0:
            return path
        found = re.search(r"its id is ([0-9a-f]{64})", process.stderr)
        if not found:
            raise SystemExit(process.stderr)
        plan["plan_id"] = found.group(1)
    raise SystemExit(f"{path} cannot be sealed")


def force(arguments, original, backend):
    """The plan with another attention, and without the variables that lead anywhere; its path."""
    plan = json.loads(original.read_text(encoding="utf-8"))
    decision = plan["decision"]
    decision["attention"] = {"backend": backend}
    taken = [name for name in VARIABLES if decision.get("env", {}).pop(name, None) is not None]
    if not decision.get("env", {1: 1}):
        del decision["env"]
    unset = sorted({*decision.get("unset", []), *taken})
    if unset:
        decision["unset"] = unset
    return seal(arguments, plan, arguments.out / f"plan-{backend}.json")


def train_command(arguments):
    """One training."""
    return [arguments.python, STEP, "--model", arguments.model, "--layers", arguments.layers, "--seq-len",
            arguments.seq_len, "--micro-batch", arguments.micro_batch, "--steps", arguments.steps, "--device",
            "cpu" if arguments.device == "cpu" else "cuda"]


def step_times(text):
    """Milliseconds of the timed steps."""
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{"step_ms"')]
    return [row["step_ms"] for row in rows]


def summary(times):
    """(median once the hook is gone, the steps before); the first two steps of a training are not timed."""
    return statistics.median(times[RECORDED:] or times), times[:RECORDED]


def run(arguments, plan, name, *options):
    """(times, status.json) of a training under a plan."""
    out = arguments.out / name
    process = call([arguments.program, "run", "--plan", plan, "--python", arguments.python, "--out", out, *options, "--",
                    *train_command(arguments)])
    newest = max(out.glob("*/status.json"), key=lambda path: path.stat().st_mtime_ns, default=None)
    status = json.loads(newest.read_text(encoding="utf-8")) if newest else {}
    return step_times(process.stdout), status


def show_backend(arguments, plan, backend):
    """One line; False when the training took something else."""
    times, status = run(arguments, plan, f"runs-{backend}")
    saw = [row.get("saw", "") for row in status.get("witnesses", []) if row.get("what") == "sdpa"]
    notes = [row["note"] for row in status.get("witnesses", []) if "note" in row]
    coverage = status.get("coverage", {})
    share = f"{coverage['share_ppm'] / 1e4:.1f} % by {coverage['basis']}" if "share_ppm" in coverage else str(coverage)
    steady = f"{summary(times)[0]:.2f} ms a step" if times else "no steps"
    print(f"planned {backend}: saw {', '.join(saw) or 'nothing'}; {steady}; planned problems {share}"
          + "".join(f"; {note}" for note in notes), flush=True)
    return saw == [backend]


def show_cost(arguments, plan):
    """The same training without the hook, with the witness, and with the recording of two steps."""
    rounds = {"without": [], "witness": [], "recording": []}
    for _ in range(arguments.rounds):
        rounds["without"].append(step_times(call(train_command(arguments)).stdout))
        rounds["witness"].append(run(arguments, plan, "cost", "--no-coverage")[0])
        rounds["recording"].append(run(arguments, plan, "cost")[0])
    for name, all_times in rounds.items():
        steady = [summary(times)[0] for times in all_times if times]
        first = [times[0] for times in all_times if times]
        print(f"{name}: {' '.join(f'{ms:.2f}' for ms in steady)} ms a step afterwards; the third step "
              f"{' '.join(f'{ms:.1f}' for ms in first)} ms", flush=True)


def main():
    """Runs and reports."""
    arguments = parse_arguments()
    arguments.out = arguments.out.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    plan = arguments.plan or make_plan(arguments)
    named = json.loads(plan.read_text(encoding="utf-8"))["decision"].get("attention", {}).get("backend")
    print(f"the plan names {named}", flush=True)
    right = [show_backend(arguments, plan, named)]
    right += [show_backend(arguments, force(arguments, plan, backend), backend)
              for backend in BACKENDS[arguments.device] if backend != named]
    show_cost(arguments, plan)
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
