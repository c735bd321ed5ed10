# SPDX-License-Identifier: Apache-2.0
"""How a sequence is timed: as src/worker/measure.c does it."""

import statistics

LAUNCH_NS = 1000000  # a launch spans at least this
MAX_REPEATS = 1 << 20
MAX_SAMPLES = 4096


def agree(one, other):
    return abs(one - other) <= 0.05 * max(one, other)


class Launches:
    """Launches of one sequence, each of so many runs that it is long enough. `launch(repeats)`
    returns ns."""

    def __init__(self, launch):
        self.launch = launch
        self.repeats = 1
        self.total_ns = 0
        self.run_ns = 0.0

    def once(self):
        self.total_ns = self.launch(self.repeats)
        self.run_ns = self.total_ns / self.repeats

    def lengthen(self):
        """Raises the repeats so that the next launch is long enough, judged by the last; True:
        that was too short."""
        if self.total_ns >= LAUNCH_NS or self.repeats == MAX_REPEATS:
            return False
        wanted = int(1.1 * LAUNCH_NS / self.run_ns + 1) if self.run_ns > 0 else MAX_REPEATS
        self.repeats = max(min(wanted, MAX_REPEATS), self.repeats + 1)
        return True

    def warm_up(self, max_warm_ns):
        """Untimed launches until two in a row agree within 5 %, or so much time is spent."""
        before, spent = None, 0
        while True:
            self.once()
            spent += self.total_ns
            settled = before is not None and agree(before, self.run_ns)
            too_short = self.lengthen()
            if spent >= max_warm_ns or (settled and not too_short):
                return
            before = self.run_ns

    def samples(self, target_ns):
        """Times of one run, from launches that were long enough; at least one."""
        taken, spent = [], 0
        while True:
            self.once()
            if not self.lengthen():
                taken.append(self.run_ns)
                spent += self.total_ns
            if taken and (spent >= target_ns or len(taken) == MAX_SAMPLES):
                return taken


def measure(launch, max_warm_ns, target_ns):
    """(ns of one run, samples, repeats of a launch)."""
    launches = Launches(launch)
    if max_warm_ns:
        launches.warm_up(max_warm_ns)
    taken = launches.samples(target_ns)
    ns = statistics.median(taken)
    if ns < 0.5:
        raise RuntimeError(f"the device reports a time of 0 ns for {launches.repeats} runs")
    return int(ns + 0.5), len(taken), launches.repeats
