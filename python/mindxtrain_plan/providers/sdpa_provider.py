# SPDX-License-Identifier: Apache-2.0
"""torch's scaled_dot_product_attention, called as transformers' sdpa_attention_forward does: KV
heads are repeated where there is a mask, else torch is told of them. Repeated in the call only
where the problem has fewer KV heads: packed documents, which others compute without copies."""

from torch.nn.functional import scaled_dot_product_attention

from .. import witness
from . import common


class Provider(common.Base):
    name = "sdpa"

    def objection(self, problem):
        return None

    def bind(self, problem, device):
        times = problem.heads // problem.kv_heads
        if not common.needs_mask(problem):
            return lambda q, k, v: scaled_dot_product_attention(
                q, k, v, is_causal=problem.causal, enable_gqa=times > 1)
        mask = common.seen(problem, device)

        def call(q, k, v):
            k, v = common.repeat_heads(k, times), common.repeat_heads(v, times)
            return scaled_dot_product_attention(q, k, v, attn_mask=mask)

        return call

    def backend(self, names):
        return witness.sdpa_backend(names)
