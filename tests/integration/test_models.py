#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Presets against what transformers' own configuration classes write, where a class's defaults are such a model."""

import subprocess

import mxt
import real_python

# Presets whose dimensions are the defaults of the class of this model_type.
DEFAULTS = {
    "gemma-2-2b": "gemma2",
    "gemma-7b": "gemma",
    "llama-2-7b": "llama",
    "llama-4-scout": "llama4_text",
    "mistral-7b-v0.1": "mistral",
    "mixtral-8x7b": "mixtral",
    "phi-1_5": "phi",
    "qwen1.5-moe-a2.7b": "qwen2_moe",
    "smollm3-3b": "smollm3",
    "stablelm-3b-4e1t": "stablelm",
}
WRITE = """
import json, pathlib, sys
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
for model_type in sys.argv[2:]:
    folder = pathlib.Path(sys.argv[1], model_type)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG_MAPPING[model_type]().to_dict()))
"""


class Models(mxt.TestCase):
    def workload(self, model):
        return self.run_program("autotune", "--device", "self-test", "--model", model, "--print-workload", "--json",
                                status=0).json()["workload"]

    def test_presets_are_what_transformers_has(self):
        subprocess.run([real_python.require(), "-c", WRITE, str(self.dir), *DEFAULTS.values()], check=True,
                       capture_output=True)
        for preset, model_type in DEFAULTS.items():
            with self.subTest(preset):
                self.assertEqual(self.workload(preset), self.workload(self.dir / model_type))


if __name__ == "__main__":
    mxt.main()
