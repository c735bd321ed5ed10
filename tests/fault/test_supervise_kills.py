#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trees of processes that are ended in a random way at a random moment: nobody is left, and what is in the log is what
was written, as far as it goes. MXT_KILLS: how often (1000 before a release)."""

import os
import random
import re
import signal
import subprocess

import mxt
import supervised

KILLS = int(os.environ.get("MXT_KILLS", "60"))
LAUNCHERS = (
    "{ranks} i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i; done; wait",
    "trap 'exit 3' TERM INT; {ranks} i=0; while :; do i=$((i+1)); echo line $i; done",
    "{ranks} (setsid sh -c 'exec sleep 100' &); echo line 1; exit 0",
)
RANKS = (
    "setsid sh -c 'exec sleep 100' & ",
    "setsid sh -c 'trap \"\" TERM; while :; do sleep 0.2; done' & ",
    "(setsid sh -c '(sleep 100 &) ; sleep 0.01' &) ; ",
)


class Kills(supervised.TestCase):
    def victim(self, run, rng):
        """Whom it hits: mostly us; the guardian and the command where they are there already."""
        who = rng.choice(("supervisor", "supervisor", "guardian", "command"))
        below = supervised.children(run.pid)
        if who == "supervisor" or not below:
            return run.pid
        grandchildren = supervised.children(below[0]) if who == "command" else []
        return rng.choice(grandchildren) if grandchildren else below[0]

    def assert_whole(self, log):
        """Lines in their order; only the last may be cut off."""
        self.assertRegex(log, rb"\A(line \d+\n)*(l|li|lin|line|line |line \d+)?\Z")
        numbers = [int(number) for number in re.findall(rb"line (\d+)\n", log)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))

    def test_random_kills_leave_nothing(self):
        rng = random.Random(20261130)
        for i in range(KILLS):
            ranks = "".join(rng.choice(RANKS) for _ in range(rng.randrange(4)))
            with self.subTest(i):
                (self.dir / "train.log").unlink(missing_ok=True)
                run = self.supervise(rng.choice(LAUNCHERS).format(ranks=ranks), stdout=subprocess.DEVNULL, grace=0)
                try:
                    run.process.wait(timeout=rng.random() ** 3 * 0.2)
                except subprocess.TimeoutExpired:
                    number = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
                    try:
                        os.kill(self.victim(run, rng), number)
                    except ProcessLookupError:
                        pass
                    run.send(signal.SIGTERM)  # whoever was not hit
                run.process.communicate(timeout=supervised.LIMIT_S)
                left = mxt.wait_until(lambda: not mxt.marked_processes(self.mark), 10.0)
                self.assertTrue(left, "a process is left")
                self.assert_whole(run.log() if os.path.exists(run.log_path) else b"")
                run.stop()


if __name__ == "__main__":
    mxt.main()
