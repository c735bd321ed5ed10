# SPDX-License-Identifier: Apache-2.0
"""Which operations of torch ran: what tells the kernels that were really taken."""

from torch.utils._python_dispatch import TorchDispatchMode

# What a name of an operation holds, and the backend that it tells; the first that fits.
SDPA_BACKENDS = (
    ("cudnn_attention", "cudnn"),
    ("efficient_attention", "efficient"),
    ("flash_attention", "flash"),
    ("fused_attention_overrideable", "overrideable"),
)


class Operations(TorchDispatchMode):
    """Names of the operations inside a `with`, in the order of their first call."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.name()
        if name not in self.names:
            self.names.append(name)
        return func(*args, **(kwargs or {}))


def sdpa_backend(names):
    """What torch's dispatcher took: "math" when none of its kernels ran."""
    for part, backend in SDPA_BACKENDS:
        if any(part in name for name in names):
            return backend
    return "math"
