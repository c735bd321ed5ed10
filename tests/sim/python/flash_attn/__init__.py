# SPDX-License-Identifier: Apache-2.0
"""Stands in for flash_attn where it cannot be installed: its two functions, computed by torch on the host.

MXT_SIM_FLASH_ATTN asks for a fault: exit, hang or abort when it is imported; raise, print, kill, slow, wrong or lie when
it is called. Several are separated by commas.
"""

import os
import sys
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

__version__ = "0+standin"
FAULTS = os.environ.get("MXT_SIM_FLASH_ATTN", "").split(",")

if "exit" in FAULTS:
    sys.exit(3)
if "abort" in FAULTS:
    os._exit(3)
if "hang" in FAULTS:
    time.sleep(3600)
if "broken" in FAULTS:
    raise ImportError("libcudart.so.99: cannot open shared object file")


def _fault(out):
    if "print" in FAULTS:
        print("garbage" * 1000, flush=True)
    if "raise" in FAULTS:
        raise RuntimeError("the kernel of the stand-in fails")
    if "kill" in FAULTS:
        os.kill(os.getpid(), 9)
    if "slow" in FAULTS:
        time.sleep(0.005)
    if "lie" in FAULTS:  # the clock of the process stands still
        time.perf_counter_ns = lambda: 0
    return out * 1.5 if "wrong" in FAULTS else out


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1),
                    softcap=0.0, alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """[batch, seq, heads, dim], as the real one."""
    assert q.dtype in (torch.float16, torch.bfloat16)
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    mask = None
    if window_size[0] >= 0:
        back = torch.arange(q.shape[2])[:, None] - torch.arange(k.shape[2])[None, :]
        mask = (back <= window_size[0]) & (back >= (0 if causal else -window_size[1]))
    out = scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal and mask is None,
                                       scale=softmax_scale, enable_gqa=q.shape[1] != k.shape[1])
    return _fault(out.transpose(1, 2))


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k,
                           **options):
    """[tokens, heads, dim], document by document."""
    ends = cu_seqlens_q.tolist()
    assert ends == cu_seqlens_k.tolist()
    parts = [flash_attn_func(q[None, a:b], k[None, a:b], v[None, a:b], **options)[0]
             for a, b in zip(ends, ends[1:])]
    return torch.cat(parts)
