#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are torch's kernels as fast from C as from Python? Each backend, shape and direction, in turns, on one GPU.

  bench/fidelity.py TORCH_TIMES [--rounds 5] [--json FILE]

Run it with the Python that has torch for CUDA. TORCH_TIMES is build/bench/torch_times. Prints a Markdown table: the
median of the rounds of both sides, and their ratio; then the medians over all cells, and the times that a worker and
`import torch` take until a first tensor is on the GPU.
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
QUEUE_CYCLES = 2_000_000  # about 1 ms
WARM_NS, TARGET_NS = 100e6, 20e6  # as in torch_times.c
BACKENDS = {"cudnn": {}, "flash": {"TORCH_CUDNN_SDPA_DEPRIORITIZED": "1"}}  # environments of the C side


class Other:
    """The C side, under one environment."""

    def __init__(self, program, env):
        folder = pathlib.Path(torch.__file__).parent
        self.process = subprocess.Popen([program, "cuda", folder], env={**os.environ, **env}, text=True,
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


def attention_call(shape, name, direction):
    """The operators that F.scaled_dot_product_attention() ends in, and those that autograd calls for it: called as they
    are, because Python needs longer for one pass through autograd than the GPU for a small shape."""
    b, s, h, kv, d = shape
    make = lambda heads: torch.randn(b, s, heads, d, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
    q, k, v, grad = make(h), make(kv), make(kv), make(h)
    aten = torch.ops.aten
    if name == "cudnn":
        forward = lambda: aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, True, False)
        out, lse, cum_q, cum_k, max_q, max_k, seed, offset, _ = forward()
        backward = lambda: aten._scaled_dot_product_cudnn_attention_backward(
            grad, q, k, v, out, lse, seed, offset, None, cum_q, cum_k, max_q, max_k, 0.0, True)
    else:
        forward = lambda: aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True, False)
        out, lse, cum_q, cum_k, max_q, max_k, seed, offset, _ = forward()
        backward = lambda: aten._scaled_dot_product_flash_attention_backward(
            grad, q, k, v, out, lse, cum_q, cum_k, max_q, max_k, 0.0, True, seed, offset)
    return forward if direction == "forward" else backward


def gemm_call(shape):
    m, n, k = shape
    x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    return lambda: torch.mm(x, w.t())


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
    args = parser.parse_args()
    others = {name: Other(args.torch_times, env) for name, env in BACKENDS.items()}
    ready = [Other(args.torch_times, {}).facts["ready_ns"] / 1e9 for _ in range(3)]
    imports = start_times()
    cells = []
    work = [(f"attention {' '.join(map(str, shape))} {direction}", name,
             lambda s=shape, n=name, d=direction: attention_call(s, n, d))
            for shape in SHAPES for name in BACKENDS for direction in ("forward", "backward")]
    work += [(f"gemm {' '.join(map(str, shape))}", "cudnn", lambda s=shape: gemm_call(s)) for shape in GEMMS]
    print("| problem | backend | C ms | Python ms | C/Python | TFLOP/s | error ppb (bound) | first call ms |")
    print("|---|---|---|---|---|---|---|---|")
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
              f"{answer['error_ppb']} ({answer['bound_ppb']}) | {answer['first_ns'] / 1e6:.1f} |", flush=True)
    ratios = [cell["ratio"] for cell in cells]
    print(f"\nmedian over {len(ratios)} cells {statistics.median(ratios):.4f}, "
          f"from {min(ratios):.3f} to {max(ratios):.3f}")
    print(f"worker ready: {', '.join(f'{t:.2f}' for t in ready)} s; import torch and a first tensor: "
          f"{', '.join(f'{t:.2f}' for t in imports)} s")
    if args.json:
        args.json.write_text(json.dumps({"cells": cells, "ready_s": ready, "import_s": imports,
                                         "facts": others["cudnn"].facts}, indent=1))


if __name__ == "__main__":
    main()
