# SPDX-License-Identifier: Apache-2.0
"""Looks at every operator that torch dispatches, and counts it. Computes nothing, changes nothing."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .recorder_describe import Attention, Other, Product, is_tensor
from .recorder_operators import ATTENTION, ATTENTION_LIKE, FILLER, GEMM, OTHER, Operator
from .recorder_tally import Tally


def in_backward():
    """True in a thread that runs a backward pass."""
    return torch._C._current_graph_task_id() != -1


def data_bytes(value):
    """Bytes behind a tensor; those behind all tensors of a list; else 0. What is expanded counts once."""
    if isinstance(value, torch.Tensor):
        n_bytes = value.numel() * value.element_size()
        try:
            return min(n_bytes, value.untyped_storage().nbytes())
        except (RuntimeError, NotImplementedError):
            return n_bytes  # sparse, or of another kind without a storage
    if isinstance(value, (list, tuple)):
        return sum(data_bytes(item) for item in value)
    return 0


def is_fake(value):
    """True for tensors without data: somebody traces."""
    return is_tensor(value) and (type(value).__name__ == "FakeTensor" or value.device.type == "meta")


def is_capturing():
    """True while a CUDA graph is captured, when nothing may be read from the device."""
    return torch.cuda.is_available() and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


class Recorder(TorchDispatchMode):
    """Counts into `tally` while it is active."""

    # Without it, flex_attention and others refuse to run under a mode.
    supports_higher_order_operators = True

    def __init__(self):
        super().__init__()
        self.tally, self.active, self.device = Tally(), True, None
        self.replaced = []  # see recorder_watch.replace()
        self._operators, self._lengths = {}, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(t.__name__ != "FakeTensor" and t not in (torch.Tensor, torch.nn.Parameter) for t in types):
            return NotImplemented  # a subclass: what it computes with comes here again
        result = func(*args, **kwargs)
        if self.active:
            self._look(func, args, kwargs, result)
        return result

    def _look(self, func, args, kwargs, result):
        operator = self._operators.get(func)
        if operator is None:
            operator = self._operators[func] = Operator(func)
        if operator.kind == FILLER:
            self._fill(operator, args, kwargs, result)
        elif operator.kind in (GEMM, ATTENTION, OTHER):
            self.add(operator, operator.named(args, kwargs))

    def _fill(self, operator, args, kwargs, result):
        if any(is_fake(value) for value in args[:1]):
            return
        if ATTENTION_LIKE.search(operator.name.partition("::")[2]):
            self.tally.miss("unknown_attention")
        self.tally.fill(data_bytes(args) + data_bytes(tuple(kwargs.values())) + data_bytes(result))

    def add(self, operator, named):
        """Counts a call. Whatever is wrong with it costs the recording one call, and the training nothing."""
        try:
            call = self._call(operator, named)
            if call is None:
                return
            self.tally.add(call, in_backward())
        except Exception:  # pylint: disable=broad-except
            self.tally.miss("unreadable_call")

    def _call(self, operator, named):
        if any(is_fake(value) for value in named.values()):
            return None
        if operator.kind == OTHER:
            return Other(operator, named)
        if operator.kind == ATTENTION:
            return Attention(operator, named, self.lengths)
        call = Product(operator, named)
        self.device = self.device or call.a.device.type
        return call

    def lengths(self, starts):
        """Lengths of documents from their starts; reads each tensor once, since a GPU has to be waited for."""
        known = self._lengths.get(id(starts))
        if known and known[0] is starts and known[1] == starts._version:
            return known[2]
        if is_capturing():
            self.tally.miss("unread_lengths")
            return None
        values = starts.tolist()
        lengths = tuple(b - a for a, b in zip(values, values[1:]))
        self._lengths[id(starts)] = (starts, starts._version, lengths)
        return lengths

    def end_step(self):
        """Keeps the step that just ended."""
        self.tally.end_step()
        self._lengths.clear()
