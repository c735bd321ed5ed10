# SPDX-License-Identifier: Apache-2.0
"""xformers' memory_efficient_attention, called as Axolotl calls it: query heads in groups that
share a KV head, which is spread without a copy."""

from . import common


class Provider(common.Base):
    name = "xformers"
    distributions = ("xformers",)

    def __init__(self, deterministic):
        import xformers.ops
        from xformers.ops.fmha import attn_bias

        super().__init__(deterministic)
        self.attend, self.bias = xformers.ops.memory_efficient_attention, attn_bias

    def objection(self, problem):
        if problem.masked:
            return "xformers is called without a mask"
        if 0 < problem.window < problem.seq:
            return "xformers is called without a window"
        if problem.documents and not problem.causal:
            return "xformers is called with causal documents only"
        return None

    def _bias(self, problem):
        if problem.documents:
            return self.bias.BlockDiagonalCausalMask.from_seqlens(list(problem.documents))
        return self.bias.LowerTriangularMask() if problem.causal else None

    def bind(self, problem, device):
        bias, attend = self._bias(problem), self.attend
        batch, seq, dim = problem.batch, problem.seq, problem.head_dim
        groups, times = problem.kv_heads, problem.heads // problem.kv_heads

        def spread(tensor):
            return tensor.transpose(1, 2).unsqueeze(3).expand(batch, seq, groups, times, dim)

        def call(q, k, v):
            if times == 1:
                out = attend(*(x.transpose(1, 2) for x in (q, k, v)), attn_bias=bias)
            else:
                q = q.transpose(1, 2).unflatten(2, (groups, times))
                out = attend(q, spread(k), spread(v), attn_bias=bias)
            return out.reshape(batch, seq, problem.heads, dim).transpose(1, 2)

        return call
