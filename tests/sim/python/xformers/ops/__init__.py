# SPDX-License-Identifier: Apache-2.0
"""See xformers/__init__.py."""

import torch
from torch.nn.functional import scaled_dot_product_attention

from . import fmha


def _heads(x):
    """[batch, seq, heads, dim] or [batch, seq, groups, heads, dim] as [batch, heads, seq, dim]."""
    return x.flatten(2, -2).transpose(1, 2)


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None):
    shape = query.shape
    assert key.shape == shape and value.shape == shape  # it spreads no KV heads by itself
    q, k, v = (_heads(x) for x in (query, key, value))
    lengths = getattr(attn_bias, "lengths", [shape[1]])
    at, parts = 0, []
    for length in lengths:
        part = slice(at, at + length)
        parts.append(scaled_dot_product_attention(q[:, :, part], k[:, :, part], v[:, :, part],
                                                  is_causal=attn_bias is not None, scale=scale))
        at += length
    return torch.cat(parts, 2).transpose(1, 2).reshape(shape)


LowerTriangularMask = fmha.attn_bias.LowerTriangularMask
