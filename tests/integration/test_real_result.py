#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""result_id of what transformers and peft really write: the same training twice, and with another seed."""

import mxt
import real_python
import run_results

# Trains an adapter of a random model with the real packages, as often as there are folders. argv: base, then pairs of
# folder and seed.
TRAIN = """
import os, sys, torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, Trainer, TrainingArguments

base = sys.argv[1]
words = {f"w{i}": i for i in range(63)} | {"[UNK]": 63}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="w0")
LlamaForCausalLM(LlamaConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                             vocab_size=64, max_position_embeddings=64)).save_pretrained(base)
numbers = torch.randint(0, 63, (8, 16), generator=torch.Generator().manual_seed(1))
data = [{"input_ids": row, "labels": row} for row in numbers]
for out, seed in zip(sys.argv[2::2], sys.argv[3::2]):
    torch.manual_seed(int(seed))
    model = get_peft_model(LlamaForCausalLM.from_pretrained(base),
                           LoraConfig(r=4, target_modules=["q_proj", "k_proj", "v_proj"], task_type="CAUSAL_LM"))
    arguments = TrainingArguments(output_dir=out, max_steps=3, per_device_train_batch_size=2, seed=int(seed),
                                  save_steps=2, report_to=[], use_cpu=True, logging_steps=1, disable_tqdm=True)
    trainer = Trainer(model=model, args=arguments, train_dataset=data, processing_class=tokenizer)
    trainer.train()
    trainer.save_model(out)
    trainer.save_state()
"""


class RealTraining(run_results.TestCase):
    def test_a_seed_decides(self):
        python = real_python.require()
        outs = {"a": self.dir / "a" / "out-a", "b": self.dir / "b" / "deeper" / "out-b", "c": self.dir / "c" / "out-c"}
        seeds = {"a": "1", "b": "1", "c": "2"}
        arguments = [word for name, out in outs.items() for word in (out, seeds[name])]
        self.run_program(self.write("train.py", TRAIN), self.dir / "base", *arguments, program=python, status=0,
                         timeout=120)
        runs = {name: self.make_run(name, seed=seeds[name], out=out) for name, out in outs.items()}
        ids = {name: self.manifest(run)["result_id"] for name, run in runs.items()}
        self.assertEqual(ids["a"], ids["b"])
        self.assertNotEqual(ids["a"], ids["c"])
        self.assertEqual(len({(outs[name] / "trainer_state.json").read_bytes() for name in "ab"}), 2)
        self.compare(runs["a"], runs["b"])
        self.expect_difference(runs["a"], runs["c"], "seed is 1 in ")
        # With one and the same config only the tensors differ.
        same_config = self.make_run("d", out=outs["c"])
        self.expect_difference(runs["a"], same_config, "adapter_model.safetensors differs: tensor base_model.model.",
                               " elements differ, the first is [")


if __name__ == "__main__":
    mxt.main()
