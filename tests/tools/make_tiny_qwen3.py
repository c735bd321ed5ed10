# SPDX-License-Identifier: Apache-2.0
"""usage: make_tiny_qwen3.py FOLDER

For a Python with transformers: FOLDER/model, a Qwen3 of two layers with random weights and a tokenizer that is trained
on the spot, and FOLDER/train.jsonl, sums as instructions. Nothing is fetched.
"""

import json
import pathlib
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

# What Axolotl's alpaca prompt puts around an instruction, so that it becomes few tokens.
PROMPT = ("Below is an instruction that describes a task. Write a response that appropriately completes the "
          "request.\n\n### Instruction:\n{instruction}\n\n### Response:\n{output}")
END = "<|endoftext|>"
VOCABULARY = 512


def sums():
    return [{"instruction": f"What is {a} plus {b}?", "input": "", "output": f"{a} plus {b} is {a + b}."}
            for a in range(8) for b in range(8)]


def tokenizer(rows):
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    pairs.train_from_iterator((PROMPT.format(**row) for row in rows), trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[END], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return PreTrainedTokenizerFast(tokenizer_object=pairs, eos_token=END, pad_token=END)


def main(folder):
    rows = sums()
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tokenizer(rows).save_pretrained(folder / "model")
    torch.manual_seed(7)
    Qwen3ForCausalLM(Qwen3Config(
        vocab_size=VOCABULARY, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=16, max_position_embeddings=512, tie_word_embeddings=False, bos_token_id=None,
        eos_token_id=0, pad_token_id=0)).save_pretrained(folder / "model")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
