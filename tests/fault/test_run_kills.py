#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain run` of trees of processes that are ended in a random way at a random moment: nobody is left, no file is
torn, and what is in the log is what was written, as far as it goes. MXT_KILLS: how often (1000 before a release)."""

import json
import os
import random
import re
import signal
import subprocess

import launched
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


class Kills(launched.TestCase):
    def victim(self, process, rng):
        """Whom it hits: mostly us; the guardian and the command where they are there already."""
        who = rng.choice(("supervisor", "supervisor", "guardian", "command"))
        below = supervised.children(process.pid)
        if who == "supervisor" or not below:
            return process.pid
        grandchildren = supervised.children(below[0]) if who == "command" else []
        return rng.choice(grandchildren) if grandchildren else below[0]

    def hit(self, process, rng):
        number = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        try:
            os.kill(self.victim(process, rng), number)
        except ProcessLookupError:
            pass
        process.send_signal(signal.SIGTERM)  # whoever was not hit

    def assert_log_whole(self, log):
        """Lines in their order; only the last may be cut off. The shell may say how its own children ended."""
        log = re.sub(rb"^(Terminated|Killed)\n", b"", log, flags=re.MULTILINE)
        self.assertRegex(log, rb"\A(line \d+\n)*(l|li|lin|line|line |line \d+)?\Z")
        numbers = [int(number) for number in re.findall(rb"line (\d+)\n", log)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))

    def assert_folder_whole(self, folder, status):
        """Every file is there as a whole or not at all."""
        for path in folder.glob("*.json"):
            content = json.loads(path.read_bytes())
            if path.name == "status.json" and status >= 0:
                self.assertEqual(content["exit_status"], status)
                self.assertIn(content["state"], ("ended", "refused"))
        log = folder / "train.log"
        self.assert_log_whole(log.read_bytes() if log.exists() else b"")

    def once(self, out, rng):
        ranks = "".join(rng.choice(RANKS) for _ in range(rng.randrange(4)))
        process = self.start("run", "--plan", self.simulated_plan(), "--allow-simulated", "--grace", 0, "--out", out,
                             "--", "sh", "-c", rng.choice(LAUNCHERS).format(ranks=ranks), env=launched.SIMULATED,
                             stdout=subprocess.DEVNULL)
        try:
            process.wait(timeout=rng.random() ** 3 * 0.2)
        except subprocess.TimeoutExpired:
            self.hit(process, rng)
        process.communicate(timeout=supervised.LIMIT_S)
        self.assertTrue(mxt.wait_until(lambda: not mxt.marked_processes(self.mark), 10.0), "a process is left")
        folders = self.folders(out)
        for folder in folders:
            self.assert_folder_whole(folder, process.returncode)
        return any((folder / "train.log").exists() for folder in folders)

    def test_random_kills_leave_nothing(self):
        rng = random.Random(20261130)
        started = 0
        for i in range(KILLS):
            with self.subTest(i):
                started += self.once(f"runs-{i}", rng)
        self.assertGreater(started, KILLS // 4)  # most come so far: else little was tried


if __name__ == "__main__":
    mxt.main()
