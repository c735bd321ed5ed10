# SPDX-License-Identifier: Apache-2.0
"""Packages with flash_attn's two functions, called as transformers' _flash_attention_forward
calls them: the plain one for batches, the one with lengths for packed documents."""

from . import common


class FlashFamily(common.Base):
    """Subclasses set `plain` and `packed` to the package's functions."""

    plain = packed = None
    largest_head = 256

    def objection(self, problem):
        return common.half_only(self.name, problem, self.largest_head)

    def bind(self, problem, device):
        options = {"causal": problem.causal, "deterministic": self.deterministic}
        if common.window_pair(problem) != (-1, -1):
            options["window_size"] = common.window_pair(problem)
        if problem.documents:
            return self._bind_packed(problem, device, options)
        plain = self.plain

        def call(q, k, v):
            out = plain(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), **options)
            return common.first(out).transpose(1, 2)

        return call

    def _bind_packed(self, problem, device, options):
        ends, longest = common.cumulative(problem, device)
        options.update(cu_seqlens_q=ends, cu_seqlens_k=ends, max_seqlen_q=longest,
                       max_seqlen_k=longest)
        packed = self.packed

        def call(q, k, v):
            out = packed(common.flat(q), common.flat(k), common.flat(v), **options)
            return common.unflat(common.first(out), problem)

        return call
