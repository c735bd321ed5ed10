#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The configs in examples/, read for what they are written for: a machine with eight MI300X. That Axolotl takes them is
shown by test_real_axolotl.py."""

import mxt
import sim_hip
import sim_rocm

# What the workload of each says, beside what all of them have in common.
INSTELLA = {"lora_targets": ["q", "k", "v", "o"], "micro_batch": 4}
QWEN3 = {"fused_lora": True, "lengths": "packed", "micro_batch": 2}
EXPECTED = {
    "instella-3b-lora": INSTELLA,
    "instella-3b-lora-8gpu": {**INSTELLA, "gpus": 8, "strategy": "ddp", "non_reentrant": True},
    "qwen3-8b-lora": QWEN3,
    "qwen3-8b-lora-8gpu": {**QWEN3, "gpus": 8, "strategy": "fsdp", "non_reentrant": True},
}
COMMON = {"adapter": "lora", "checkpointing": True, "lora_rank": 16, "seq_len": 4096}
TODAY = {"instella": "sdpa", "qwen3": "flash_attention_2"}


class Examples(sim_hip.TestCase):
    def look(self, name):
        return self.run_program(
            "autotune", "--print-workload", "--json", "--config", mxt.SOURCE_ROOT / "examples" / f"{name}.yaml",
            "--gpus", EXPECTED[name].get("gpus", 1), "--device", "hip", "--python", self.torch.folder,
            env=self.variables({}, sim_rocm.machine(8)), status=0).json()

    def test_all_are_known(self):
        self.assertEqual({path.stem for path in (mxt.SOURCE_ROOT / "examples").glob("*.yaml")}, set(EXPECTED))

    def test_workloads(self):
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                seen = self.look(name)
                self.assertEqual(seen["workload"]["training"], {**COMMON, **expected})
                self.assertEqual(seen["today"]["name"], TODAY[name.split("-")[0]])
                self.assertFalse(seen["scaled"])

    def test_nothing_is_odd(self):
        """No key that Axolotl drops, no text that was meant for a number."""
        for name in EXPECTED:
            notes = [note for note in self.look(name)["notes"] if "kernel" not in note and "flash_attn" not in note]
            self.assertEqual(notes, [], name)

    def test_forms_are_one_training(self):
        """A step has as many sequences on eight GPUs as on one."""
        def sequences(name):
            lines = (mxt.SOURCE_ROOT / "examples" / f"{name}.yaml").read_text().splitlines()
            values = dict(line.split(": ", 1) for line in lines if line.startswith(("micro_batch", "gradient_acc")))
            gpus = EXPECTED[name].get("gpus", 1)
            return int(values["micro_batch_size"]) * int(values["gradient_accumulation_steps"]) * gpus

        for model in ("instella-3b-lora", "qwen3-8b-lora"):
            self.assertEqual(sequences(model), sequences(model + "-8gpu"))


if __name__ == "__main__":
    mxt.main()
