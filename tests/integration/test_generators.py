# SPDX-License-Identifier: Apache-2.0
"""The problems of a workload against what torch really gets in a step of a small model (tests/lib/step_products.py):
the products and attention calls of the two agree in every member and in every count.

What cannot run on a CPU as it is, or needs a package that the Python of the tests has not, is in
tests/unit/test_step_problems.c: Axolotl's fused LoRA kernels (activations in Triton) and Liger's loss (Triton, too). Both
were held against their real packages with the Triton parts cut out, and QLoRA against bitsandbytes 0.49.1, in the same
way and with the same result: every product and count agreed. Cut Cross Entropy issues no product. A flash attention call
is torch's CPU kernel here; shapes, masks and key heads are chosen before a backend is.
"""

import json
import os
import subprocess

import mxt
import real_python

STEP = mxt.SOURCE_ROOT / "tests" / "lib" / "step_products.py"

# Sizes that all differ, so that no two products are one by accident.
QWEN3 = {"model_type": "qwen3", "hidden_size": 96, "intermediate_size": 208, "num_hidden_layers": 3,
         "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 320}
LLAMA = {"model_type": "llama", "hidden_size": 96, "intermediate_size": 176, "num_hidden_layers": 2,
         "num_attention_heads": 6, "num_key_value_heads": 6, "head_dim": 16, "vocab_size": 320}
QWEN2 = {**QWEN3, "model_type": "qwen2", "num_attention_heads": 6, "head_dim": None}
PHI3 = {"model_type": "phi3", "hidden_size": 96, "intermediate_size": 176, "num_hidden_layers": 2,
        "num_attention_heads": 6, "num_key_value_heads": 2, "vocab_size": 320, "pad_token_id": 0}
SLIDING = {**QWEN3, "use_sliding_window": True, "sliding_window": 12, "max_window_layers": 2}

YAML = """base_model: {model}
sequence_len: 32
micro_batch_size: 2
gradient_accumulation_steps: 1
lora_mlp_kernel: false
"""


def yaml_text(model, **keys):
    return YAML.format(model=model) + "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())


def lora(**keys):
    return {"adapter": "lora", "lora_r": 4, "lora_target_linear": True, **keys}


def flags(*args, **how):
    """A job without a YAML, as peft runs it by itself."""
    return {"flags": args, "how": how}


def config(keys, **how):
    """An Axolotl YAML; Axolotl asks for the input's gradient with every adapter."""
    return {"keys": keys, "how": {"input_gradients": True, **how}}


FULL = {"rank": 0}
ONE_KIND = {"gradient_checkpointing": True, "gradient_checkpointing_kwargs": {"use_reentrant": False}}
PURE = {"bf16": False, "bfloat16": True}
QV = {"lora_target_linear": False, "lora_target_modules": ["q_proj", "v_proj"]}
EAGER = {"attn_implementation": "eager", "pad_to_sequence_len": True}

# The same job in two languages: what mindxtrain reads, and what the step gets (keys of step_products.py).
CASES = {
    "LoRA under autocast": (QWEN3, flags("--lora-rank", "4", "--checkpointing", "off")),
    "LoRA checkpointed": (QWEN3, flags("--lora-rank", "4", checkpointing=True)),
    "LoRA checkpointed without reentrance": (QWEN3, config(lora(**ONE_KIND), checkpointing=False)),
    "adapters in float32": (QWEN3, config(lora(**PURE), autocast=False)),
    "adapters in float32, checkpointed": (
        LLAMA, config(lora(**PURE, gradient_checkpointing=True), autocast=False, checkpointing=True)),
    "some targets": (QWEN3, config(lora(**QV, **ONE_KIND), targets=["q_proj", "v_proj"], checkpointing=False)),
    "full, weights in float32": (
        QWEN3, flags("--lora-rank", "0", "--checkpointing", "off", weights="float32", **FULL)),
    "full, without autocast": (LLAMA, config(PURE, autocast=False, **FULL)),
    "full, checkpointed": (LLAMA, flags("--lora-rank", "0", checkpointing=True, **FULL)),
    "full, checkpointed without reentrance": (LLAMA, config(ONE_KIND, checkpointing=False, **FULL)),
    "full, biases": (QWEN2, config({}, **FULL)),
    "LoRA, biases": (QWEN2, config(lora())),
    "fused projections": (PHI3, config(lora())),
    "no padding, no mask": (QWEN3, config(lora(sample_packing=True), padding=False)),
    "padded to length": (QWEN3, config(lora(pad_to_sequence_len=True))),
    "windows without padding": (SLIDING, config(lora(sample_packing=True), padding=False)),
    "windows with padding": (SLIDING, config(lora())),
    "eager, grouped heads": (QWEN3, config(lora(**EAGER), attention="eager")),
    "eager, all heads": (
        LLAMA, config({**EAGER, "gradient_checkpointing": True}, attention="eager", checkpointing=True, **FULL)),
}


def given(model):
    return {key: value for key, value in model.items() if value is not None}


class Generators(mxt.TestCase):
    def record(self):
        """All steps in one process: loading torch takes longer than any of them."""
        common = {"batch": 2, "seq": 32, "rank": 4, "autocast": True, "padding": True}
        cases = {name: {"model": given(model), **common, **job["how"]} for name, (model, job) in CASES.items()}
        path = self.write("cases.json", cases)
        env = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
        process = subprocess.run([real_python.require(), STEP, path], capture_output=True, text=True, env=env,
                                 timeout=900, check=False)
        self.assertEqual(process.returncode, 0, process.stderr[-2000:])
        return json.loads(process.stdout)

    def generate(self, model, job):
        config_json = self.write("config.json", given(model))
        if "keys" in job:
            source = ("--config", self.write("run.yaml", yaml_text(config_json, **job["keys"])))
        else:
            source = ("--model", config_json, "--seq-len", "32", "--micro-batch", "2", *job["flags"])
        return self.run_program("autotune", "--device", "cpu", "--python", real_python.require(), "--print-workload",
                                "--json", *source, status=0).json()

    def compare(self, generated, recorded):
        """Of attention only the job's own shape runs; the others stand for other lengths."""
        def calls(rows):
            return {json.dumps(row["problem"], sort_keys=True): row["calls"] for row in rows}

        want = calls(recorded)
        got = calls(row for row in generated["problems"] if row["problem"]["op"] == "gemm"
                    or (row["problem"]["batch"], row["problem"]["seq"]) == (2, 32))
        differ = [f"{problem}: torch {want.get(problem, 0)}, ours {got.get(problem, 0)}"
                  for problem in sorted(want.keys() | got.keys()) if want.get(problem) != got.get(problem)]
        self.assertEqual(differ, [])
        self.assertGreater(sum(want.values()), 20)
        self.assertFalse(generated["scaled"])

    def test_against_torch(self):
        recorded = self.record()
        for name, (model, job) in CASES.items():
            with self.subTest(name):
                self.compare(self.generate(model, job), recorded[name])

    def test_the_layer_names_problems(self):
        generated = self.generate(*CASES["LoRA checkpointed"])
        steps = [step["problem"] for step in generated["layer"] if "problem" in step]
        problems = generated["problems"]
        self.assertEqual(sum(problems[i]["problem"]["op"] == "attention" for i in steps), 3)
        self.assertEqual(problems[steps[-1]]["problem"]["k"], 128)  # the gradient of what q reads


if __name__ == "__main__":
    mxt.main()
