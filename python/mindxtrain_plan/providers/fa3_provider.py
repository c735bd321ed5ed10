# SPDX-License-Identifier: Apache-2.0
"""flash_attn 3, whose functions lie in a module of their own."""

from .flash_family import FlashFamily


class Provider(FlashFamily):
    name = "fa3"
    distributions = ("flash_attn_3",)

    def __init__(self, deterministic):
        from flash_attn_interface import flash_attn_func, flash_attn_varlen_func

        super().__init__(deterministic)
        self.plain, self.packed = flash_attn_func, flash_attn_varlen_func
