# SPDX-License-Identifier: Apache-2.0
"""See xformers/__init__.py."""


class LowerTriangularMask:
    pass


class BlockDiagonalCausalMask:
    def __init__(self, lengths):
        self.lengths = lengths

    @classmethod
    def from_seqlens(cls, lengths):
        return cls(list(lengths))
