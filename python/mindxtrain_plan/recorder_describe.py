# SPDX-License-Identifier: Apache-2.0
"""One call, as a recording describes it: shapes, strides and dtypes; never a value, a name or a path."""

import math

from .recorder_operators import PRODUCTS, pick

MAX_LENGTHS = 512


def tensor(t):
    """A tensor's form."""
    return {"shape": list(t.shape), "strides": list(t.stride()), "dtype": str(t.dtype).replace("torch.", "")}


def form(t):
    """The same as a key of dictionaries."""
    return (tuple(t.shape), t.stride(), t.dtype) if t is not None else None


def is_tensor(value):
    """True for whatever has a shape and strides."""
    return hasattr(value, "stride") and hasattr(value, "dtype")


class Product:
    """A matrix product; `key` tells it from others."""

    def __init__(self, operator, named):
        left, right, added = PRODUCTS[operator.name]
        self.op = operator.name
        self.a, self.b = named[left], named[right]
        self.c = named.get(added) if added else None
        out = named.get("out")
        self.beta_zero = self.c is not None and named.get("beta", 1) == 0
        self.in_place = self.op.endswith("_") or (out is not None and out is self.c)
        self.out = named.get("out_dtype")
        if self.op == "aten::linear":
            self.b = self.b.t()
            self.a = self.a.reshape(-1, self.a.shape[-1])
        self.key = (self.op, form(self.a), form(self.b), form(self.c), self.beta_zero, self.in_place, self.out)

    def describe(self):
        """The object of the file, without its counts."""
        call = {"kind": "gemm", "op": self.op, "a": tensor(self.a), "b": tensor(self.b)}
        if self.c is not None and not self.beta_zero:
            call["c"] = tensor(self.c)
            if self.in_place:
                call["in_place"] = True
        if self.out is not None:
            call["out_dtype"] = str(self.out).replace("torch.", "")
        return call


class Attention:
    """An attention call. `lengths_of` reads the lengths of documents from their starts, or gives None."""

    def __init__(self, operator, named, lengths_of):
        self.op, self.backward = operator.name, operator.backward
        self.q, self.k, self.v = (pick(named, role) for role in "qkv")
        self.layout = operator.layout if self.q.dim() == 4 else "thd"
        self.mask = pick(named, "mask")
        self.opaque = pick(named, "block_mask") is not None
        self.left, self.right = window_of(named)
        self.causal = self.right == 0 or bool(pick(named, "causal")) or (pick(named, "mask_type") or 0) > 0
        self.dropout = round((pick(named, "dropout") or 0) * 1e6)
        self.scale = pick(named, "scale")
        self.lengths = self._documents(named, "starts_q", lengths_of)
        self.keys_differ = self._documents(named, "starts_k", lengths_of) != self.lengths
        self.key = (self.op, form(self.q), form(self.k), form(self.v), form(self.mask), self.opaque, self.left,
                    self.right, self.causal, self.dropout, self.scale, self.lengths, self.keys_differ)

    def _documents(self, named, role, lengths_of):
        starts = pick(named, role)
        packed = self.layout != "bhsd" and is_tensor(starts) and starts.dim() == 1 and starts.numel() > 1
        return lengths_of(starts) if packed else None

    def describe(self):
        """The object of the file, without its counts."""
        call = {"kind": "attention", "op": self.op, "direction": "backward" if self.backward else "forward",
                "layout": self.layout, "q": tensor(self.q), "k": tensor(self.k), "v": tensor(self.v)}
        if is_tensor(self.mask):
            call["mask"] = tensor(self.mask)
        for name in ("causal", "opaque", "keys_differ"):
            if getattr(self, name):
                call["opaque_mask" if name == "opaque" else name] = True
        if self.left >= 0:
            call["window"] = self.left + 1
        if self.dropout:
            call["dropout_ppm"] = self.dropout
        if self.scale is not None and not math.isclose(self.scale, self.q.shape[-1] ** -0.5, rel_tol=1e-5):
            call["scale_ppb"] = round(float(self.scale) * 1e9)
        if self.lengths is not None:
            call["documents"] = documents(self.lengths)
        return call


class Other:
    """A product of a kind that is not computed elsewhere: what it is, and its first two tensors."""

    def __init__(self, operator, named):
        self.op = operator.name
        self.tensors = [value for value in named.values() if is_tensor(value)][:2]
        self.key = (self.op, *map(form, self.tensors))

    def describe(self):
        """The object of the file, without its counts."""
        return {"kind": "other", "op": self.op, "tensors": [tensor(t) for t in self.tensors]}


def window_of(named):
    """(left, right): tokens that are seen before and after; -1: all."""
    window = pick(named, "window")
    if isinstance(window, (list, tuple)) and len(window) == 2:
        left, right = window
    else:
        left, right = pick(named, "left"), pick(named, "right")
        if isinstance(window, int) and window > 0:
            left = window - 1
    return (-1 if left is None else int(left)), (-1 if right is None else int(right))


def documents(lengths):
    """How many there are, their tokens, and the first lengths."""
    return {"count": len(lengths), "tokens": sum(lengths), "lengths": list(lengths[:MAX_LENGTHS])}
