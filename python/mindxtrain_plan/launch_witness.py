# SPDX-License-Identifier: Apache-2.0
"""Sees what computes attention in the process that it runs in: the operators that torch dispatches for the first calls
of each kind. Then it is out of the way: torch's function is back in its place, and the optimizers have no hook.
"""

import functools
import os
import sys
import threading

import torch

from . import launch_settings
from .recorder_watch import compiled_graphs
from .witness import Operations, sdpa_backend

SCHEMA = "mindxtrain.witness/1"
MAX_CALLS = 512  # of attention that are counted
MAX_STEPS = 3    # after which nothing is counted any more
MAX_KINDS = 16
LOOKS = 2        # at calls of one kind
MAX_NOTES = 8

# Packages that compute attention beside torch's dispatcher: names as src/core/attention_providers.def has them.
PACKAGES = {
    "aiter": ("aiter",),
    "fa2": ("flash_attn",),
    "fa3": ("flash_attn_interface", "flash_attn_3"),
    "flex": ("torch.nn.attention.flex_attention",),
    "varlen": ("torch.nn.attention.varlen",),
    "xformers": ("xformers.ops",),
}

PLAIN = (torch.Tensor, torch.nn.Parameter)


def is_plain(q, k, v):
    """False for tensors that stand for others: traced, batched by vmap, distributed, without data."""
    return (type(q) in PLAIN and type(k) in PLAIN and type(v) in PLAIN and q.dim() == 4 and k.dim() == 4
            and q.device.type != "meta" and torch._C._functorch.maybe_current_level() is None)


def power_of_two(n):
    """The next one: lengths that lie close together are of one kind."""
    return 1 << max(n - 1, 0).bit_length()


def kind_of(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, **_):
    """What makes torch choose: the kind of a call, to be compared."""
    shape = q.shape
    return (shape[0], shape[1], k.shape[1], power_of_two(shape[2]), power_of_two(k.shape[2]), shape[3], q.dtype,
            attn_mask is not None, dropout_p > 0, bool(is_causal),
            torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad))


def rank():
    """(of the job, of the node)."""
    number, local = (os.environ.get(name, "0") for name in ("RANK", "LOCAL_RANK"))
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        number = str(distributed.get_rank())
    return tuple(int(text) if text.isdigit() else 0 for text in (number, local))


class Kind:
    """Calls that torch treats alike."""

    def __init__(self, q, k, key):
        self.calls, self.looked, self.backend = 0, 0, None
        batch, heads, kv_heads, _, _, head_dim, dtype, mask, dropout, causal, grad = key
        self.shape = {"batch": batch, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim,
                      "queries": q.shape[2], "keys": k.shape[2], "dtype": str(dtype).replace("torch.", "")}
        self.flags = {"mask": mask, "dropout": dropout, "causal": causal, "grad": grad}

    def document(self):
        """The object of the file; what is not so is left out."""
        flags = {name: True for name, value in self.flags.items() if value}
        return dict(self.shape, calls=self.calls, backend=self.backend or "unknown", **flags)


