# SPDX-License-Identifier: Apache-2.0
"""Python loads this at its start while `mindxtrain record`, `run` or `train` runs a command. It makes the recorder, or
the witness of a run, wait for torch, and then loads the sitecustomize that it shadows.
"""

import importlib
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


# Module that waits, by the variable that asks for it.
_HOOKS = {"MXT_RECORD_DIR": "recorder_hook", "MXT_LAUNCH_DIR": "launch_hook"}


def _watch(here):
    """What watches must never keep a Python from starting."""
    wanted = [name for variable, name in _HOOKS.items() if os.environ.get(variable)]
    try:
        folder = os.path.dirname(here)
        if folder not in (os.path.realpath(path or ".") for path in sys.path):
            sys.path.append(folder)
        for name in wanted:
            importlib.import_module("mindxtrain_plan." + name).wait_for_torch()
    except Exception as error:  # pylint: disable=broad-except
        sys.stderr.write(f"mindxtrain: this Python is not watched: {error!r}\n")


_HERE = os.path.dirname(os.path.realpath(__file__))
_watch(_HERE)
_load_shadowed(_HERE)
