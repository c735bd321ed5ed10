# SPDX-License-Identifier: Apache-2.0
"""The recorder as a guest: it counts some steps of a training that goes on afterwards, and leaves nothing behind."""

import torch
from torch.utils import _python_dispatch

from . import recorder_watch
from .recorder import Session
from .recorder_mode import Recorder


class QuietRecorder(Recorder):
    """Stops at the first thing that it cannot look at."""

    failure = None

    def _look(self, func, args, kwargs, result):
        try:
            super()._look(func, args, kwargs, result)
        except Exception as error:  # pylint: disable=broad-except
            self.failure, self.active = f"the recorder failed: {error!r}", False


def obstacle():
    """Why this process is not recorded; None: it can be."""
    if torch._C._len_torch_dispatch_stack() > 0:
        return "another dispatch mode is at work between its steps"
    if recorder_watch.compiled_graphs():
        return "it is compiled: products in generated kernels are not seen"
    return None


class Visit(Session):
    """Begins at the end of the first step, as Session does. `ended`: nothing more will come; `why`: without a part."""

    def __init__(self, folder, wanted):
        super().__init__(folder, wanted)
        self.ended, self.why = False, None

    def _start(self):
        self.why = obstacle()
        self.ended = self.done = self.why is not None
        if self.ended:
            return False
        self.recorder = QuietRecorder()
        recorder_watch.watch_old_flash_attn(self.recorder)
        recorder_watch.watch_cuda_graphs(self.recorder)
        self.recorder.__enter__()
        return True

    def _tell(self, kept):
        pass

    def _finish(self):
        self.stop()
        if self.why is not None:
            return
        recorder_watch.count_compiled(self.recorder)
        try:
            self._write_part()
        except OSError as error:
            self.why = f"its recording cannot be written: {error}"

    def stop(self):
        """Takes the recorder away. Where another mode came on top of it since, it stays, blind."""
        self.ended = self.done = True
        if self.recorder is None:
            return
        self.why = self.recorder.failure
        self.recorder.active = False
        recorder_watch.restore(self.recorder)
        if _python_dispatch._get_current_dispatch_mode() is self.recorder:
            self.recorder.__exit__(None, None, None)
        else:
            self.why = self.why or "another dispatch mode came on top of the recorder, which stays"
