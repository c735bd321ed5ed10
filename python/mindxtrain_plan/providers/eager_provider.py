# SPDX-License-Identifier: Apache-2.0
"""Attention out of products and a softmax, as transformers' eager_attention_forward computes it."""

import math

import torch

from . import common


class Provider(common.Base):
    name = "eager"
    more_roundings = 4  # scores are stored before the softmax, and their gradients after it

    def objection(self, problem):
        return None

    def bind(self, problem, device):
        times = problem.heads // problem.kv_heads
        scale = 1 / math.sqrt(problem.head_dim)
        mask = self._additive(problem, device)

        def call(q, k, v):
            k, v = common.repeat_heads(k, times), common.repeat_heads(v, times)
            weights = torch.matmul(q, k.transpose(2, 3)) * scale
            if mask is not None:
                weights = weights + mask
            weights = torch.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype)
            return torch.matmul(weights, v)

        return call

    @staticmethod
    def _additive(problem, device):
        if not problem.causal and not common.needs_mask(problem):
            return None
        dtype = getattr(torch, problem.dtype)
        mask = torch.zeros((), dtype=dtype, device=device)
        return mask.masked_fill(~common.seen(problem, device), torch.finfo(dtype).min)
