# SPDX-License-Identifier: Apache-2.0
"""Counts of the calls of steps, and the order of the last one."""

MAX_CALLS = 16384
MAX_ORDER = 32768


class Tally:
    """Adds up one process's calls. A step that is not kept (the first ones) leaves nothing behind."""

    def __init__(self):
        self.index, self.calls = {}, []
        self.steps, self.passes = [], []
        self.missed = {}
        self.order = []
        self._begin()

    def _begin(self):
        self.counts, self.now, self.bytes = {}, [], 0
        self.n_passes, self.in_forward = 0, False

    def add(self, call, in_backward):
        """One product or attention call."""
        i = self.index.get(call.key)
        if i is None:
            if len(self.calls) >= MAX_CALLS:
                self.miss("calls_beyond_limit")
                return
            i = self.index[call.key] = len(self.calls)
            self.calls.append(call.describe())
        self.counts[i] = self.counts.get(i, 0) + 1
        if not in_backward and not self.in_forward:
            self.n_passes += 1
        self.in_forward = not in_backward
        if len(self.now) < MAX_ORDER:
            self.now.append([i, self.bytes])
        else:
            self.miss("order_beyond_limit")
        self.bytes = 0

    def fill(self, n_bytes):
        """Another operator that read and wrote so much."""
        self.bytes += n_bytes

    def miss(self, what, count=1):
        """Something that the recording does not hold."""
        self.missed[what] = self.missed.get(what, 0) + count

    def is_empty(self):
        """True while the step has no product and no attention call."""
        return not self.counts

    def end_step(self):
        """The step is complete and kept."""
        self.steps.append(self.counts)
        self.passes.append(self.n_passes)
        self.order = self.now
        self._begin()

    def document(self):
        """Calls with their counts in each step, and the order of the last one."""
        calls = [dict(call, counts=[step.get(i, 0) for step in self.steps]) for i, call in enumerate(self.calls)]
        return {"calls": calls, "forward_passes": self.passes, "order": self.order,
                "not_seen": [{"what": what, "count": n} for what, n in sorted(self.missed.items())]}
