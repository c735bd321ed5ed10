#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are torch's kernels as fast from C as from Python? Each backend, shape and direction, in turns, on one GPU.

  bench/fidelity.py TORCH_TIMES [--rounds 5] [--json FILE] [--set plain|more|deterministic]

Run it with the Python that has torch for CUDA. TORCH_TIMES is build/bench/torch_times. Prints a Markdown table: the
median of the rounds of both sides, and their ratio; then the medians over all cells, and the times that a worker and
`import torch` take until a first tensor is on the GPU. `more` is what plain training steps do not have: masks, packed
documents, batches of products, sums in place. `deterministic` compares under torch's deterministic algorithms, with
both sides told so; its cells also say whether results repeat.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import torch

SHAPES = [(8, 4096, 32, 32, 128), (8, 4096, 32, 8, 128), (8, 2048, 32, 8, 128), (1, 4096, 32, 8, 128),
          (1, 8192, 32, 8, 128), (1, 2048, 32, 32, 128), (2, 16384, 16, 16, 128)]
GEMMS = [(32768, 4096, 4096), (32768, 12288, 4096), (32768, 4096, 12288), (32768, 1024, 4096), (32768, 16, 4096),
         (32768, 4096, 16)]
MASKED = [(2, 4096, 32, 8, 128), (2, 2048, 32, 32, 128)]
PACKED = [(1, 8192, 32, 8, 128)]
BATCHES = [(64, 512, 512, 128), (2, 4096, 64, 1)]
DOCUMENTS = 8  # as in torch_times.c
WORKSPACE = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}  # without it cuBLAS is not deterministic
QUEUE_CYCLES = 2_000_000  # about 1 ms
WARM_NS, TARGET_NS = 100e6, 20e6  # as in torch_times.c
DEPRIORITIZED = {"TORCH_CUDNN_SDPA_DEPRIORITIZED": "1"}
# Environments of the C side. A mask is nothing that flash takes: the next in turn is efficient.
BACKENDS = {"cudnn": {}, "flash": DEPRIORITIZED, "efficient": DEPRIORITIZED}


class Other:
    """The C side, under one environment."""

    def __init__(self, program, env, *options):
        folder = pathlib.Path(torch.__file__).parent
        self.process = subprocess.Popen([program, "cuda", folder, *options], env={**os.environ, **env}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.facts = json.loads(self.process.stdout.readline())

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def python_time(call):
    """Median of launches of at least 1 ms each, as the C side takes it; ns."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def launch(repeats):
        torch.cuda._sleep(QUEUE_CYCLES)  # so that Python is ahead of the GPU when the clock starts
        start.record()
        for _ in range(repeats):
            call()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e6

    repeats, spent, before = 1, 0.0, None
    while True:  # until two launches agree, as the C side does
        took = launch(repeats)
        spent += took
        once, short = took / repeats, took < 1e6
        settled = before is not None and abs(before - once) <= 0.05 * max(before, once)
        if short:
            repeats = int(1.1 * 1e6 / once + 1)
        if spent >= WARM_NS or (settled and not short):
            break
        before = once
    samples, spent = [], 0.0
    while not samples or spent < TARGET_NS:
        took = launch(repeats)
        spent += took
        samples.append(took / repeats)
    return statistics.median(samples)


def bias_of(shape, packed):
    """A mask as torch's attention hands it on: [batch, 1, seq, seq], or for packed documents [1, 1, seq, seq]."""
    b, s = shape[:2]
    seen = torch.ones(s, s, device="cuda", dtype=torch.bool).tril()
    if packed:
        document = torch.arange(s, device="cuda") // (s // DOCUMENTS)
        seen &= document[:, None] == document[None, :]
    bias = torch.zeros(1 if packed else b, 1, s, s, device="cuda", dtype=torch.bfloat16)
    return bias.masked_fill_(~seen, float("-inf"))


def cudnn_call(tensors, bias):
    q, k, v, grad = tensors
    aten, causal = torch.ops.aten, bias is None
    forward = lambda: aten._scaled_dot_product_cudnn_attention(q, k, v, bias, True, 0.0, causal, False)
    out, lse, cum_q, cum_k, max_q, max_k, seed, offset, _ = forward()
    return forward, lambda: aten._scaled_dot_product_cudnn_attention_backward(
        grad, q, k, v, out, lse, seed, offset, bias, cum_q, cum_k, max_q, max_k, 0.0, causal)


def flash_call(tensors, _):
    q, k, v, grad = tensors
    aten = torch.ops.aten
    forward = lambda: aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True, False)
    out, lse, cum_q, cum_k, max_q, max_k, seed, offset, _ = forward()
    return forward, lambda: aten._scaled_dot_product_flash_attention_backward(
        grad, q, k, v, out, lse, cum_q, cum_k, max_q, max_k, 0.0, True, seed, offset)


