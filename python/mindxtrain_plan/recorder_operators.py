# SPDX-License-Identifier: Apache-2.0
"""Which operators are matrix products and attention calls, and which argument of theirs is what.

Arguments are found by name: `ROLES` lists the names that a role has in the schemas of torch, flash_attn, its builds on
the Hub, xformers and aiter. An operator that is no row here counts as a filler: bytes that it reads and writes.
"""

import re

GEMM, ATTENTION, OTHER, FILLER, SILENT = "gemm", "attention", "other", "filler", "silent"

# Matrix products: operator -> (left operand, right operand, what is added).
PRODUCTS = {
    "aten::mm": ("self", "mat2", None),
    "aten::bmm": ("self", "mat2", None),
    "aten::addmm": ("mat1", "mat2", "self"),
    "aten::addmm_": ("mat1", "mat2", "self"),
    "aten::_addmm_activation": ("mat1", "mat2", "self"),
    "aten::baddbmm": ("batch1", "batch2", "self"),
    "aten::baddbmm_": ("batch1", "batch2", "self"),
    "aten::linear": ("input", "weight", "bias"),
}

# Products that no problem stands for: recorded with the shapes of their first two tensors.
OTHERS = re.compile(
    r"aten::(_scaled_mm\w*|_scaled_grouped_mm\w*|_grouped_mm|_int_mm|_weight_int\w+_mm\w*|addbmm_?"
    r"|convolution\w*|_convolution\w*|mkldnn_linear\w*|_mixed_dtypes_linear)"
    r"|mkldnn::_linear\w*|bitsandbytes::(int8_\w*linear\w*|gemv_4bit|gemm_4bit)")

# Attention: pattern of the operator -> layout of q, k, v with four dimensions. With three they are packed: [tokens,
# heads, head_dim].
ATTENTIONS = (
    (re.compile(r"aten::_scaled_dot_product_\w*attention\w*|aten::_cudnn_attention_\w+"), "bhsd"),
    (re.compile(r"aten::_(flash|efficient)_attention_(forward|backward)"), "bshd"),
    (re.compile(r"torch_attn::_varlen_attn(_backward)?"), "bshd"),
    (re.compile(r"flash_attn::_flash_attn_(varlen_)?(forward|backward)"), "bshd"),
    (re.compile(r"flash_attn_\d::(_flash_attn_)?(varlen_)?(fwd|bwd|forward|backward)"), "bshd"),
    (re.compile(r"_?(vllm_)?flash_?attn_?\d?\w*::(mha_)?(varlen_)?(fwd|bwd|forward|backward)"), "bshd"),
    (re.compile(r"xformers_flash\d?::flash_(fwd|bwd)"), "bshd"),
    (re.compile(r"xformers::efficient_attention_(forward|backward)\w*"), "bshd"),
    (re.compile(r"aiter::\w*(mha|fmha|flash_attn)\w*"), "bshd"),
    (re.compile(r"sageattention\w*::\w*attn\w*"), "bhsd"),
    (re.compile(r"higher_order::flex_attention(_backward)?"), "bhsd"),
)
ATTENTION_LIKE = re.compile(r"attn|attention|fmha|mha_|_mha")
BACKWARD = re.compile(r"backward|bwd")

ROLES = {
    "q": ("query", "q"),
    "k": ("key", "k"),
    "v": ("value", "v"),
    "mask": ("attn_mask", "attn_bias", "bias"),
    "starts_q": ("cu_seqlens_q", "cu_seq_q", "cum_seq_q", "cu_seqlens_q_", "seqstart_q"),
    "starts_k": ("cu_seqlens_k", "cu_seq_k", "cum_seq_k", "cu_seqlens_k_", "seqstart_k"),
    "causal": ("is_causal", "causal"),
    "mask_type": ("custom_mask_type",),
    "window": ("window_size",),
    "left": ("window_size_left", "window_left"),
    "right": ("window_size_right", "window_right"),
    "dropout": ("dropout_p", "p_dropout", "p"),
    "scale": ("scale", "softmax_scale"),
    "block_mask": ("block_mask",),
}

# Positions of the arguments of operators without a schema.
UNNAMED = {
    "higher_order::flex_attention": ("query", "key", "value", "score_mod", "block_mask", "scale"),
    "higher_order::flex_attention_backward": (
        "query", "key", "value", "out", "lse", "grad_out", "grad_lse", "fw_graph", "joint_graph", "block_mask",
        "scale"),
}

# They move no data of the device, though their schemas do not say so.
FREE = re.compile(r"aten::(_unsafe_view|empty\w*|new_empty\w*|_local_scalar_dense|is_same_size|_has_compatible\w*"
                  r"|resize_|set_|record_stream|_record_function\w*)|(c10d|_c10d_functional|profiler|prim)::.*")


class Operator:
    """What is known of one operator; made once for each."""

    def __init__(self, func):
        schema = getattr(func, "_schema", None)
        self.name = schema.name if schema else "higher_order::" + str(getattr(func, "_name", "unknown"))
        self.arguments = tuple(a.name for a in schema.arguments) if schema else UNNAMED.get(self.name, ())
        self.kind, self.layout = classify(self.name)
        if self.kind == FILLER and (FREE.fullmatch(self.name) or is_view(schema)):
            self.kind = SILENT
        self.backward = bool(BACKWARD.search(self.name))

    def named(self, args, kwargs):
        """{argument: value} of one call; defaults are left out."""
        values = dict(zip(self.arguments, args))
        values.update(kwargs)
        return values


def classify(name):
    """(kind, layout) of an operator's name."""
    if name in PRODUCTS:
        return GEMM, None
    for pattern, layout in ATTENTIONS:
        if pattern.fullmatch(name):
            return ATTENTION, layout
    return (OTHER if OTHERS.fullmatch(name) else FILLER), None


def is_view(schema):
    """True when outputs only alias inputs that stay as they are."""
    if schema is None:
        return False
    aliases = [a.alias_info for a in schema.returns if a.alias_info is not None]
    return bool(aliases) and not any(alias.is_write for alias in aliases)


def pick(named, role):
    """The argument that has a role, or None."""
    for name in ROLES[role]:
        if named.get(name) is not None:
            return named[name]
    return None
