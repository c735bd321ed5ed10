# SPDX-License-Identifier: Apache-2.0
"""Records some optimizer steps of the process that it runs in, then ends it.

The first step is not kept: libraries are set up in it, and compilers at work. It is also why nothing is looked at
before its end, and so nothing at all in processes that never step: launchers, data loaders.
"""

import json
import os
import sys
import threading

import torch

from . import recorder_watch
from .recorder_hook import touch
from .recorder_mode import Recorder, in_backward

SCHEMA = "mindxtrain.recording/1"


def write_file(folder, name, document):
    """Replaces a file, or leaves it as it was."""
    path = os.path.join(folder, name)
    temporary = path + ".new"
    with open(temporary, "w", encoding="ascii") as file:
        json.dump(document, file, separators=(",", ":"), sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def rank():
    """This process's place among those of the job."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank()
    text = os.environ.get("RANK", "0")
    return int(text) if text.isdigit() else 0


class Session:
    """The steps of this process."""

    def __init__(self, folder, wanted):
        self.folder, self.wanted = folder, wanted
        self.pid, self.recorder, self.done = os.getpid(), None, False

    def on_step(self, *_):
        """An optimizer has stepped."""
        if os.getpid() != self.pid or self.done or in_backward():
            return
        if self.recorder is None:
            if not self._start():
                return
        elif not self.recorder.tally.is_empty():  # several optimizers may step one after the other
            self.recorder.end_step()
        else:
            return
        kept = len(self.recorder.tally.steps)
        self._tell(kept)
        if kept == self.wanted:
            self._finish()

    def _start(self):
        """True once the recorder is at work."""
        self.recorder = Recorder()
        recorder_watch.watch_old_flash_attn(self.recorder)
        recorder_watch.watch_cuda_graphs(self.recorder)
        os.register_at_fork(after_in_child=self._leave)
        self.recorder.__enter__()
        return True

    def _leave(self):
        self.done = True
        self.recorder.active = False

    def _tell(self, kept):
        """How far it came, for when the command ends early. Not worth a failure."""
        try:
            write_file(self.folder, f"state-{self.pid}.json", {"steps": kept + 1})
        except OSError:
            pass

    def _finish(self):
        recorder_watch.count_compiled(self.recorder)
        self._leave()
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            torch.cuda.synchronize()  # other ranks may wait for what this one still computes
        try:
            self._write_part()
        except OSError as error:
            if not os.path.isdir(self.folder):
                sys.stderr.write("mindxtrain record: it has ended before this process was recorded; the training goes on\n")
                return
            touch(self.folder, "unwritten")  # an empty file may still find room
            sys.stderr.write(f"mindxtrain record: the recording cannot be written: {error}\n")
            raise SystemExit(1) from error
        if threading.current_thread() is not threading.main_thread():
            sys.stderr.write("mindxtrain record: the optimizer runs in a thread; waiting for the command to be ended\n")
        raise SystemExit(0)

    def _write_part(self):
        write_file(self.folder, f"part-{rank():05d}-{self.pid}.json", self._document())

    def _document(self):
        document = self.recorder.tally.document()
        document.update(schema=SCHEMA, torch=str(torch.__version__), device=self.recorder.device or "unknown", ranks=1,
                        steps=self.wanted)
        return document