def efficient_call(tensors, bias):
    q, k, v, grad = tensors
    aten, causal = torch.ops.aten, bias is None
    spread = None if causal else bias.expand(q.shape[0], q.shape[1], q.shape[2], q.shape[2])
    forward = lambda: aten._scaled_dot_product_efficient_attention(q, k, v, spread, True, 0.0, causal)
    out, lse, seed, offset = forward()
    return forward, lambda: aten._scaled_dot_product_efficient_attention_backward(
        grad, q, k, v, spread, out, lse, seed, offset, 0.0, [True, True, True, False], causal)


CALLS = {"cudnn": cudnn_call, "flash": flash_call, "efficient": efficient_call}


def attention_call(shape, name, direction, words=()):
    """The operators that F.scaled_dot_product_attention() ends in, and those that autograd calls for it: called as they
    are, because Python needs longer for one pass through autograd than the GPU for a small shape."""
    b, s, h, kv, d = shape
    make = lambda heads: torch.randn(b, s, heads, d, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
    keys = lambda: make(kv).contiguous() if "repeated" in words else make(kv)
    bias = bias_of(shape, "packed" in words) if words else None
    forward, backward = CALLS[name]((make(h), keys(), keys(), make(h)), bias)
    return forward if direction == "forward" else backward


def gemm_call(shape, words=()):
    """Into memory that is there, as the C side does: deterministic algorithms would fill new memory first."""
    m, n, k = shape
    dtype = torch.float32 if "float32" in words else torch.bfloat16
    x = torch.randn(m, k, device="cuda", dtype=dtype)
    w = torch.randn(n, k, device="cuda", dtype=dtype)
    c = torch.randn(m, n, device="cuda", dtype=dtype)
    return (lambda: c.addmm_(x, w.t())) if "add" in words else lambda: torch.mm(x, w.t(), out=c)


def bmm_call(shape, words=()):
    batch, m, n, k = shape
    dtype = torch.float32 if "float32" in words else torch.bfloat16
    a = torch.randn(batch, m, k, device="cuda", dtype=dtype)
    b = torch.randn(batch, k, n, device="cuda", dtype=dtype)
    c = torch.empty(batch, m, n, device="cuda", dtype=dtype)
    return lambda: torch.bmm(a, b, out=c)


def cell(kind, shape, name, *words):
    """What the C side is asked, whom, and what makes the call of Python's side."""
    line = " ".join(map(str, (kind, *shape, *words)))
    if kind == "attention":
        return line, name, lambda: attention_call(shape, name, words[0], words[1:])
    call = gemm_call if kind == "gemm" else bmm_call
    return line, name, lambda: call(shape, words)


def attention_cells(shapes, names, *words):
    return [cell("attention", shape, name, direction, *words)
            for shape in shapes for name in names for direction in ("forward", "backward")]


def plain_cells():
    return attention_cells(SHAPES, ("cudnn", "flash")) + [cell("gemm", shape, "cudnn") for shape in GEMMS]


def more_cells():
    """Efficient attention takes no fewer KV heads than heads."""
    return (attention_cells(MASKED, ("cudnn",), "mask") + attention_cells(MASKED[1:], ("efficient",), "mask")
            + attention_cells(MASKED[1:], ("cudnn", "efficient"), "mask", "repeated")
            + attention_cells(PACKED, ("cudnn",), "packed")
            + [cell("gemm", shape, "cudnn", *words) for shape in GEMMS[4:]
               for words in (("add",), ("float32",), ("float32", "add"))]
            + [cell("bmm", shape, "cudnn", *words) for shape in BATCHES for words in ((), ("float32",))])


def deterministic_cells():
    """cuDNN's attention is out: what torch takes by itself is flash, and with a mask efficient."""
    return (attention_cells(SHAPES[:1] + SHAPES[3:4], ("flash",)) + attention_cells(MASKED[1:], ("efficient",), "mask")
            + [cell("gemm", shape, "cudnn") for shape in GEMMS[:1] + GEMMS[4:]]
            + [cell("gemm", GEMMS[4], "cudnn", "add"), cell("bmm", BATCHES[0], "cudnn")])


SETS = {"plain": plain_cells, "more": more_cells, "deterministic": deterministic_cells}


def start_times():
    """Seconds until a first tensor is on the GPU, three times each, warm."""
    code = "import torch; torch.zeros(1, device='cuda')"
    times = []
    for _ in range(3):
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.monotonic() - began)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("torch_times", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--set", choices=SETS, default="plain")
    args = parser.parse_args()
    options = []
    if args.set == "deterministic":
        os.environ.update(WORKSPACE)  # before cuBLAS looks, here and there
        torch.use_deterministic_algorithms(True)
        options.append(args.set)
    work = SETS[args.set]()
    others = {name: Other(args.torch_times, BACKENDS[name], *options) for name in {name for _, name, _ in work}}
    ready = [Other(args.torch_times, {}).facts["ready_ns"] / 1e9 for _ in range(3)]
    imports = start_times()
    cells = []
    print("| problem | backend | C ms | Python ms | C/Python | TFLOP/s | error ppb (bound) | first call ms | repeats |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line, name, make in work:
        call = make()
        c, python, answer = [], [], {"error": "no rounds"}
        others[name].ask(line)  # prepares and checks; asked again, it is only timed
        for turn in range(args.rounds):
            for side in ((0, 1) if turn % 2 else (1, 0)):
                time.sleep(0.1)  # both sides find the card in the same state
                if side:
                    answer = others[name].ask(line)
                    if "error" in answer:
                        break
                    c.append(answer["ns"])
                else:
                    python.append(python_time(call))
        del call
        torch.cuda.empty_cache()
        if "error" in answer:
            print(f"| {line} | {name} | {answer['error'][:120]} |")
            continue
        ratio = statistics.median(c) / statistics.median(python)
        cells.append({"problem": line, "backend": answer["backend"] or "-", "ratio": ratio, **answer})
        print(f"| {line} | {answer['backend'] or '-'} | {statistics.median(c) / 1e6:.3f} | "
              f"{statistics.median(python) / 1e6:.3f} | {ratio:.3f} | {answer['tflops']} | "
              f"{answer['error_ppb']} ({answer['bound_ppb']}) | {answer['first_ns'] / 1e6:.1f} | "
              f"{answer['repeatable']} |", flush=True)
    ratios = [cell["ratio"] for cell in cells]
    print(f"\nmedian over {len(ratios)} cells {statistics.median(ratios):.4f}, "
          f"from {min(ratios):.3f} to {max(ratios):.3f}")
    print(f"worker ready: {', '.join(f'{t:.2f}' for t in ready)} s; import torch and a first tensor: "
          f"{', '.join(f'{t:.2f}' for t in imports)} s")
    if args.json:
        args.json.write_text(json.dumps({"cells": cells, "ready_s": ready, "import_s": imports,
                                         "facts": next(iter(others.values())).facts}, indent=1))


if __name__ == "__main__":
    main()
