#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps whose lengths vary, with and without a plan's environment.

A plan is made for the run (or given), and the run itself is repeated in processes of its own, with
the plan's environment and without any selector, in turns. Every step has a length that its process
has not seen. What the plan predicted is printed beside what was measured. A micro-batch of several
sequences is padded to its longest and has a mask, as trainers make it; --no-mask leaves it out, and
then the plan's problems are not quite those of the run.

    python3 bench/varying.py --mindxtrain build/src/cli/mindxtrain --model qwen3-8b --layers 8
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()


def parse_arguments(arguments=None):
    """The settings of the run."""
    parser = argparse.ArgumentParser(description="Times steps at new lengths.")
    parser.add_argument("--mindxtrain", default="mindxtrain", help="the program")
    parser.add_argument("--plan", help="this plan; default: made for the run")
    parser.add_argument("--budget", type=int, default=60, help="seconds for making it")
    parser.add_argument("--model", default="qwen3-8b", help="as bench/real_step.py takes it")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--micro-batch", type=int, default=1)
    parser.add_argument("--no-mask", action="store_true",
                        help="sequences of one length, without a mask")
    parser.add_argument("--shortest", type=int, default=600)
    parser.add_argument("--longest", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--beside", metavar="NAME=VALUE", action="append", default=[],
                        help="also run with this variable instead of the plan's")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


# ---- in a child: the steps ----

def settings(arguments):
    """What bench/real_step.py asks of its own arguments."""
    device = "cpu" if arguments.device == "cpu" else "cuda"
    return argparse.Namespace(
        model=arguments.model, layers=arguments.layers, seq_len=arguments.shortest,
        micro_batch=arguments.micro_batch, lora_rank=16, autocast="on", checkpointing="off",
        attention="sdpa", quantised=False, fused_lora=False, loss="plain", documents=0,
        padded=False, device=device)


def draw_lengths(arguments):
    """As many different lengths as there are steps; the last of the list is for warming up."""
    lengths = range(arguments.shortest, arguments.longest)
    return random.Random(arguments.seed).sample(lengths, arguments.steps + 1)


def make_batch(step, vocab, length, masked):
    """A micro-batch; all its sequences but the first end earlier, where it is masked."""
    import real_step
    import torch

    step.seq_len = length
    batch = real_step.make_batch(step, vocab)
    if masked:
        ends = torch.tensor([length - 7 * i for i in range(step.micro_batch)], device=step.device)
        batch["attention_mask"] = (torch.arange(length, device=step.device) < ends[:, None]).long()
    return batch


def run_child(arguments):
    """Builds the model, runs the steps, prints their times."""
    import real_step
    import torch

    step = settings(arguments)
    model = real_step.build_model(step)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4)
    vocab = real_step.MODELS[arguments.model][5]
    masked = arguments.micro_batch > 1 and not arguments.no_mask
    *lengths, warm = draw_lengths(arguments)
    times = []
    for length in [warm, warm, *lengths]:
        batch = make_batch(step, vocab, length, masked)
        times.append(real_step.run_step(step, model, optimizer, batch))
    print(json.dumps({"steps_ms": times[2:]}))


# ---- the plan ----

def write_model(arguments, folder):
    """A config.json of the model that the children build."""
    sys.path.insert(0, str(HERE.parent))
    from real_step import MODELS

    hidden, ffn, heads, kv_heads, head_dim, vocab, _ = MODELS[arguments.model]
    path = folder / "config.json"
    path.write_text(json.dumps({
        "model_type": "llama", "hidden_size": hidden, "intermediate_size": ffn,
        "head_dim": head_dim, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "vocab_size": vocab,
        "num_hidden_layers": arguments.layers, "hidden_act": "silu"}))
    return path


def make_plan(arguments, folder):
    """Has the program tune for this very run."""
    path = folder / "plan.json"
    median = (arguments.shortest + arguments.longest) // 2
    high = arguments.longest - (arguments.longest - arguments.shortest) // 10
    command = [arguments.mindxtrain, "autotune", "--model", write_model(arguments, folder),
               "--seq-len", arguments.longest, "--micro-batch", arguments.micro_batch,
               "--lora-rank", 16,
               "--checkpointing", "off", "--packing", "off", "--steps", arguments.steps,
               "--distinct-lengths", arguments.steps, "--lengths", f"{median}:{high}",
               "--device", arguments.device, "--python", sys.executable,
               "--budget", arguments.budget, "--out", path]
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)
    return path


def plan_environment(arguments, path):
    """What `plan env` says: variables to set, and those to remove."""
    result = subprocess.run([arguments.mindxtrain, "plan", "env", "--format", "json", str(path)],
                            check=True, stdout=subprocess.PIPE, text=True)
    answer = json.loads(result.stdout)
    return answer.get("env", {}), answer.get("unset", [])


def predict(path):
    """The plan's rule for attention, and what the slow starter costs more over the run, in ms."""
    choices = json.loads(pathlib.Path(path).read_text())["evidence"]["choices"]
    choice = [row for row in choices if row["probe"] == "attention"][-1]
    lengths = choice.get("new_lengths", {})
    if "slow_start_cost_ns" not in lengths or "passes" not in lengths:
        return choice["rule"], None
    cost = lengths["distinct"] * lengths["slow_start_cost_ns"]
    return choice["rule"], (cost - lengths["passes"] * lengths["slow_start_saving_ns"]) / 1e6


# ---- the comparison ----

def run_in(environment):
    """One repetition in a process of its own; its steps in ms."""
    result = subprocess.run([sys.executable, str(HERE), "--child", *sys.argv[1:]], check=True,
                            stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(result.stdout.splitlines()[-1])["steps_ms"]


def compare(arguments, variables, unset):
    """Times of all repetitions, by environment; the order turns around each time."""
    bare = {name: value for name, value in os.environ.items()
            if name not in unset and name not in variables}
    environments = {"bare": bare, "plan": {**bare, **variables}}
    for setting in arguments.beside:
        name, value = setting.split("=", 1)
        environments[setting] = {**bare, name: value}
    totals = {name: [] for name in environments}
    steps = {name: [] for name in environments}
    for repetition in range(arguments.repetitions):
        names = list(environments)
        for name in names if repetition % 2 == 0 else reversed(names):
            times = run_in(environments[name])
            totals[name].append(sum(times))
            steps[name] += times
            print(json.dumps({"environment": name, "total_ms": round(sum(times), 1),
                              "median_ms": round(statistics.median(times), 3)}), flush=True)
    return totals, steps


def main():
    """Plans, runs, compares."""
    arguments = parse_arguments()
    if arguments.child:
        return run_child(arguments)
    with tempfile.TemporaryDirectory() as folder:
        plan = arguments.plan or make_plan(arguments, pathlib.Path(folder))
        variables, unset = plan_environment(arguments, plan)
        rule, predicted = predict(plan)
        print(json.dumps({"plan_env": variables, "rule": rule}), flush=True)
        totals, steps = compare(arguments, variables, unset)
    for name in totals:
        print(f"{name}: total {statistics.median(totals[name]):.0f} ms, median step "
              f"{statistics.median(steps[name]):.2f} ms, {len(steps[name])} steps")
    measured = statistics.median(totals["bare"]) - statistics.median(totals["plan"])
    if not variables:
        print("the plan sets nothing: both environments are the same, and differ by noise")
    print(f"measured: the plan saves {measured:.0f} ms")
    if predicted is not None:
        print(f"predicted by the plan: the slow starter costs {predicted:.0f} ms more over the run")
    return None


if __name__ == "__main__":
    sys.exit(main())
