# SPDX-License-Identifier: Apache-2.0
"""torch's own attention over packed documents (torch 2.10 and later). A batch is as many equal
documents."""

import inspect

import torch
from torch.nn.attention.varlen import varlen_attn

from . import common


class Provider(common.Base):
    name = "varlen"
    # 2.10 has a parameter for it; from 2.11 on a window says it.
    takes_causal = "is_causal" in inspect.signature(varlen_attn).parameters

    def objection(self, problem):
        if not torch.cuda.is_available():
            return "varlen computes on GPUs only"
        if problem.window and self.takes_causal:
            return "varlen of this torch takes no window"
        return common.half_only(self.name, problem, 256)

    def _options(self, problem):
        if self.takes_causal:
            return {"is_causal": problem.causal}
        back, _ = common.window_pair(problem)
        return {"window_size": (back, 0 if problem.causal else back)}

    def bind(self, problem, device):
        ends, longest = common.cumulative(problem, device)
        options = self._options(problem)

        def call(q, k, v):
            out = varlen_attn(common.flat(q), common.flat(k), common.flat(v), ends, ends, longest,
                              longest, **options)
            return common.unflat(common.first(out), problem)

        return call
