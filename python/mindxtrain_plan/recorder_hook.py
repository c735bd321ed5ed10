# SPDX-License-Identifier: Apache-2.0
"""Waits until somebody imports torch, then for its optimizers to step. Imports nothing but the standard library, and
is loaded in every Python that the recorded command starts.
"""

import importlib.abc
import importlib.util
import os
import sys

FOLDER, STEPS = "MXT_RECORD_DIR", "MXT_RECORD_STEPS"
AWAITED = "torch.optim.optimizer"


def wanted():
    """(folder, steps) of `mindxtrain record`; None when this process does not run under it, or not any more: what is
    queued or left in the background keeps the variables, and must not be stopped.
    """
    folder, steps = os.environ.get(FOLDER), os.environ.get(STEPS, "")
    wanted_steps = int(steps) if steps.isdigit() else 0
    return (folder, wanted_steps) if folder and wanted_steps > 0 and os.path.isdir(folder) else None


def touch(folder, name):
    """Leaves an empty file; not worth a failure."""
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError:
        pass


class Steps:
    """The hook of all optimizers: the recorder is made at the first step, not before."""

    def __init__(self, folder, steps):
        self.folder, self.steps, self.session = folder, steps, None

    def __call__(self, *args):
        if self.session is None:
            from .recorder import Session
            self.session = Session(self.folder, self.steps)
        self.session.on_step(*args)


def attach(module):
    """Hooks the steps of all optimizers; once in a process."""
    request = wanted()
    if request is None or getattr(module, "_mindxtrain_steps", None):
        return
    touch(request[0], "torch")
    if not hasattr(module, "register_optimizer_step_post_hook"):
        touch(request[0], "torch-too-old")
        return
    module._mindxtrain_steps = Steps(*request)
    module.register_optimizer_step_post_hook(module._mindxtrain_steps)


class Loader(importlib.abc.Loader):
    """The module's own loader, and then the finder's `done`; the module keeps its own one."""

    def __init__(self, loader, finder):
        self.loader, self.finder = loader, finder

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.finder.done(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, as the finders behind it do, and gives it the loader above. It stays until the module has been
    loaded: transformers and others first ask for its spec, only to know whether it is there.
    """

    def __init__(self, awaited, then):
        self.awaited, self.then = awaited, then

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.awaited:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(fullname, path, target) if find else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = Loader(spec.loader, self)
                return spec
        return None

    def done(self, module):
        """The module is there."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self.then(module)


def when_imported(name, then):
    """Calls `then` with a module: now, or when somebody imports it."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, Finder(name, then))


def wait_for_torch():
    """Attaches now, or when torch is imported."""
    if wanted() is not None:
        when_imported(AWAITED, attach)
