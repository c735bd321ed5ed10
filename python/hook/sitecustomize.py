# SPDX-License-Identifier: Apache-2.0
"""Python loads this at its start while `mindxtrain record` runs a command. It makes the recorder wait for torch, and
then loads the sitecustomize that it shadows.
"""

import importlib.machinery
import importlib.util
import os
import sys


def _load_shadowed(here):
    """What a Python without this folder would have loaded."""
    paths = [path for path in sys.path if os.path.realpath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _watch(here):
    """Recording must never keep a Python from starting."""
    try:
        folder = os.path.dirname(here)
        if folder not in (os.path.realpath(path or ".") for path in sys.path):
            sys.path.append(folder)
        from mindxtrain_plan import recorder_hook
        recorder_hook.wait_for_torch()
    except Exception as error:  # pylint: disable=broad-except
        sys.stderr.write(f"mindxtrain record: this Python is not recorded: {error!r}\n")


_HERE = os.path.dirname(os.path.realpath(__file__))
_watch(_HERE)
_load_shadowed(_HERE)
