# SPDX-License-Identifier: Apache-2.0
"""What a dispatch mode does not see: counted where it can be, and flash_attn's older functions wrapped."""

import functools
import inspect
import sys

import torch

from .recorder_operators import ATTENTION, Operator

OLD_FLASH = {
    "_flash_attn_forward": "flash_attn::_flash_attn_forward",
    "_flash_attn_backward": "flash_attn::_flash_attn_backward",
    "_flash_attn_varlen_forward": "flash_attn::_flash_attn_varlen_forward",
    "_flash_attn_varlen_backward": "flash_attn::_flash_attn_varlen_backward",
}


class FunctionOperator(Operator):
    """A Python function that stands for an operator."""

    def __init__(self, name, function):  # pylint: disable=super-init-not-called
        self.name, self.kind, self.layout = name, ATTENTION, "bshd"
        self.arguments = tuple(inspect.signature(function).parameters)
        self.backward = name.endswith("backward")


def wrap_function(recorder, operator, function):
    """The function, counted. While it runs nothing below it is counted: it is one call."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        active, recorder.active = recorder.active, False
        try:
            result = function(*args, **kwargs)
        finally:
            recorder.active = active
        if active:
            recorder.add(operator, operator.named(args, kwargs))
        return result

    return wrapper


def replace(recorder, owner, attribute, function):
    """Puts a function in the place of another one; restore() undoes it."""
    recorder.replaced.append((owner, attribute, getattr(owner, attribute), function))
    setattr(owner, attribute, function)


def restore(recorder):
    """Puts back what was there, unless somebody else has replaced it since."""
    while recorder.replaced:
        owner, attribute, old, new = recorder.replaced.pop()
        if getattr(owner, attribute, None) is new:
            setattr(owner, attribute, old)


def watch_old_flash_attn(recorder):
    """flash_attn before its operators were torch's: functions of a module, which call its library directly."""
    module = sys.modules.get("flash_attn.flash_attn_interface")
    if module is None or hasattr(torch.ops.flash_attn, "_flash_attn_forward"):
        return
    for attribute, name in OLD_FLASH.items():
        function = getattr(module, attribute, None)
        if inspect.isfunction(function):
            replace(recorder, module, attribute, wrap_function(recorder, FunctionOperator(name, function), function))


def watch_cuda_graphs(recorder):
    """A replayed graph repeats its kernels without any operator."""
    graph = getattr(torch.cuda, "CUDAGraph", None)
    replay = getattr(graph, "replay", None)
    if replay is None:
        return

    @functools.wraps(replay)
    def counted(self, *args, **kwargs):
        if recorder.active:
            recorder.tally.miss("cuda_graph_replay")
        return replay(self, *args, **kwargs)

    replace(recorder, graph, "replay", counted)


def compiled_graphs():
    """How many graphs were compiled in this process."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
    return counters["stats"]["unique_graphs"] if counters else 0


def count_compiled(recorder):
    """Products in generated kernels are not seen."""
    graphs = compiled_graphs()
    if graphs:
        recorder.tally.miss("compiled_graph", graphs)
