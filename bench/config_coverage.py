#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: config_coverage.py [--sample N] [--program PATH] [--python PATH] [--hub DIR] [--list] FOLDER ...

For how many of the Axolotl configs below the folders each decision of `mindxtrain autotune` applies, and why not for the
others. Nothing is timed, and no GPU is needed: --print-workload says what would be. A decision applies

  attention   when what computes attention today is known and can be timed, so that the plan confirms or changes it
  library     when products of the step can be timed

A config is read as its user would have it: first as it is; then, where its base_model is not known, with --model as the
message proposes. Nothing is downloaded.

  --sample N      only N configs that train a language model on text: every k-th of all of them, sorted by path
  --python PATH   a Python whose packages count (default: none, everything that a config asks for is taken to be there)
  --hub DIR       a Hugging Face cache with the config.json of models
  --list          also a line for each config
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

# Keys at the top level that make a config something else than training a language model on text.
OTHER_KINDS = ("rl", "reward_model", "process_reward_model", "num_labels", "processor_type", "kd_trainer", "diffusion")
KEY = re.compile(r"^([A-Za-z_]\w*):[ \t]*([^#\n]*)", re.MULTILINE)
MODEL_UNKNOWN = "[MXT-182]"
PROPOSAL = re.compile(r"give --model (\S+?)(?: \[|$)")
# Reasons of one kind, by what is in their sentences; the first that matches counts.
GROUPS = (
    (r"is not a preset", "the model is in no table and its config.json is not in the cache"),
    (r"\[MXT-181\]", "the config.json has not what the model's dimensions need"),
    (r"split over GPUs", "weights or sequences are split over GPUs"),
    (r"learned sinks", "attention with learned sinks"),
    (r"capped scores", "attention with capped scores"),
    (r"latent attention", "multi-head latent attention"),
    (r"no softmax attention", "no layer has softmax attention"),
    (r"float8", "products in float8"),
    (r"quantised", "base weights that are stored quantised"),
    (r"nothing of this workload", "nothing of it can be modelled"),
)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--program", default="build/src/cli/mindxtrain")
    parser.add_argument("--python")
    parser.add_argument("--hub", default="/nonexistent")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def top_level_keys(path):
    """Key and value as text; enough to tell kinds of configs apart."""
    return {key: value.strip() for key, value in KEY.findall(path.read_text(encoding="utf-8"))}


def is_config(path):
    keys = top_level_keys(path)
    return "base_model" in keys and not (keys.keys() & {"merge_method", "slices"})


def trains_on_text(path):
    keys = top_level_keys(path)
    return not any(keys.get(key, "") not in ("", "false", "null", "~") for key in OTHER_KINDS)


def configs(folders, sample):
    found = sorted(path for folder in folders for path in folder.rglob("*")
                   if path.suffix in (".yml", ".yaml") and path.is_file() and is_config(path))
    if not sample:
        return found
    found = [path for path in found if trains_on_text(path)]
    return [found[i * len(found) // sample] for i in range(min(sample, len(found)))]


def ask(options, config, model=None):
    """The object that --print-workload --json prints, or the message."""
    command = [options.program, "autotune", "--device", "self-test", "--config", str(config), "--print-workload", "--json"]
    command += ["--model", model] if model else []
    command += ["--python", options.python] if options.python else []
    environment = {"PATH": "/nonexistent", "HOME": "/nonexistent", "HF_HUB_CACHE": options.hub}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode < 0 or done.returncode == 1:
        sys.exit(f"{config}: the program failed: {done.stderr}")
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr.strip())


def group(sentences):
    for pattern, name in GROUPS:
        if any(re.search(pattern, sentence) for sentence in sentences):
            return name
    return sentences[0] if sentences else "not known"


def judge(answer, message):
    """decision: None where it applies, else why not."""
    if not answer:
        return dict.fromkeys(("attention", "library"), group([message]))
    kinds = {row["problem"]["op"] for row in answer["problems"]}
    today = answer["today"]
    result = {"attention": None, "library": None if "gemm" in kinds else group(answer["not_modelled"])}
    if not today["starts"]:
        result = dict.fromkeys(result, "the job would end before its first step: " + today["note"])
    elif not today["modelled"]:
        result["attention"] = f"nothing here computes {today['name']}"
    elif "attention" not in kinds:
        result["attention"] = group(answer["not_modelled"])
    return result


def examine(options, config):
    answer, message = ask(options, config)
    proposal = PROPOSAL.search(message)
    if MODEL_UNKNOWN in message and proposal:
        return judge(*ask(options, config, proposal[1])), proposal[1]
    return judge(answer, message), None


def show(title, rows):
    print(f"\n| {title} | configs |\n|---|---|")
    for name, count in rows:
        print(f"| {name} | {count} |")


def main():
    options = arguments()
    options.program = os.path.abspath(options.program)
    chosen = configs(options.folders, options.sample)
    results = {config: examine(options, config) for config in chosen}
    verdicts = [verdict for verdict, _ in results.values()]
    either = sum(None in verdict.values() for verdict in verdicts)
    show("decision that applies", [(name, sum(verdict[name] is None for verdict in verdicts))
                                   for name in ("attention", "library")]
         + [("either of them", either), ("of these with --model as proposed",
            sum(None in verdict.values() and model is not None for verdict, model in results.values())),
            ("configs", len(chosen))])
    for name in ("attention", "library"):
        reasons = collections.Counter(verdict[name] for verdict in verdicts if verdict[name])
        show(f"why {name} does not", reasons.most_common())
    for config, (verdict, model) in results.items() if options.list else ():
        words = [f"{name}: {why or 'applies'}" for name, why in verdict.items()]
        print(f"{config}: {'; '.join(words)}" + (f" (--model {model})" if model else ""))


if __name__ == "__main__":
    main()
