# SPDX-License-Identifier: Apache-2.0
"""torch's flex_attention, compiled on GPUs as transformers compiles it; what that takes is part
of the first call. Hosts run it uncompiled, and the facts say so."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from .. import reference
from . import common

MAX_SHAPES = 64  # compiled in one process, each for its own sizes


class Provider(common.Base):
    name = "flex"
    warms_up = False  # what is compiled for one shape serves no other
    watched = False  # under a dispatch mode torch would not run what it compiled

    def __init__(self, deterministic):
        super().__init__(deterministic)
        self.compiled = torch.cuda.is_available()
        self.attend = flex_attention
        if self.compiled:
            config = torch._dynamo.config
            limit = "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit"
            setattr(config, limit, MAX_SHAPES)
            self.attend = torch.compile(flex_attention, dynamic=False)

    def facts(self):
        return {"compiled": self.compiled}

    def objection(self, problem):
        if problem.backward and not self.compiled:
            return "flex_attention has no backward pass on hosts"
        return None

    def bind(self, problem, device):
        block_mask = self._block_mask(problem, device)
        attend, shared = self.attend, problem.heads != problem.kv_heads

        def call(q, k, v):
            if not self.compiled:  # hosts refuse tensors that want gradients
                q, k, v = q.detach(), k.detach(), v.detach()
            return attend(q, k, v, block_mask=block_mask, enable_gqa=shared)

        return call

    def _block_mask(self, problem, device):
        if not problem.causal and not common.needs_mask(problem):
            return None
        document = torch.zeros(problem.seq, dtype=torch.int32, device=device)
        for number, (first, end) in enumerate(reference.spans(problem)):
            document[first:end] = number

        def seen(batch, head, query, key):
            same = document[query] == document[key]
            if problem.causal:
                same = same & (query >= key)
            return same & (query - key < problem.window) if problem.window else same

        return create_block_mask(seen, problem.batch, None, problem.seq, problem.seq, device=device,
                                 _compile=self.compiled)
