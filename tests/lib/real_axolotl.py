# SPDX-License-Identifier: Apache-2.0
"""A real Axolotl: that of the Python in MXT_TEST_AXOLOTL, else the one that scripts/fetch-axolotl.sh keeps; and a job
for it that a host trains in seconds. A test that needs it is skipped where there is none."""

import json
import os
import re
import struct
import subprocess

import mxt
import real_python

MAKE_MODEL = mxt.SOURCE_ROOT / "tests" / "tools" / "make_tiny_qwen3.py"

# Nothing leaves the machine: no hub, no telemetry (which keeps a failed Axolotl from ending where there is no network).
# Nor does the developer's own environment choose anything.
OFFLINE = {"AXOLOTL_DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "WANDB_MODE": "disabled",
           "PYTHONPATH": None, "ACCELERATE_USE_CPU": None, "RANK": None, "WORLD_SIZE": None}

# The key that says what computes attention is left to the plan.
CONFIG = """\
# A job of the tests.
base_model: ./model      # made on the spot
sequence_len: 256
micro_batch_size: 2
gradient_accumulation_steps: 1
max_steps: 6
adapter: lora
lora_r: 8
lora_alpha: 16
lora_target_modules: [q_proj, k_proj, v_proj, o_proj]
bf16: false
tf32: false
datasets:
  - {path: train.jsonl, ds_type: json, type: alpaca}
dataset_num_proc: 1
val_set_size: 0
learning_rate: 0.002
optimizer: adamw_torch
logging_steps: 1
output_dir: ./out
"""


def require():
    """The interpreter; skips the calling test when it is not there."""
    return real_python.require_fetched("fetch-axolotl.sh", "MXT_TEST_AXOLOTL")


def make_job(folder):
    """A random Qwen3 of two layers with a tokenizer, sums to learn, and run.yaml."""
    subprocess.run([require(), MAKE_MODEL, folder], check=True, capture_output=True, text=True,
                   env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "HF_HUB_OFFLINE": "1"})
    (folder / "run.yaml").write_text(CONFIG)


def losses(log):
    """Of the steps that a training printed."""
    return [float(text) for text in re.findall(r"\{'loss': '?([^',}]+)", log)]


def tensors(path):
    """{name: bytes} of a safetensors file."""
    content = path.read_bytes()
    size, = struct.unpack_from("<Q", content)
    entries = json.loads(content[8:8 + size])
    entries.pop("__metadata__", None)
    return {name: content[8 + size:][slice(*entry["data_offsets"])] for name, entry in entries.items()}
