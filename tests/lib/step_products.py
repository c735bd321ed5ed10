# SPDX-License-Identifier: Apache-2.0
"""Runs one training step of a small model on the CPU and prints which products and attention calls torch got, in the
form of `mindxtrain autotune --print-workload --json`. For the Python that trains (real_python.py), not for the tests'
own: it imports torch, transformers and peft.

usage: step_products.py CASES.json    (an object of cases; see `step()` for their keys)
"""

import collections
import json
import sys
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode

ATTENTION = "aten._scaled_dot_product_flash_attention_for_cpu"


def dtype_name(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def layout(tensor):
    """(transposed, leading dimension) of the last two dimensions, as BLAS means it."""
    rows, columns = tensor.stride()[-2:]
    if columns == 1:
        return False, rows
    if rows != 1:
        raise ValueError(f"a matrix of strides {tensor.stride()}")
    return True, columns


def product(a, b, accumulate=False, bias=False, out=None):
    """The problem of out = a b, row-major: where the result is stored by columns, of its transpose."""
    if out is not None and layout(out)[0]:
        a, b = b.transpose(-1, -2), a.transpose(-1, -2)
    (m, k), n = a.shape[-2:], b.shape[-1]
    (trans_a, lda), (trans_b, ldb) = layout(a), layout(b)
    problem = {"op": "gemm", "m": m, "n": n, "k": k, "dtype": dtype_name(a)}
    flags = {"trans_a": trans_a, "trans_b": trans_b, "accumulate": accumulate, "bias": bias}
    problem.update({name: True for name, value in flags.items() if value})
    problem.update({name: value for name, value, dense in (("lda", lda, m if trans_a else k),
                                                           ("ldb", ldb, k if trans_b else n)) if value != dense})
    if a.dim() == 3:
        problem["batch"] = a.shape[0]
    return problem


def window_of(mask):
    """How many keys the last query of the last sequence sees, which has no padding."""
    return int((mask[-1, 0, -1] == 0).sum()) if mask.dtype != torch.bool else int(mask[-1, 0, -1].sum())


def attention(direction, q, k, causal, mask):
    problem = {"op": "attention", "batch": q.shape[0], "seq": q.shape[2], "heads": q.shape[1],
               "kv_heads": k.shape[1], "head_dim": q.shape[3], "dtype": dtype_name(q), "direction": direction}
    if causal or mask is not None:
        problem["causal"] = True
    if mask is not None:
        problem["masked"] = True
        heads, seq, dim = k.shape[1:]
        if k.stride()[1:3] == (seq * dim, dim) and heads > 1:
            problem["repeated"] = True
        seen = window_of(mask)
        if seen < q.shape[2]:
            problem["window"] = seen
    return problem


class Recorder(TorchDispatchMode):
    """Counts problems. What it does not know and looks like a product is an error, so that nothing gets lost."""

    def __init__(self):
        super().__init__()
        self.calls = collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        problem = self.problem(str(function), args, kwargs or {})
        if problem:
            self.calls[json.dumps(problem, sort_keys=True)] += 1
        return function(*args, **(kwargs or {}))

    def problem(self, name, args, kwargs):
        operator = name.rsplit(".", 1)[0]
        if operator in ("aten.mm", "aten.bmm"):
            rotary = operator == "aten.bmm" and args[0].shape[-1] == 1
            return None if rotary else product(args[0], args[1])
        if operator in ("aten.addmm", "aten.addmm_"):
            bias = args[0].dim() == 1
            inplace = operator == "aten.addmm_"
            return product(args[1], args[2], not bias and kwargs.get("beta", 1) != 0, bias, args[0] if inplace else None)
        if operator == ATTENTION:
            return attention("forward", args[0], args[1], len(args) > 4 and args[4], kwargs.get("attn_mask"))
        if operator == ATTENTION + "_backward":
            return attention("backward", args[1], args[2], args[7], kwargs.get("attn_mask"))
        if any(word in operator for word in ("mm", "attention", "einsum", "addmv")):
            raise ValueError(f"an operator that nobody expects: {name}")
        return None


def make_model(case):
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model(**case["model"])
    config.use_cache = False
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, attn_implementation=case.get("attention", "sdpa"))
    return model.to(getattr(torch, case.get("weights", "bfloat16")))


def add_adapters(case, model):
    import peft

    if case.get("input_gradients"):
        model.enable_input_require_grads()
    return peft.get_peft_model(model, peft.LoraConfig(r=case["rank"], target_modules=case.get("targets", "all-linear")))


def step(case):
    """model: keys of config.json; batch, seq, rank (0: full training), targets, weights, autocast, attention, padding,
    input_gradients; checkpointing: null, or use_reentrant."""
    model = make_model(case)
    if case.get("checkpointing") is not None:
        model.gradient_checkpointing_enable({"use_reentrant": case["checkpointing"]})
    if case["rank"]:
        model = add_adapters(case, model)
    model.train()
    ids = torch.randint(0, case["model"]["vocab_size"], (case["batch"], case["seq"]))
    mask = torch.ones_like(ids)
    if case.get("padding"):
        mask[0, -3:] = 0
    with Recorder() as recorder:
        with torch.autocast("cpu", torch.bfloat16, enabled=case["autocast"]):
            loss = model(input_ids=ids, attention_mask=mask, labels=ids).loss
        loss.backward()
    return [{"problem": json.loads(text), "calls": calls} for text, calls in recorder.calls.items()]


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        print(json.dumps({name: step(case) for name, case in json.load(file).items()}))
