# SPDX-License-Identifier: Apache-2.0
"""What is in force in a worker: its witness."""

import os
import platform

import torch

from .wire import Attention, Gemm

# Kernels that a process loads once are loaded before anything is timed, by all workers at once.
SMALL = {
    "gemm": Gemm(128, 128, 128, 128, 128, 128, dtype="bfloat16"),
    "attention": Attention(1, 128, 8, 8, 128, dtype="bfloat16", backward=True),
}
SDPA_CHOICES = ("math", "flash", "efficient", "cudnn")


def warm_up(device, provider, probe, tasks):
    """Calls the kernels of the probe once, on something small. What fails here fails again when
    it is asked for."""
    for name, problem in SMALL.items():
        if probe not in (name, "layer") or (name == "attention" and not provider.warms_up):
            continue
        try:
            task = tasks.make(device, problem, provider)
            task.reserve()
            task.ready()
            task.run()
            task.unbind()
        except (Exception, SystemExit) as error:  # whatever a package raises
            print(f"warming up: {error}")


def _sdpa_choice(device):
    """What torch would take for a common shape: that the environment's attention switch acts
    shows here first."""
    q = torch.empty(1, 8, 128, 128, dtype=torch.bfloat16, device=device.device)
    choice = torch._fused_sdp_choice(q, q, q, None, 0.0, True)
    return SDPA_CHOICES[choice] if 0 <= choice < len(SDPA_CHOICES) else "other"


def _cuda_facts(device):
    return {
        "cuda": torch.version.cuda or "",
        "cudnn": str(torch.backends.cudnn.version() or ""),
        "gpu": torch.cuda.get_device_name(device.device),
    }


def collect(device, provider, switches):
    """A JSON object without floats and nulls."""
    facts = {
        "attention": _sdpa_choice(device),
        "provider": provider.name,
        "python": platform.python_version(),
        "switches": {name: os.environ[name] for name in switches if name in os.environ},
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
    }
    if provider.package():
        facts["package"] = provider.package()
    if provider.stand_in():
        facts["stand_in"] = True
    facts.update(provider.facts())
    if device.on_cuda:
        facts.update(_cuda_facts(device))
    return facts
