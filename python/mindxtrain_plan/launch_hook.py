# SPDX-License-Identifier: Apache-2.0
"""Waits until somebody imports torch, in every Python that `mindxtrain train` and `mindxtrain run` start. Then it makes
what the plan needs beside its environment (launch_settings.py), and witnesses what computes attention
(launch_witness.py). Imports nothing but the standard library; whatever goes wrong here is told and costs the training
nothing.
"""

import os
import sys

from .recorder_hook import when_imported

# Set by src/launch/hook_environment.c.
FOLDER, STEPS = "MXT_LAUNCH_DIR", "MXT_LAUNCH_STEPS"
SDPA, DETERMINISTIC = "MXT_LAUNCH_SDPA", "MXT_LAUNCH_DETERMINISTIC"


class Request:
    """What this process was asked for."""

    def __init__(self, environment):
        steps = environment.get(STEPS, "")
        self.folder = environment.get(FOLDER) or ""
        self.steps = int(steps) if steps.isdigit() else 0
        self.sdpa = environment.get(SDPA) or ""
        self.deterministic = environment.get(DETERMINISTIC) == "1"

    def watches(self):
        """False once the run is over: what it left in the background keeps the variables."""
        return bool(self.folder) and os.path.isdir(self.folder)

    def changes(self):
        """True where something has to be set."""
        return bool(self.sdpa or self.deterministic)


def attach(torch):
    """torch is complete: sets and watches, once in a process."""
    if getattr(torch, "_mindxtrain_launch", None) is not None:
        return
    request = Request(os.environ)
    try:
        from .launch_witness import Witness
        torch._mindxtrain_launch = Witness(request)
        torch._mindxtrain_launch.start()
    except Exception as error:  # pylint: disable=broad-except
        sys.stderr.write(f"mindxtrain: nothing is watched in process {os.getpid()}: {error!r}\n")


def wait_for_torch():
    """Attaches now, or when torch is imported."""
    request = Request(os.environ)
    if request.watches() or request.changes():
        when_imported("torch", attach)


def attach_now():
    """For whoever runs later than the start of Python: the settings are made again."""
    import torch
    attach(torch)
    witness = getattr(torch, "_mindxtrain_launch", None)
    if witness is not None:
        witness.set_again()
