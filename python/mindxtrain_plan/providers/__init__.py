# SPDX-License-Identifier: Apache-2.0
"""Who computes attention in the worker, by the names of src/core/attention_providers.def. Each
is a module of this package with a class Provider; what it needs is imported when it is chosen."""

import importlib

MODULES = {
    "aiter": "aiter_provider",
    "eager": "eager_provider",
    "fa2": "fa2_provider",
    "fa3": "fa3_provider",
    "flex": "flex_provider",
    "sdpa": "sdpa_provider",
    "varlen": "varlen_provider",
    "xformers": "xformers_provider",
}


def load(name, deterministic=False):
    """The provider, with its package imported. Whatever that raises is the caller's to put into
    words."""
    module = importlib.import_module("." + MODULES[name], __name__)
    return module.Provider(deterministic)
