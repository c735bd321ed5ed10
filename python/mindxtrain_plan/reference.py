# SPDX-License-Identifier: Apache-2.0
"""How far results are from the truth, computed in float64 on the device that computed them.

`bits`: BLAKE2b over what was looked at. It tells equal results of two Python workers from
different ones; the other workers hash with BLAKE3, so bits of the two kinds are never equal.
"""

import ctypes
import hashlib
import math
import random

import torch

SEED = 0x6D696E6458747261  # every worker looks at the same group and uses the same vectors
SAMPLED = 32  # rows, and columns, of a product
VECTORS = 4
BLOCK_NUMBERS = 1 << 25  # of a matrix that are copied to float64 at once
BATCHES = 4  # products of a batch that are looked at
SQUARES = 6  # score matrices that the reference holds at once, backward


def _hash(hasher, tensor):
    host = tensor.detach().to("cpu", torch.float64).contiguous()
    hasher.update(ctypes.string_at(host.data_ptr(), host.numel() * 8))


def _hasher():
    return hashlib.blake2b(digest_size=32)


def _worst(difference):
    """The largest element; infinite where one is not a number."""
    if difference.numel() == 0:
        return 0.0
    worst = difference.abs().max().item()
    return worst if math.isfinite(worst) else math.inf


# ---- products ----


def _spaced(extent):
    count = min(extent, SAMPLED)
    step = extent // count
    return torch.arange(extent - 1 - (count - 1) * step, extent, step)


def _apply(matrix, vectors):
    """matrix @ vectors in float64, block by block."""
    rows = max(1, BLOCK_NUMBERS // matrix.shape[1])
    return torch.cat([block.double() @ vectors for block in matrix.split(rows)])


def _product_distance(a, b, addend, c, hasher):
    """Sampled elements, and Freivalds' test with random signs: as
    src/device/torch/gemm_distance.h has it."""
    rows, columns = (_spaced(extent).to(c.device) for extent in c.shape)
    expected = a[rows].double() @ b[:, columns].double()
    found = c[rows][:, columns].double()
    generator = torch.Generator().manual_seed(SEED & 0x7FFFFFFFFFFFFFFF)
    signs = torch.randint(0, 2, (c.shape[1], VECTORS), generator=generator).to(c.device)
    signs = signs.double() * 2 - 1
    projected = _apply(a, _apply(b, signs))
    if addend is not None:
        full = addend.expand(c.shape)
        expected = expected + full[rows][:, columns].double()
        projected = projected + _apply(full, signs)
    seen = _apply(c, signs)
    _hash(hasher, found)
    _hash(hasher, seen)
    worst = max(_worst(found - expected), _worst(seen - projected) / math.sqrt(c.shape[1]))
    largest = _worst(expected)
    return worst / largest if largest > 0 else worst


def gemm_distance(a, b, addend, c):
    """(distance, bits) of c = a b + addend; a bias is [n], other addends are as c. Of a batch,
    some products."""
    hasher = _hasher()
    if c.dim() == 2:
        return _product_distance(a, b, addend, c, hasher), hasher.digest()
    count = c.shape[0]
    picked = sorted({count - 1 - i * count // BATCHES for i in range(BATCHES)} & set(range(count)))
    worst = max(_product_distance(a[i], b[i], None if addend is None else addend[i], c[i], hasher)
                for i in picked)
    return worst, hasher.digest()


# ---- attention ----


def spans(problem):
    """(first, end) of the parts of a sequence that do not see each other."""
    if not problem.documents:
        return [(0, problem.seq)]
    ends, at = [], 0
    for length in problem.documents:
        ends.append((at, at + length))
        at += length
    return ends


def allowed(length, causal, window, device):
    """Which keys a query sees: a boolean [length, length] matrix; None: all."""
    if not causal and not window:
        return None
    query = torch.arange(length, device=device)[:, None]
    key = torch.arange(length, device=device)[None, :]
    seen = query >= key if causal else torch.ones(length, length, dtype=torch.bool, device=device)
    return seen & (query - key < window) if window else seen


def _attend(q, k, v, seen):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if seen is not None:
        scores = scores.masked_fill(~seen, -math.inf)
    return torch.softmax(scores, -1) @ v


def _span_results(problem, q, k, v, grad, span):
    """Of one group ([heads, seq, dim] and [seq, dim]) and one span."""
    first, end = span
    inputs = [tensor[..., first:end, :].requires_grad_() for tensor in (q, k, v)]
    seen = allowed(end - first, problem.causal, problem.window, q.device)
    out = _attend(*inputs, seen)
    if grad is None:
        return (out.detach(),)
    return torch.autograd.grad(out, inputs, grad[..., first:end, :])


def _choose_dtype(problem, room):
    longest = max(end - first for first, end in spans(problem))
    numbers = SQUARES * (problem.heads // problem.kv_heads) * longest * longest
    if numbers * 8 <= room:
        return torch.float64
    if numbers * 4 <= room:
        return torch.float32
    raise MemoryError(f"checking attention over {longest} positions takes {numbers * 4 >> 20} MiB, "
                      f"and half of what is left are {room >> 20} MiB")


def attention_distance(problem, q, k, v, grad, found, room):
    """(distance, bits) of one whole batch and KV group. Gradients of q and k are relative to v's
    where that is larger: where a row keeps one column they are 0."""
    dtype = _choose_dtype(problem, room)
    draw = random.Random(SEED)
    batch, head = draw.randrange(problem.batch), draw.randrange(problem.kv_heads)
    group = problem.heads // problem.kv_heads
    queries = slice(head * group, (head + 1) * group)
    inputs = [q[batch, queries].to(dtype)] + [tensor[batch, head].to(dtype) for tensor in (k, v)]
    grad = None if grad is None else grad[batch, queries].to(dtype)
    parts = [_span_results(problem, *inputs, grad, span) for span in spans(problem)]
    expected = [torch.cat(part, dim=-2) for part in zip(*parts)]
    picked = [found[0][batch, queries]] + [tensor[batch, head] for tensor in found[1:]]
    return _compare(picked, expected)


def _compare(found, expected):
    hasher = _hasher()
    least = _worst(expected[-1]) if len(expected) > 1 else 0.0
    distance = 0.0
    for have, want in zip(found, expected):
        _hash(hasher, have)
        scale = max(least, _worst(want))
        off = _worst(have.to(want.dtype) - want)
        distance = max(distance, off / scale if scale > 0 else off)
    return distance, hasher.digest()
