# SPDX-License-Identifier: Apache-2.0
"""A command under a guardian, through the small program that supervises and does nothing else, and what is left of it
afterwards: nothing."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import mxt

DRIVER = os.environ.get("MXT_SUPERVISE_DRIVER", str(mxt.BUILD_ROOT / "tests" / "fault" / "supervise_driver"))
LIMIT_S = 60
HAS_SANITIZER = "none" != os.environ.get("MXT_SANITIZE", "none")

# A rank in a session of its own, as elastic launchers start theirs; it says its number once it is there.
RANK = "setsid sh -c 'echo rank $$; {}' & "


def fields(pid):
    """/proc/PID/status as a dict; empty when there is no such process."""
    try:
        lines = pathlib.Path("/proc", str(pid), "status").read_text(errors="replace").splitlines()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def state(pid):
    return fields(pid).get("State", "gone")[0]


def children(pid):
    """All of them, zombies too."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and fields(entry).get("PPid") == str(pid):
            found.append(int(entry))
    return found


class Run:
    """One command at work. `out` and `err` are read at the end, unless the test reads them itself."""

    def __init__(self, test, command, log=True, grace=1, flags="-", **popen):
        self.test, self.result_path = test, test.dir / "result.json"
        self.log_path = test.dir / "train.log" if log is True else log
        argv = [self.result_path, self.log_path or "-", grace, flags or "-", *command]
        self.process = test.start(*argv, program=DRIVER, **popen)
        test.addCleanup(self.stop)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdout, self.process.stderr, self.process.stdin):
            if stream:
                stream.close()
        self.process.wait(LIMIT_S)

    @property
    def pid(self):
        return self.process.pid

    def guardian(self):
        """Its pid, once it is there."""
        found = []

        def look():
            found[:] = [child for child in children(self.pid) if fields(child).get("Name") == "mxt-guardian"]
            return found

        self.test.assertTrue(mxt.wait_until(look), "no guardian")
        return found[0]

    def command(self):
        guardian = self.guardian()
        self.test.assertTrue(mxt.wait_until(lambda: children(guardian)), "no command")
        return min(children(guardian))

    def read_line(self):
        return self.process.stdout.readline()

    def await_lines(self, n):
        """So many lines of its output: it has come so far."""
        return [self.read_line() for _ in range(n)]

    def send(self, *signals, pause_s=0.15):
        """To the supervisor alone; a pause between them, so that they are not taken for one."""
        for i, number in enumerate(signals):
            if i:
                time.sleep(pause_s)
            self.process.send_signal(number)

    def end(self, status=None):
        """Waits; what it said of the run, with status, out and err added."""
        out, err = self.process.communicate(timeout=LIMIT_S)
        result = json.loads(self.result_path.read_text()) if self.result_path.exists() else {}
        result.update(status=self.process.returncode, out=out or "", err=err or "")
        if status is not None:
            self.test.assertEqual(result["status"], status, result)
        return result

    def log(self):
        return pathlib.Path(self.log_path).read_bytes()


class TestCase(mxt.TestCase):
    def supervise(self, command, **how):
        """`command`: a list, or text for a shell."""
        return Run(self, ["sh", "-c", command] if isinstance(command, str) else command, **how)

    def python(self, program, **how):
        return Run(self, [sys.executable, "-c", program], **how)

    def outcome(self, command, status=None, **how):
        return self.supervise(command, **how).end(status)
