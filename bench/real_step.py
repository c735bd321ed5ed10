#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real training step of a causal language model with random weights, timed.

It is what plans are held against: transformers builds the model, peft adds LoRA, torch trains it. Nothing is
downloaded. One JSON object per line: the settings first, then each step's milliseconds, then their median. The step is
timed on the host, after the device has finished it.

    python3 bench/real_step.py --model qwen3-8b --layers 8 --seq-len 4096 --micro-batch 2
    mindxtrain record -- python3 bench/real_step.py --model instella-3b --layers 4
"""
import argparse
import json
import statistics
import sys
import time

import torch

# hidden, feed-forward, heads, KV heads, head_dim, vocabulary, layers; the preset tables of the program say the same.
MODELS = {
    "qwen3-8b": (4096, 12288, 32, 8, 128, 151936, 36),
    "llama-3.1-8b": (4096, 14336, 32, 8, 128, 128256, 32),
    "instella-3b": (2560, 6912, 32, 32, 80, 50304, 36),
    "tiny": (256, 512, 8, 4, 32, 1024, 2),
}


def parse_arguments():
    """The settings of the run."""
    parser = argparse.ArgumentParser(description="Times real training steps.")
    parser.add_argument("--model", choices=sorted(MODELS), default="tiny")
    parser.add_argument("--layers", type=int, help="fewer layers than the model has")
    parser.add_argument("--seq-len", type=int, default=512)
    parser.add_argument("--micro-batch", type=int, default=2)
    parser.add_argument("--lora-rank", type=int, default=16, help="0: all weights train")
    parser.add_argument("--autocast", choices=("on", "off"), default="on")
    parser.add_argument("--checkpointing", choices=("on", "off"), default="off")
    parser.add_argument("--attention", default="sdpa", help="transformers' attn_implementation")
    parser.add_argument("--quantised", action="store_true",
                        help="base weights in 4 bits, by bitsandbytes")
    parser.add_argument("--fused-lora", action="store_true", help="Axolotl's LoRA kernels")
    parser.add_argument("--loss", choices=("plain", "liger", "cce"), default="plain",
                        help="how lm_head and cross entropy are computed")
    parser.add_argument("--documents", type=int, default=0,
                        help="pack so many equal documents into every sequence")
    parser.add_argument("--padded", action="store_true",
                        help="the last sequence is shorter, and padded to the others' length")
    parser.add_argument("--steps", type=int, default=20, help="timed steps, after two that are not")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def build_config(arguments):
    """The model's dimensions: Llama's architecture with the head_dim of the model."""
    from transformers import LlamaConfig

    hidden, ffn, heads, kv_heads, head_dim, vocab, layers = MODELS[arguments.model]
    return LlamaConfig(hidden_size=hidden, intermediate_size=ffn, num_attention_heads=heads,
                       num_key_value_heads=kv_heads, head_dim=head_dim, vocab_size=vocab,
                       num_hidden_layers=arguments.layers or layers, max_position_embeddings=131072,
                       use_cache=False, attn_implementation=arguments.attention)


def patch_loss(arguments):
    """Replaces what computes lm_head and the loss, before the model is built."""
    if arguments.loss == "liger":
        from liger_kernel.transformers import apply_liger_kernel_to_llama

        apply_liger_kernel_to_llama(rope=False, swiglu=False, rms_norm=False, cross_entropy=False,
                                    fused_linear_cross_entropy=True)
    elif arguments.loss == "cce":
        from cut_cross_entropy.transformers import cce_patch

        cce_patch("llama")


def quantise(model, device):
    """Every projection of a decoder layer in 4 bits, as a QLoRA run loads them."""
    from bitsandbytes.nn import Linear4bit, Params4bit

    for layer in model.model.layers:
        for block in (layer.self_attn, layer.mlp):
            for name, linear in list(block.named_children()):
                if not isinstance(linear, torch.nn.Linear):
                    continue
                small = Linear4bit(linear.in_features, linear.out_features, bias=False,
                                   compute_dtype=torch.bfloat16, quant_type="nf4")
                small.weight = Params4bit(linear.weight.data.cpu(), requires_grad=False,
                                          quant_type="nf4")
                setattr(block, name, small.to(device))
    return model


class AttentionKernels:
    """What Axolotl's functions read of an attention module; no module, so nothing registers twice."""

    training = True

    def __init__(self, attention):
        self.q_proj, self.k_proj, self.v_proj = attention.q_proj, attention.k_proj, attention.v_proj
        self.o_proj = attention.o_proj
        self.projected = [None] * 3


