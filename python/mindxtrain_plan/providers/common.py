# SPDX-License-Identifier: Apache-2.0
"""What providers have in common. Tensors go in and come out as [batch, heads, seq, head_dim]."""

import importlib.metadata

import torch

from .. import reference

HALF = ("float16", "bfloat16")


class Base:
    """A provider. objection(): why it cannot do a problem, or None. bind(): a function of q, k
    and v for it; masks and lengths are made there, once, as a trainer makes them once a step."""

    name = ""
    distributions = ()  # names under which its package may be installed; none: it is torch's own
    warms_up = True  # a small call at the start loads what all later ones need
    watched = True  # its operations may be listed while it computes
    more_roundings = 0  # than kernels that keep scores in float32

    def __init__(self, deterministic):
        self.deterministic = deterministic
        self.version = self._version()

    def _version(self):
        for name in self.distributions:
            try:
                return importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
        return ""

    def package(self):
        """"flash_attn 2.8.3"; "" for torch's own."""
        if not self.distributions:
            return ""
        return f"{self.distributions[0]} {self.version or 'of an unknown version'}"

    def stand_in(self):
        return self.version.endswith("+standin")

    def facts(self):
        """What else is in force."""
        return {}

    def objection(self, problem):
        raise NotImplementedError

    def bind(self, problem, device):
        raise NotImplementedError

    def backend(self, names):
        """What computed it, by the operations that ran."""
        return self.name


def half_only(name, problem, largest_head):
    """What all kernels of the flash family say to a problem."""
    if problem.masked:
        return f"{name} takes no mask"
    if problem.dtype not in HALF:
        return f"{name} computes in float16 and bfloat16, not in {problem.dtype}"
    if problem.head_dim > largest_head:
        return f"{name} takes heads of at most {largest_head} numbers, not {problem.head_dim}"
    return None


def lengths(problem):
    """Documents, one after the other: a batch is as many equal ones."""
    return list(problem.documents) or [problem.seq] * problem.batch


def cumulative(problem, device):
    """(where documents begin and end, as int32, and the longest length)."""
    counts = lengths(problem)
    ends = torch.tensor([0] + counts, dtype=torch.int32).cumsum(0, dtype=torch.int32)
    return ends.to(device), max(counts)


def flat(tensor):
    """[tokens, heads, head_dim], without a copy where the tensor is stored that way."""
    return tensor.transpose(1, 2).reshape(-1, tensor.shape[1], tensor.shape[3])


def unflat(tensor, problem):
    return tensor.view(problem.batch, problem.seq, *tensor.shape[-2:]).transpose(1, 2)


def seen(problem, device):
    """Which keys a query sees: boolean [batch, 1, seq, seq], as trainers make it."""
    mask = torch.zeros(problem.seq, problem.seq, dtype=torch.bool, device=device)
    for first, end in reference.spans(problem):
        part = reference.allowed(end - first, problem.causal, problem.window, device)
        mask[first:end, first:end] = True if part is None else part
    return mask.expand(problem.batch, 1, problem.seq, problem.seq).contiguous()


def needs_mask(problem):
    """True where `causal` alone does not say it."""
    return bool(problem.masked or problem.documents or 0 < problem.window < problem.seq)


def repeat_heads(tensor, times):
    """Copies of each KV head for its query heads, as transformers makes them."""
    if times == 1:
        return tensor
    batch, heads, seq, dim = tensor.shape
    spread = tensor[:, :, None].expand(batch, heads, times, seq, dim)
    return spread.reshape(batch, heads * times, seq, dim)


def window_pair(problem):
    """As kernels of the flash family take a window: how far back and forth a query sees, itself
    apart."""
    back = problem.window - 1 if 0 < problem.window < problem.seq else -1
    return back, back


def first(result):
    """The output of a call that may return more."""
    return result[0] if isinstance(result, (tuple, list)) else result
