# SPDX-License-Identifier: Apache-2.0
"""See xformers/__init__.py."""

from . import attn_bias  # noqa: F401