class SharedInput(torch.nn.Module):
    """Stands for q, k or v: the first one that is called computes all three."""

    def __init__(self, kernels, index, layer):
        super().__init__()
        self.kernels, self.index, self.layer = kernels, index, layer

    def forward(self, x):
        """The projection of x."""
        from axolotl.kernels.lora import apply_lora_qkv

        if self.index == 0:
            self.kernels.projected[:] = apply_lora_qkv(self.kernels, x)
        return self.kernels.projected[self.index]


def fuse_lora(model):
    """Axolotl's kernels in place of peft's layers, as its patches put them there."""
    from functools import partial
    from types import MethodType

    from axolotl.kernels.lora import apply_lora_mlp_swiglu, apply_lora_o

    for layer in model.base_model.model.model.layers:
        attention = layer.self_attn
        kernels = AttentionKernels(attention)
        layer.mlp.forward = MethodType(apply_lora_mlp_swiglu, layer.mlp)
        attention.o_proj.forward = partial(apply_lora_o, kernels)
        for index, name in enumerate(("q_proj", "k_proj", "v_proj")):
            setattr(attention, name, SharedInput(kernels, index, getattr(attention, name)))
    return model


def build_model(arguments):
    """The model on the device, in bfloat16, with what trains set to train."""
    from transformers import LlamaForCausalLM

    torch.manual_seed(0)
    patch_loss(arguments)
    with torch.device(arguments.device):
        model = LlamaForCausalLM(build_config(arguments)).to(torch.bfloat16)
    if arguments.quantised:
        model = quantise(model, arguments.device)
    if arguments.checkpointing == "on":
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if arguments.lora_rank > 0:
        from peft import LoraConfig, get_peft_model

        if arguments.checkpointing == "on":
            model.enable_input_require_grads()
        model = get_peft_model(model, LoraConfig(r=arguments.lora_rank, lora_alpha=32,
                                                 target_modules="all-linear"))
    if arguments.fused_lora:
        model = fuse_lora(model)
    return model.train()


def make_batch(arguments, vocab):
    """Tokens, labels and, where documents are packed, positions that start anew with each.

    A packed micro-batch is one row: transformers looks for documents in no other.
    """
    shape = (arguments.micro_batch, arguments.seq_len)
    if arguments.documents > 0:
        shape = (1, arguments.micro_batch * arguments.seq_len)
    tokens = torch.randint(0, vocab, shape, device=arguments.device)
    batch = {"input_ids": tokens, "labels": tokens}
    if arguments.documents > 0:
        length = arguments.seq_len // arguments.documents
        positions = torch.arange(shape[1], device=arguments.device) % length
        batch["position_ids"] = positions.expand(shape).contiguous()
    if arguments.padded:
        mask = torch.ones(shape, dtype=torch.int64, device=arguments.device)
        mask[-1, shape[1] * 3 // 4:] = 0
        batch["attention_mask"] = mask
    return batch


def synchronise(arguments):
    """Waits for the device."""
    if arguments.device.startswith("cuda"):
        torch.cuda.synchronize()


def run_step(arguments, model, optimizer, batch):
    """One step, in milliseconds."""
    synchronise(arguments)
    began = time.perf_counter()
    kind = arguments.device.split(":")[0]
    with torch.autocast(kind, torch.bfloat16, enabled=arguments.autocast == "on"):
        loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    synchronise(arguments)
    return (time.perf_counter() - began) * 1e3


def main():
    """Runs and reports."""
    arguments = parse_arguments()
    model = build_model(arguments)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, fused=arguments.device.startswith("cuda"))
    batch = make_batch(arguments, MODELS[arguments.model][5])
    print(json.dumps({"settings": vars(arguments), "torch": torch.__version__}), flush=True)
    times = [run_step(arguments, model, optimizer, batch) for _ in range(arguments.steps + 2)][2:]
    for milliseconds in times:
        print(json.dumps({"step_ms": round(milliseconds, 3)}))
    if times:
        print(json.dumps({"median_ms": round(statistics.median(times), 3), "steps": len(times)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