class Witness:
    """One process. Nothing of it raises into the training."""

    def __init__(self, request):
        self.request, self.pid = request, os.getpid()
        self.kinds, self.calls, self.unread, self.steps = {}, 0, 0, 0
        self.notes, self.applied, self.order_due = [], [], False
        self.lock, self.writing, self.done = threading.Lock(), threading.Lock(), False
        self.replaced, self.handle, self.visit = None, None, None
        self.written = None

    # ---- the start ----

    def start(self):
        """torch has just been imported."""
        self._set()
        if not (self.request.watches() or self.order_due):
            return
        self._replace()
        if self.request.watches():
            import atexit
            from torch.optim import optimizer
            self.handle = optimizer.register_optimizer_step_post_hook(self._guarded_step)
            atexit.register(self._at_exit)

    def _set(self):
        for wanted, make in ((self.request.sdpa, lambda: launch_settings.set_sdpa(self.request.sdpa)),
                             (self.request.deterministic, launch_settings.set_deterministic)):
            try:
                self.applied += make() if wanted else []
            except Exception as error:  # pylint: disable=broad-except
                self._note(f"not set: {error!r}")
        self.order_due = launch_settings.needs_order(self.request.sdpa)

    def set_again(self):
        """The plugin's part: something may have come between."""
        self.applied = []
        self._set()

    def _note(self, text):
        if len(self.notes) < MAX_NOTES and text not in self.notes:
            self.notes.append(text)

    def _unread(self, why):
        """A call of which nothing is known."""
        self.unread += 1
        self._note(why)

    # ---- calls ----

    def _replace(self):
        """Puts a function around torch's own one. Compilers that trace see through it to the original."""
        functional = torch.nn.functional
        original = functional.scaled_dot_product_attention
        is_compiling, witness = torch.compiler.is_compiling, self

        @functools.wraps(original)
        def scaled_dot_product_attention(*args, **kwargs):
            if is_compiling() or witness.done:
                return original(*args, **kwargs)
            return witness.call(original, args, kwargs)

        from torch.jit import _builtins
        _builtins._register_builtin(scaled_dot_product_attention, "aten::scaled_dot_product_attention")
        self.replaced = (original, scaled_dot_product_attention)
        functional.scaled_dot_product_attention = scaled_dot_product_attention

    def call(self, original, args, kwargs):
        """One call of attention."""
        kind = self._kind_to_look_at(args, kwargs)
        if kind is None:
            return original(*args, **kwargs)
        try:
            with Operations() as operations:
                result = original(*args, **kwargs)
        except Exception as error:  # pylint: disable=broad-except
            kind.looked = LOOKS
            kind.calls -= 1  # unless it works now: the same call once more, as if nobody had looked
            result = original(*args, **kwargs)
            self._unread(f"a call failed while it was looked at: {error!r}")
            return result
        self._saw(kind, operations.names)
        return result

    def _kind_to_look_at(self, args, kwargs):
        """None for a call that is of no interest, or only counted."""
        if not self.lock.acquire(blocking=False):
            return None
        try:
            kind = self._count(*args, **kwargs) if os.getpid() == self.pid else self._stop()
            return kind if kind is not None and kind.looked < LOOKS else None
        except Exception as error:  # pylint: disable=broad-except
            self._unread(f"a call could not be read: {error!r}")
            return None
        finally:
            self.lock.release()

    def _count(self, query, key, value, *args, **kwargs):
        if not is_plain(query, key, value):
            self._unread("calls on tensors of another kind were not looked at")
            return None
        if self.order_due:
            self._set_order((query, key, value, *args), kwargs)
        form = kind_of(query, key, value, *args, **kwargs)
        kind = self.kinds.get(form)
        if kind is None and len(self.kinds) < MAX_KINDS:
            kind = self.kinds[form] = Kind(query, key, form)
        if kind is not None:
            kind.calls += 1
        self.calls += 1
        if self.calls >= MAX_CALLS:
            self._end_of_calls()
        return kind

    def _set_order(self, args, kwargs):
        self.order_due = False
        try:
            self.applied += launch_settings.set_order(self.request.sdpa, args, kwargs)
        except Exception as error:  # pylint: disable=broad-except
            self._note(f"not set: {error!r}")

    def _saw(self, kind, names):
        try:
            kind.looked += 1
            backend = sdpa_backend(names)
            if backend == "flash":
                backend = launch_settings.rocm_flash() or backend
            if kind.backend is None:
                kind.backend = backend
                self.write()
            elif kind.backend != backend:
                self._note(f"calls of one kind were computed by {kind.backend} and by {backend}")
        except Exception as error:  # pylint: disable=broad-except
            self._note(f"a call could not be read: {error!r}")

    def _end_of_calls(self):
        """torch's function goes back in its place, unless somebody replaced ours, or compiled code that holds it would
        have to be compiled again."""
        self.done = True
        original, ours = self.replaced
        if torch.nn.functional.scaled_dot_product_attention is ours and not compiled_graphs():
            torch.nn.functional.scaled_dot_product_attention = original

    def _stop(self):
        """In a child that was forked: not ours to watch."""
        self.done = True

    # ---- steps ----

    def _guarded_step(self, *args):
        try:
            if os.getpid() == self.pid and not self._in_backward():
                self._step(*args)
        except Exception as error:  # pylint: disable=broad-except
            self._note(f"a step could not be watched: {error!r}")
            self._leave()

    @staticmethod
    def _in_backward():
        return torch._C._current_graph_task_id() != -1

    def _step(self, *args):
        self.steps += 1
        if self.request.steps > 0 and rank()[1] == 0:
            if self.visit is None:
                from .launch_recording import Visit
                self.visit = Visit(self.request.folder, self.request.steps)
            self.visit.on_step(*args)
        recording = self.visit is not None and not self.visit.ended
        if self.steps == 1 or (self.steps >= MAX_STEPS and not recording):
            self.write()
        if self.steps >= MAX_STEPS and not recording:
            self._leave()

    def _leave(self):
        """Nothing of us is called any more."""
        if self.visit is not None and not self.visit.ended:
            self.visit.stop()
        if not self.done:
            self._end_of_calls()
        if self.handle is not None:
            self.handle.remove()
            self.handle = None
        self.write()

    def _at_exit(self):
        if os.getpid() == self.pid and (self.steps or self.calls):
            self.write()

    # ---- the file ----

    def document(self):
        """What was seen so far."""
        number, local = rank()
        document = {
            "schema": SCHEMA, "rank": number, "local_rank": local, "pid": self.pid, "torch": str(torch.__version__),
            "steps": self.steps, "calls": self.calls, "unread": self.unread,
            "kinds": [kind.document() for kind in self.kinds.values() if kind.calls > 0],
            "settings": launch_settings.snapshot(), "applied": self.applied, "imported": imported(),
            "compiled": compiled_graphs(), "notes": [clean(note) for note in self.notes],
        }
        if self.visit is not None and self.visit.why:
            document["not_recorded"] = clean(self.visit.why)
        pins = pinned()
        if pins is not None:
            document["pins"] = pins
        return document

    def write(self):
        """Replaces this process's file. Without a folder (the run is over) nothing is written."""
        if not self.request.watches():
            return
        with self.writing:
            document = self.document()
            if document == self.written:
                return
            self.written = document
            try:
                put(self.request.folder, f"witness-{self.pid}.json", document)
            except OSError as error:
                sys.stderr.write(f"mindxtrain: what process {self.pid} saw cannot be written: {error}\n")


def put(folder, name, document):
    """A file in one piece."""
    import json
    path = os.path.join(folder, name)
    with open(path + ".new", "w", encoding="ascii") as file:
        json.dump(document, file, separators=(",", ":"), sort_keys=True)
    os.replace(path + ".new", path)


def clean(text):
    """A line of ASCII, not too long."""
    return "".join(c if " " <= c <= "~" else " " for c in text)[:300]


def imported():
    """Which packages that compute attention are in this process."""
    return sorted(name for name, modules in PACKAGES.items() if any(module in sys.modules for module in modules))


def pinned():
    """Rows of TunableOp that torch took from the plan's file; None: TunableOp is off, or was not asked yet."""
    if os.environ.get("PYTORCH_TUNABLEOP_ENABLED") != "1" or not torch.cuda.is_initialized():
        return None
    tunable = torch.cuda.tunable
    return {"enabled": tunable.is_enabled(), "tuning": tunable.tuning_is_enabled(), "rows": len(tunable.get_results())}
