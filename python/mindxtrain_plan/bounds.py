# SPDX-License-Identifier: Apache-2.0
"""How far a correct kernel may be from the reference, in ppb of the largest reference element:
as src/device/error_bound.c has it, and more where a provider rounds more often."""

import math

UNIT_PPB = 59.6  # 2^-24
ROUNDING_PPB = {"float32": 0.0, "bfloat16": 3906250.0, "float16": 976563.0}
PRODUCT_ROUNDINGS = 2
FORWARD_ROUNDINGS = 2
BACKWARD_ROUNDINGS = 3
QUERIES_PER_SUM = 32  # of torch's flash attention on hosts


def gemm_bound_ppb(dtype, k):
    return int(UNIT_PPB * (16 + math.sqrt(k)) + PRODUCT_ROUNDINGS * ROUNDING_PPB[dtype])


def attention_bound_ppb(problem, rounded_sums, more_roundings=0):
    """rounded_sums: gradients may be added up in the dtype that is returned. more_roundings: of
    what is stored between the two products."""
    roundings = BACKWARD_ROUNDINGS if problem.backward else FORWARD_ROUNDINGS
    if problem.backward and rounded_sums:
        roundings += math.sqrt(problem.heads / problem.kv_heads * problem.seq / QUERIES_PER_SUM)
    terms = problem.head_dim + problem.seq
    rounding = (roundings + more_roundings) * ROUNDING_PPB[problem.dtype]
    return int(UNIT_PPB * (48 + 2 * math.sqrt(terms)) + rounding)


def error_ppb(distance):
    """A relative distance, rounded up; UINT64_MAX for what is not finite."""
    if not math.isfinite(distance) or distance >= 2.0**63 / 1e9:
        return (1 << 64) - 1
    return math.ceil(distance * 1e9)
