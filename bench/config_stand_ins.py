#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: config_stand_ins.py FOLDER

Makes a Hugging Face cache for config_coverage.py --hub. On a machine that trains, the cache holds the config.json of the
model; here each model gets one that transformers' configuration class of its model_type writes by default. Its family
and its keys are the model's; its dimensions are those of the class, not always the model's. Whether a decision applies
depends on the family only. Models whose code is not in transformers are left out.

To be run with a Python that has transformers.
"""

import json
import pathlib
import sys

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

MODELS = {
    "afmoe": ["arcee-ai/Trinity-Nano-Preview"],
    "apertus": ["swiss-ai/Apertus-8B-Instruct-2509"],
    "arcee": ["arcee-ai/AFM-4.5B"],
    "cohere2": ["CohereForAI/c4ai-command-r7b-12-2024"],
    "deepseek_v2": ["deepseek-ai/DeepSeek-V2-Lite"],
    "falcon": ["tiiuae/falcon-7b"],
    "falcon_h1": ["tiiuae/Falcon-H1-0.5B-Instruct", "tiiuae/Falcon-H1-1.5B-Base", "tiiuae/Falcon-H1-1.5B-Deep-Base",
                  "tiiuae/Falcon-H1-34B-Base", "tiiuae/Falcon-H1-3B-Base", "tiiuae/Falcon-H1-7B-Base"],
    "gemma": ["mhenrichsen/gemma-7b"],
    "gemma3_text": ["google/gemma-3-270m-it"],
    "gemma3n": ["google/gemma-3n-E2B-it"],
    "gemma4": ["google/gemma-4-26B-A4B", "google/gemma-4-31B", "google/gemma-4-E2B-it", "google/gemma-4-12B-it"],
    "glm4": ["THUDM/GLM-4-32B-0414"],
    "glm4_moe": ["zai-org/GLM-4.5-Air"],
    "glm4_moe_lite": ["zai-org/GLM-4.7-Flash"],
    "glm4v": ["zai-org/GLM-4.6V-Flash"],
    "gpt2": ["cerebras/Cerebras-GPT-1.3B"],
    "gpt_neox": ["EleutherAI/pythia-1.4b-deduped", "EleutherAI/pythia-12b-deduped",
                 "togethercomputer/RedPajama-INCITE-Chat-3B-v1"],
    "gpt_oss": ["openai/gpt-oss-20b", "openai/gpt-oss-safeguard-20b", "axolotl-ai-co/gpt-oss-120b-dequantized"],
    "gptj": ["EleutherAI/gpt-j-6b"],
    "granitemoehybrid": ["ibm-granite/granite-4.0-350m", "ibm-granite/granite-4.0-tiny-preview"],
    "hunyuan_v1_dense": ["tencent/Hunyuan-0.5B-Instruct"],
    "internvl": ["OpenGVLab/InternVL3_5-8B-HF"],
    "jamba": ["ai21labs/AI21-Jamba-1.5-Large", "ai21labs/Jamba-v0.1"],
    "kimi_linear": ["moonshotai/Kimi-Linear-48B-A3B-Instruct"],
    "lfm2": ["LiquidAI/LFM2-1.2B", "LiquidAI/LFM2-2.6B", "LiquidAI/LFM2-350M"],
    "lfm2_moe": ["LiquidAI/LFM2-8B-A1B"],
    "lfm2_vl": ["LiquidAI/LFM2-VL-450M"],
    "llama": ["01-ai/Yi-1.5-9B-Chat", "01-ai/Yi-34B-Chat", "Nanbeige/Nanbeige4-3B-Base", "Salesforce/xgen-7b-8k-base",
              "abacusai/Smaug-Llama-3-70B-Instruct", "canopylabs/orpheus-3b-0.1-pretrained",
              "casperhansen/llama-3-70b-fp16", "codellama/CodeLlama-34b-hf", "deepcogito/cogito-v1-preview-llama-3B",
              "neuralmagic/Sparse-Llama-3.1-8B-2of4", "openlm-research/open_llama_3b_v2", "sbintuitions/sarashina2-70b",
              "unsloth/phi-4"],
    "llava": ["llava-hf/llava-1.5-7b-hf", "mistral-community/pixtral-12b"],
    "mamba": ["state-spaces/mamba-2.8b"],
    "minimax_m2": ["MiniMaxAI/MiniMax-M2"],
    "mistral": ["augmxnt/shisa-7b-v1", "cyberagent/Mistral-Nemo-Japanese-Instruct-2408",
                "mistralai/Devstral-Small-2507", "mistralai/Magistral-Small-2506", "mistralai/Magistral-Small-2507",
                "mistralai/Ministral-8B-Instruct-2410", "mistralai/Mistral-7B-Instruct-v0.2"],
    "mistral3": ["mistralai/Magistral-Small-2509", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"],
    "mistral4": ["axolotl-ai-co/Mistral-Small-4-119B-2603-BF16"],
    "mixtral": ["mistral-community/Mixtral-8x22B-v0.1", "tokyotech-llm/Swallow-MX-8x7b-NVE-v0.1"],
    "mllama": ["alpindale/Llama-3.2-11B-Vision-Instruct"],
    "mpt": ["mosaicml/mpt-7b"],
    "nemotron": ["nvidia/Nemotron-Mini-4B-Instruct"],
    "nemotron_h": ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"],
    "olmo3": ["allenai/Olmo-3-7B-Instruct-SFT"],
    "phi3": ["microsoft/Phi-3-medium-128k-instruct"],
    "qwen2": ["agentica-org/DeepCoder-14B-Preview", "deepcogito/cogito-v1-preview-qwen-14B"],
    "qwen2_5_vl": ["Qwen/Qwen2.5-VL-7B-Instruct"],
    "qwen2_vl": ["Qwen/Qwen2-VL-7B-Instruct"],
    "qwen3": ["Skywork/Skywork-Reward-V2-Qwen3-8B", "dnotitia/Smoothie-Qwen3-8B", "katanemo/Plano-Orchestrator-4B"],
    "qwen3_5": ["Qwen/Qwen3.5-27B", "Qwen/Qwen3.5-4B", "Qwen/Qwen3.5-9B"],
    "qwen3_5_moe": ["Qwen/Qwen3.5-122B-A10B", "Qwen/Qwen3.5-35B-A3B", "Qwen/Qwen3.5-35B-A3B-Base"],
    "qwen3_next": ["Qwen/Qwen3-Next-80B-A3B-Instruct"],
    "seed_oss": ["ByteDance-Seed/Seed-OSS-36B-Instruct"],
    "smolvlm": ["HuggingFaceTB/SmolVLM2-2.2B-Instruct"],
    "stablelm": ["stabilityai/stablelm-2-1_6b"],
    "starcoder2": ["bigcode/starcoder2-3b"],
    "voxtral": ["mistralai/Voxtral-Mini-3B-2507"],
}


def write(folder, hub_id, config):
    """As huggingface_hub lays a cache out, without its links."""
    model = folder / ("models--" + hub_id.replace("/", "--"))
    (model / "refs").mkdir(parents=True, exist_ok=True)
    (model / "refs" / "main").write_text("0")
    (model / "snapshots" / "0").mkdir(parents=True, exist_ok=True)
    (model / "snapshots" / "0" / "config.json").write_text(json.dumps(config, indent=1))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for model_type, hub_ids in MODELS.items():
        if model_type not in CONFIG_MAPPING:
            print(f"this transformers has no {model_type}", file=sys.stderr)
            continue
        config = CONFIG_MAPPING[model_type]().to_dict()
        for hub_id in hub_ids:
            write(pathlib.Path(sys.argv[1]), hub_id, config)


if __name__ == "__main__":
    main()
