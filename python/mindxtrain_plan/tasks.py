# SPDX-License-Identifier: Apache-2.0
"""Problems that were prepared: operands in rotation, one call, and whether its result is right."""

import torch

from . import bounds, reference, witness
from .torch_device import DTYPES, part
from .wire import Attention


CHECK_RUNS = 3  # of a problem whose results must repeat


class Unsupported(Exception):
    """This stack cannot do this problem."""


def repeats(device, first, again):
    """Whether `again` gives the same bits as the results before, where the job needs that."""
    return device.deterministic and all(
        all(torch.equal(one, other) for one, other in zip(first, again()))
        for _ in range(CHECK_RUNS - 1))


class GemmTask:
    """A product through torch's own calls: mm, addmm, bmm, baddbmm."""

    def __init__(self, device, problem):
        if problem.bias and (problem.accumulate or problem.batch):
            raise Unsupported("no call of torch adds a bias beside another addend, or in a batch")
        self.device, self.problem = device, problem
        self.slots, self.next = [], 0
        self.size = DTYPES[problem.dtype].itemsize
        count = problem.batch or 1
        rows_a = problem.k if problem.trans_a else problem.m
        rows_b = problem.n if problem.trans_b else problem.k
        self.a_count, self.b_count = rows_a * problem.lda, rows_b * problem.ldb
        self.c_count = problem.m * problem.ldc
        self.a_bytes = part(count * self.a_count * self.size)
        self.b_bytes = part(count * self.b_count * self.size)
        self.in_bytes = self.a_bytes + self.b_bytes + part(problem.n * self.size)
        self.out_bytes = part(count * self.c_count * self.size)
        self.windows = device.windows(self.in_bytes + self.out_bytes)

    def reserve(self):
        name = self.problem.dtype
        self.device.reserve(self.device.inputs[name], self.windows * self.in_bytes)
        self.device.reserve(self.device.outputs[name], self.windows * self.out_bytes)

    def unbind(self):
        self.slots = []

    def _matrix(self, arena, at, rows, columns, ld, transposed, count):
        strides = (1, ld) if transposed else (ld, 1)
        if not self.problem.batch:
            return arena.view(at, (rows, columns), strides)
        return arena.view(at, (self.problem.batch, rows, columns), (count, *strides))

    def _slot(self, i):
        p = self.problem
        inputs, outputs = self.device.inputs[p.dtype], self.device.outputs[p.dtype]
        at = i * self.in_bytes
        a = self._matrix(inputs, at, p.m, p.k, p.lda, p.trans_a, self.a_count)
        b = self._matrix(inputs, at + self.a_bytes, p.k, p.n, p.ldb, p.trans_b, self.b_count)
        bias = inputs.view(at + self.a_bytes + self.b_bytes, (p.n,), (1,))
        c = self._matrix(outputs, i * self.out_bytes, p.m, p.n, p.ldc, False, self.c_count)
        return a, b, bias, c

    def ready(self):
        if self.slots:
            return
        self.slots = [self._slot(i) for i in range(self.windows)]
        for *_, c in self.slots:
            if self.problem.accumulate:
                c.zero_()

    def _multiply(self, a, b, bias, c):
        p = self.problem
        if p.batch:
            torch.baddbmm(c, a, b, out=c) if p.accumulate else torch.bmm(a, b, out=c)
        elif p.accumulate or p.bias:
            torch.addmm(c if p.accumulate else bias, a, b, out=c)
        else:
            torch.mm(a, b, out=c)

    def run(self):
        slot = self.slots[self.next]
        self.next = (self.next + 1) % len(self.slots)
        with torch.no_grad():
            self._multiply(*slot)

    def check(self):
        """(error_ppb, bound_ppb, bits, backend, repeatable)."""
        a, b, bias, c = self.slots[0]
        addend = None
        with torch.no_grad():
            if self.problem.accumulate:
                addend = c.normal_().clone()
            else:
                c.fill_(float("nan"))  # an element that is not written shows
            self._multiply(a, b, bias, c)
            if self.problem.bias:
                addend = bias
            distance, bits = reference.gemm_distance(a, b, addend, c)
            repeatable = self._repeats(addend)
        bound = bounds.gemm_bound_ppb(self.problem.dtype, self.problem.k)
        return bounds.error_ppb(distance), bound, bits, "", repeatable

    def _repeats(self, addend):
        a, b, bias, c = self.slots[0]
        first = c.clone()

        def again():
            if self.problem.accumulate:
                c.copy_(addend)
            self._multiply(a, b, bias, c)
            return (c,)

        return repeats(self.device, (first,), again)


