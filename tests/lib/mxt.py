# SPDX-License-Identifier: Apache-2.0
"""What the integration and fault tests share: running the real program, scratch folders, and the proof that no
process of it is left.

A test module ends with `mxt.main()`; a test class derives from `mxt.TestCase`, which gives every test a scratch folder
(`self.dir`) and fails it when a process that it started, or a descendant of one, is still alive at its end.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

PROGRAM = os.environ.get("MINDXTRAIN", "mindxtrain")
SOURCE_ROOT = pathlib.Path(os.environ.get("MXT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
BUILD_ROOT = pathlib.Path(os.environ.get("MXT_BUILD_ROOT", SOURCE_ROOT / "build"))
FIXTURES = SOURCE_ROOT / "tests" / "fixtures"

# Every process that a test starts carries this variable with a value of the test's own; children inherit it, so
# descendants are found even after they were re-parented or made sessions of their own.
MARK = "MXT_TEST_MARK"


class Result:
    """What one run left: exit status (negative for a signal), bytes decoded, and how to look at them."""

    def __init__(self, args, status, out, err):
        self.args, self.status, self.out, self.err = args, status, out, err

    def json(self):
        return json.loads(self.out)

    def events(self):
        """The objects of --json output, one per line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def __repr__(self):
        return f"{self.args}: status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


def marked_processes(mark):
    """Pids of living processes (zombies are not) whose environment holds the mark; workers whose environment was
    replaced are found through their parents."""
    needle = f"{MARK}={mark}".encode()
    found, parents = set(), {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = pathlib.Path("/proc", entry, "stat").read_text(errors="replace")
            state, ppid = stat[stat.rindex(")") + 2:].split()[:2]
            environ = pathlib.Path("/proc", entry, "environ").read_bytes()
        except OSError:
            continue
        if state in "ZX":
            continue
        parents[int(entry)] = int(ppid)
        if needle in environ.split(b"\0"):
            found.add(int(entry))
    grew = True
    while grew:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return found


def wait_until(condition, limit_s=10.0):
    """Polls until condition() is true; False when the limit is over."""
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def blocks_signal(pid, number):
    """Does the process hold this signal back, to take it when it is ready for it?"""
    status = pathlib.Path("/proc", str(pid), "status").read_text(encoding="utf-8")
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def default_signals():
    """For a child before its exec: a shell that runs the tests in the background has set these to be ignored."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def turn_on_host(args):
    """Runs that measure on the processor of this host wait for one another. Tests that run side by side do so here, and not
    within the budgets of their runs."""
    words = [str(arg) for arg in args]
    device = words[words.index("--device") + 1] if "--device" in words else "auto"
    if words[:1] != ["autotune"] or device not in ("auto", "cpu", "self-test"):
        yield
        return
    with open(pathlib.Path(tempfile.gettempdir()) / "mxt-tests-on-host.lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


class TestCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.mark = uuid.uuid4().hex
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="mxt-test-"))
        self.user_cache = pathlib.Path(f"{self.dir}.cache")
        for folder in self.dir, self.user_cache:
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.addCleanup(self._assert_no_process_left)

    def environment(self, env=None, clean=False):
        """The environment of a run: this one (or only PATH and HOME when clean), plus env; a None value removes."""
        base = {k: v for k, v in os.environ.items() if not clean or k in ("PATH", "HOME")}
        base[MARK] = self.mark
        base["XDG_CACHE_HOME"] = str(self.user_cache)
        for key, value in (env or {}).items():
            if value is None:
                base.pop(key, None)
            else:
                base[key] = str(value)
        return base

    def start(self, *args, env=None, clean=False, program=None, **popen):
        """Starts the program; the caller waits. Output is piped as text unless told otherwise."""
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("cwd", self.dir)
        prepare = popen.pop("preexec_fn", None)
        return subprocess.Popen(
            [str(program or PROGRAM), *map(str, args)], env=self.environment(env, clean), text=True,
            errors="surrogateescape", preexec_fn=lambda: (default_signals(), prepare and prepare()), **popen)

    def run_program(self, *args, status=None, stdin=None, timeout=120, **how):
        """Runs the program to its end; fails when `status` is given and another one comes back."""
        if stdin is not None:
            how["stdin"] = subprocess.PIPE
        with turn_on_host(args):
            process = self.start(*args, **how)
            try:
                out, err = process.communicate(stdin, timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                self.fail(f"still running after {timeout} s: {Result(args, None, out, err)}")
        result = Result(args, process.returncode, out or "", err or "")
        if status is not None and result.status != status:
            self.fail(f"expected status {status}: {result}")
        return result

    def assert_error(self, result, status, error_id, *words):
        """The run failed as documented: exit status, permanent id, and each word somewhere in the message."""
        self.assertEqual(result.status, status, result)
        self.assertIn(f"[{error_id}]", result.err, result)
        for word in words:
            self.assertIn(word, result.err, result)

    def write(self, name, content):
        """A file in the scratch folder; content is text, bytes, or something for json.dumps()."""
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def _assert_no_process_left(self):
        if wait_until(lambda: not marked_processes(self.mark), 5.0):
            return
        left = marked_processes(self.mark)
        names = []
        for pid in left:
            try:
                names.append(f"{pid} {pathlib.Path('/proc', str(pid), 'cmdline').read_bytes()!r}")
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        self.fail(f"processes left behind: {names}")


def needs_root(test):
    """Skips a test that mounts or changes users when the run is not root's."""
    return unittest.skipUnless(os.geteuid() == 0, "needs root")(test)


def main():
    """Runs the tests of the calling module. All skipped: exit status 77, which Meson counts as a skip."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    if result.wasSuccessful() and result.testsRun == len(result.skipped) and result.testsRun > 0:
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
