# SPDX-License-Identifier: Apache-2.0
"""AITER, AMD's kernels: flash_attn's functions under its own name, with deterministic results
unless told otherwise."""

from .flash_family import FlashFamily


class Provider(FlashFamily):
    name = "aiter"
    distributions = ("amd_aiter", "aiter")

    def __init__(self, deterministic):
        import aiter

        super().__init__(deterministic)
        self.plain, self.packed = aiter.flash_attn_func, aiter.flash_attn_varlen_func
