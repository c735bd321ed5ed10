#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/config_coverage.py over a folder of configs, with the real binary."""

import subprocess
import sys

import mxt

SCRIPT = mxt.SOURCE_ROOT / "bench" / "config_coverage.py"
COMMON = "micro_batch_size: 1\ngradient_accumulation_steps: 1\nsequence_len: 512\n"
CONFIGS = {
    "packed.yaml": "base_model: Qwen/Qwen3-8B\nsample_packing: true\nflash_attention: true\n",
    "two-flags.yaml": "base_model: Qwen/Qwen3-8B\nattn_implementation: sdpa\nflash_attention: true\n",
    "deep/capped.yml": "base_model: google/gemma-2-2b\n",
    "split.yaml": "base_model: meta-llama/Llama-3.2-1B\ntensor_parallel_size: 2\n",
    "tuned.yaml": "base_model: /outputs/161-qwen3-8b-sft\n",
    "unknown.yaml": "base_model: org/none\n",
    "preferences.yaml": "base_model: org/none\nrl: dpo\n",
}


class Coverage(mxt.TestCase):
    def setUp(self):
        super().setUp()
        for name, text in CONFIGS.items():
            path = self.dir / "configs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + COMMON)
        (self.dir / "configs" / "none.yaml").write_text("services: {}\n")

    def cover(self, *args):
        done = subprocess.run([sys.executable, SCRIPT, "--program", mxt.PROGRAM, *args,
                               str(self.dir / "configs")], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_each_config_has_a_verdict(self):
        out = self.cover("--list")
        for row in ("| attention | 2 |", "| library | 3 |", "| either of them | 3 |", "| configs | 7 |",
                    "| attention with capped scores | 1 |", "| nothing of it can be modelled | 1 |",
                    "| of these with --model as proposed | 1 |"):
            self.assertIn(row, out)
        for line in ("packed.yaml: attention: applies; library: applies",
                     "tuned.yaml: attention: applies; library: applies (--model qwen3-8b)"):
            self.assertIn(line, out)

    def test_a_sample_trains_on_text_and_is_the_same_each_time(self):
        self.assertIn("| configs | 6 |", self.cover("--sample", "40"))
        out = self.cover("--sample", "3", "--list")
        self.assertIn("| configs | 3 |", out)
        self.assertEqual(out, self.cover("--sample", "3", "--list"))


if __name__ == "__main__":
    mxt.main()