class AttentionTask:
    """Attention through a provider, with autograd as in training: tensors stored [batch, seq,
    heads, dim] and viewed [batch, heads, seq, dim]. Repeated keys and values are stored as they
    are viewed: whoever repeats them has done so before the call."""

    def __init__(self, device, problem, provider):
        reason = provider.objection(problem)
        if reason:
            raise Unsupported(reason)
        self.device, self.problem, self.provider = device, problem, provider
        self.slots, self.next = [], 0
        self.call = provider.bind(problem, device.device)
        size = DTYPES[problem.dtype].itemsize
        tokens = problem.batch * problem.seq * problem.head_dim
        self.q_bytes = part(tokens * problem.heads * size)
        self.kv_bytes = part(tokens * problem.kv_heads * size)
        self.in_bytes = (2 if problem.backward else 1) * self.q_bytes + 2 * self.kv_bytes
        self.windows = device.windows(self.in_bytes)

    def reserve(self):
        self.device.reserve(self.device.inputs[self.problem.dtype], self.windows * self.in_bytes)

    def unbind(self):
        self.slots = []

    def _heads(self, at, heads):
        p = self.problem
        sizes = (p.batch, heads, p.seq, p.head_dim)
        strides = (p.seq * heads * p.head_dim, p.head_dim, heads * p.head_dim, 1)
        return self.device.inputs[p.dtype].view(at, sizes, strides)

    def _keys(self, at):
        p = self.problem
        if not p.repeated:
            return self._heads(at, p.kv_heads)
        sizes = (p.batch, p.kv_heads, p.seq, p.head_dim)
        strides = (p.kv_heads * p.seq * p.head_dim, p.seq * p.head_dim, p.head_dim, 1)
        return self.device.inputs[p.dtype].view(at, sizes, strides)

    def _slot(self, i):
        at = i * self.in_bytes
        q = self._heads(at, self.problem.heads).requires_grad_()
        k = self._keys(at + self.q_bytes).requires_grad_()
        v = self._keys(at + self.q_bytes + self.kv_bytes).requires_grad_()
        if not self.problem.backward:
            return q, k, v, None, None
        grad = self._heads(at + self.q_bytes + 2 * self.kv_bytes, self.problem.heads)
        return q, k, v, grad, self.call(q, k, v)

    def ready(self):
        if not self.slots:
            self.slots = [self._slot(i) for i in range(self.windows)]
            self.next = 0

    def _once(self, slot):
        q, k, v, grad, out = slot
        if grad is None:
            return (self.call(q, k, v),)
        return torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)

    def run(self):
        slot = self.slots[self.next]
        self.next = (self.next + 1) % len(self.slots)
        self._once(slot)

    def check(self):
        slot = self.slots[0]
        names = []
        if self.provider.watched:
            with witness.Operations() as seen:
                found = self._once(slot)
            names = seen.names
        else:
            found = self._once(slot)
        q, k, v, grad, _ = (tensor.detach() if tensor is not None else None for tensor in slot)
        found = [tensor.detach() for tensor in found]
        room = self.device.memory_left() // 2
        distance, bits = reference.attention_distance(self.problem, q, k, v, grad, found, room)
        bound = bounds.attention_bound_ppb(self.problem, not self.device.on_cuda,
                                           self.provider.more_roundings)
        repeatable = repeats(self.device, found, lambda: self._once(slot))
        return bounds.error_ppb(distance), bound, bits, self.provider.backend(names), repeatable


class Filler:
    """Streams so many bytes: half is read, half is written."""

    def __init__(self, device, size):
        self.device = device
        self.count = size // 2 // 4
        self.pair = None

    def reserve(self):
        size = part(self.count * 4)
        self.device.reserve(self.device.inputs["float32"], size)
        self.device.reserve(self.device.outputs["float32"], size)

    def unbind(self):
        self.pair = None

    def ready(self):
        if self.pair is None:
            self.pair = tuple(arena["float32"].view(0, (self.count,), (1,))
                              for arena in (self.device.outputs, self.device.inputs))

    def run(self):
        with torch.no_grad():
            self.pair[0].copy_(self.pair[1])


def make(device, problem, provider):
    if isinstance(problem, Attention):
        return AttentionTask(device, problem, provider)
    return GemmTask(device, problem)
