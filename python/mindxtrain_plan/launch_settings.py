# SPDX-License-Identifier: Apache-2.0
"""What no environment variable makes torch do, and a plan may need: another attention kernel than torch would take, and
deterministic algorithms. Each is torch's own switch, which the job can turn back.
"""

import torch

# Switches of torch.backends.cuda that are turned off, so that a kernel is what torch takes first. Behind it stays what
# torch would take for calls that this kernel refuses; only math takes all of them.
SWITCHED_OFF = {
    "flash": ("cudnn",),
    "efficient": ("cudnn", "flash"),
    "math": ("cudnn", "flash", "mem_efficient"),
    "cudnn": (),
    "ck": (),
    "aotriton": (),
}

# torch.backends.cuda.preferred_rocm_fa_library(): whose flash attention it is on AMD's GPUs.
ROCM_LIBRARIES = {"ck": "ck", "aotriton": "aotriton"}

# torch tries math before cuDNN unless cuDNN is in front: there it needs an order, by the numbers of torch._C._SDPBackend.
ORDERED = {"cudnn": ("CUDNN_ATTENTION", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH")}


def set_sdpa(backend):
    """Turns the switches; what they are, as words. Raises for a backend that no switch leads to."""
    for name in SWITCHED_OFF[backend]:
        getattr(torch.backends.cuda, f"enable_{name}_sdp")(False)
    done = [f"{name} off" for name in SWITCHED_OFF[backend]]
    if backend in ROCM_LIBRARIES:
        torch.backends.cuda.preferred_rocm_fa_library(ROCM_LIBRARIES[backend])
        done.append(f"flash attention by {backend}")
    return done


def needs_order(backend):
    """True where set_order() has to follow at the first call."""
    return backend in ORDERED


def set_order(backend, args, kwargs):
    """The order in which kernels are tried. torch sets its own one when it chooses for the first time, so it is made to
    choose once for the call that is about to come.
    """
    from torch.nn.attention import SDPBackend
    torch._fused_sdp_choice(*args, **kwargs)
    order = [int(getattr(SDPBackend, name)) for name in ORDERED[backend]]
    rest = [int(number) for number in torch._C._get_sdp_priority_order() if int(number) not in order]
    torch._C._set_sdp_priority_order(order + rest)
    return [f"{backend} first"]


def set_deterministic():
    """As the job of a plan with --deterministic has to run."""
    torch.use_deterministic_algorithms(True)
    return ["deterministic algorithms"]


def _ask(question):
    try:
        return question()
    except Exception:  # pylint: disable=broad-except
        return None


def snapshot():
    """What is in force: {name: word}; what this torch cannot tell is left out."""
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    asked = {
        "flash": lambda: cuda.flash_sdp_enabled(),
        "efficient": lambda: cuda.mem_efficient_sdp_enabled(),
        "math": lambda: cuda.math_sdp_enabled(),
        "cudnn": lambda: cuda.cudnn_sdp_enabled(),
        "cudnn_benchmark": lambda: cudnn.benchmark,
        "deterministic": torch.are_deterministic_algorithms_enabled,
    }
    answers = {name: _ask(question) for name, question in asked.items()}
    return {name: "on" if answer else "off" for name, answer in answers.items() if answer is not None}


def rocm_flash():
    """"ck" or "aotriton" on AMD's GPUs, else ""."""
    if not getattr(torch.version, "hip", None):
        return ""
    library = str(_ask(lambda: torch.backends.cuda.preferred_rocm_fa_library())).lower()
    return "ck" if library.endswith("ck") else "aotriton"
