# SPDX-License-Identifier: Apache-2.0
"""flash_attn 2."""

from .flash_family import FlashFamily


class Provider(FlashFamily):
    name = "fa2"
    distributions = ("flash_attn",)

    def __init__(self, deterministic):
        from flash_attn import flash_attn_func, flash_attn_varlen_func

        super().__init__(deterministic)
        self.plain, self.packed = flash_attn_func, flash_attn_varlen_func
