#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals to a supervised command: from people, from terminals, from whoever manages jobs. Each reaches the command
once; what stops us is our status; a job that is held is held whole."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import sys
import time
import unittest

import mxt
import supervised
from supervised import RANK


def state(pid):
    """The letter of a process, "" for one that is gone."""
    try:
        text = pathlib.Path("/proc", str(pid), "stat").read_text(errors="replace")
    except OSError:
        return ""
    return text[text.rindex(")") + 2]


# Says each signal that it gets; those named on its command line end it with status 0.
LISTENER = """
import os, signal, sys
def take(number, frame):
    os.write(1, b"got %d\\n" % number)
    if str(int(number)) in sys.argv:
        os._exit(0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, take)
os.write(1, b"up %d\\n" % os.getpid())
while True:
    signal.pause()
"""


class Forwarding(supervised.TestCase):
    def listener(self, *ends, **how):
        run = self.supervise([sys.executable, "-c", LISTENER, *(str(int(number)) for number in ends)], **how)
        return run, int(run.read_line().split()[1])

    def test_each_is_forwarded_and_is_the_status(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number):
                run, _ = self.listener(number)  # the command itself says that all is well
                run.send(number)
                result = run.end(128 + number)
                self.assertEqual((result["out"], result["signal"], result["wait_status"]), (f"got {number}\n", number, 0))

    def test_others_are_forwarded_and_stop_nothing(self):
        run, pid = self.listener()
        run.send(signal.SIGUSR1, signal.SIGUSR2)
        self.assertEqual(run.await_lines(2), [f"got {signal.SIGUSR1}\n", f"got {signal.SIGUSR2}\n"])
        os.kill(pid, signal.SIGKILL)
        self.assertEqual(run.end(128 + signal.SIGKILL)["signal"], 0)

    def test_a_manager_of_jobs_signals_everybody(self):
        for _ in range(20):
            run, pid = self.listener(grace=60)
            targets = (run.pid, run.guardian(), pid, run.pid)
            start = time.monotonic()
            for target in targets:
                os.kill(target, signal.SIGTERM)
            if time.monotonic() - start < 0.01:
                break
            os.kill(pid, signal.SIGKILL)  # we were held up: these are signals apart from each other
            run.end()
        else:
            self.skipTest("this host is too busy to signal everybody at once")
        self.assertEqual(run.read_line(), f"got {signal.SIGTERM}\n")
        run.send(signal.SIGUSR1)
        self.assertEqual(run.read_line(), f"got {signal.SIGUSR1}\n")  # and no second TERM before
        self.assertIsNone(run.process.poll())
        os.kill(pid, signal.SIGKILL)
        run.end(128 + signal.SIGTERM)

    def test_what_the_guardian_did_not_read(self):
        """Signals that come while it ends do not make it look killed."""
        run, pid = self.listener(grace=600)
        guardian = run.guardian()
        os.kill(guardian, signal.SIGSTOP)
        run.send(signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM)
        time.sleep(0.15)
        run.send(signal.SIGSTOP)
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(mxt.wait_until(lambda: supervised.state(pid) == "Z"))
        os.kill(guardian, signal.SIGCONT)
        self.assertTrue(mxt.wait_until(lambda: supervised.state(guardian) == "Z"))
        run.send(signal.SIGCONT)
        result = run.end(128 + signal.SIGTERM)
        self.assertEqual((result["wait_status"], result["err"]), (signal.SIGKILL, ""))

    def test_a_third_signal_ends_the_grace(self):
        run, _ = self.listener(signal.SIGTERM, grace=600)
        run.send(signal.SIGINT, signal.SIGINT, signal.SIGINT, pause_s=0.4)
        result = run.end(128 + signal.SIGINT)
        self.assertLessEqual(result["out"].count(f"got {signal.SIGINT}\n"), 3)
        self.assertTrue(result["out"].endswith(f"got {signal.SIGTERM}\n"), result)

    def test_no_grace(self):
        result = self.stopped("trap '' TERM; " + RANK.format("trap \"\" TERM; while :; do sleep 9; done") +
                              "echo; while :; do sleep 9; done", grace=0)
        self.assertGreaterEqual(result["swept"], 2)

    def stopped(self, script, **how):
        run = self.supervise(script, **how)
        run.await_lines(2)
        run.send(signal.SIGTERM)
        return run.end(128 + signal.SIGTERM)

    def test_the_command_has_its_grace(self):
        result = self.stopped("trap 'sleep 0.4; echo saved; exit 0' TERM; " + RANK.format("exec sleep 100") +
                              "echo; while :; do sleep 0.05; done", grace=30)
        self.assertIn("saved", result["out"])

    def test_after_the_end_it_changes_nothing(self):
        """A training that has finished keeps its status."""
        run = self.supervise(RANK.format("trap \"\" TERM; echo; while :; do sleep 9; done") + "sleep 0.2; exit 3", grace=2)
        run.await_lines(2)
        command = run.command()
        self.assertTrue(mxt.wait_until(lambda: supervised.state(command) == "g"))
        time.sleep(0.1)  # until we have heard of it
        run.send(signal.SIGTERM)
        self.assertEqual(run.end(3)["signal"], 0)

    def test_an_interrupt_reaches_what_a_launcher_leaves_behind(self):
        """accelerate dies of it at once; the training has to hear of it, too, and saves its work."""
        launcher = ("import signal, subprocess, sys\n"
                    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                    f"subprocess.Popen([sys.executable, '-c', {LISTENER!r}, '2'], start_new_session=True)\n"
                    "signal.pause()\n")
        run = self.supervise([sys.executable, "-c", launcher], grace=60)
        run.read_line()
        run.send(signal.SIGINT)
        result = run.end(128 + signal.SIGINT)
        self.assertEqual((result["out"], result["signal"], result["swept"]), ("got 2\n", signal.SIGINT, 1))

    def test_what_our_caller_ignores_stays_ignored(self):
        run, pid = self.listener(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.send(signal.SIGHUP)
        run.send(signal.SIGUSR1)
        self.assertEqual(run.read_line(), f"got {signal.SIGUSR1}\n")
        os.kill(pid, signal.SIGKILL)
        run.end(128 + signal.SIGKILL)

    def test_the_watch_ends_it(self):
        result = self.outcome("trap 'echo told; exit 0' TERM; echo unwanted; while :; do sleep 0.05; done", 0, flags="w")
        self.assertTrue(result["ended_by_watch"])
        self.assertEqual((result["signal"], result["out"]), (0, "unwanted\ntold\n"))


class Holding(supervised.TestCase):
    """SIGTSTP and SIGCONT, as a shell sends them to a job."""

    def test_the_whole_tree_is_held_and_continued(self):
        run = self.supervise(RANK.format("exec sleep 100") + "echo $$; wait", preexec_fn=os.setpgrp)
        lines = run.await_lines(2)
        pids = [run.pid, *(int(re.sub(r"\D", "", line)) for line in lines)]
        run.send(signal.SIGTSTP)
        self.assertTrue(mxt.wait_until(lambda: [supervised.state(pid) for pid in pids] == ["T"] * 3))
        self.assertEqual(supervised.state(run.guardian()), "S")
        run.send(signal.SIGCONT)
        self.assertTrue(mxt.wait_until(lambda: [supervised.state(pid) for pid in pids] == ["S"] * 3))
        run.send(signal.SIGTERM)
        run.end(128 + signal.SIGTERM)

    def test_ended_while_it_is_held(self):
        run = self.supervise("echo; " + RANK.format("exec sleep 100") + "wait", preexec_fn=os.setpgrp)
        run.await_lines(2)
        run.send(signal.SIGTSTP)
        self.assertTrue(mxt.wait_until(lambda: supervised.state(run.pid) == "T"))
        run.send(signal.SIGTERM)
        run.send(signal.SIGCONT)
        run.end(128 + signal.SIGTERM)

    def test_killed_while_it_is_held(self):
        run = self.supervise("echo; " + RANK.format("exec sleep 100") + "wait", preexec_fn=os.setpgrp)
        run.await_lines(2)
        run.send(signal.SIGTSTP)
        self.assertTrue(mxt.wait_until(lambda: supervised.state(run.pid) == "T"))
        run.process.kill()  # nobody is left behind

    def test_a_job_that_nobody_could_continue_is_not_held(self):
        run = self.supervise("echo $$; exec sleep 100", start_new_session=True)
        pid = int(run.read_line())
        run.send(signal.SIGTSTP, signal.SIGTSTP)
        self.assertTrue(mxt.wait_until(lambda: supervised.state(run.pid) == supervised.state(pid) == "S"))
        run.send(signal.SIGTERM)
        run.end(128 + signal.SIGTERM)


@unittest.skipUnless(shutil.which("bash"), "needs bash")
class Terminal(supervised.TestCase):
    """In the foreground of a shell on a terminal."""

    def setUp(self):
        super().setUp()
        self.shown = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            mxt.default_signals()
            os.chdir(self.dir)
            os.execvpe("bash", ["bash", "--norc", "--noediting", "-i"], self.environment({"PS1": "ready> ", "TERM": "dumb"}))
        self.addCleanup(self.close)
        self.expect("ready> ")

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)

    def read(self):
        if select.select([self.fd], [], [], 0.05)[0]:
            self.shown += os.read(self.fd, 65536)

    def expect(self, text):
        """Up to and with `text`; what came is returned and forgotten."""
        end = time.monotonic() + 20
        while text.encode() not in self.shown:
            self.assertLess(time.monotonic(), end, self.shown)
            self.read()
        head, self.shown = self.shown.split(text.encode(), 1)
        return head.decode(errors="replace")

    def type(self, text):
        os.write(self.fd, text.encode())

    def foreground(self):
        """`fg`: the shell names the job, gives it the terminal, and lets it go on. What is typed before that is not the
        job's."""
        self.type("fg\n")
        self.expect("job.sh")
        self.assertTrue(mxt.wait_until(lambda: "T" not in map(state, mxt.marked_processes(self.mark))))

    def job(self, script, flags="-", tail=""):
        """Starts one; its script is in a file, so that what it says is not taken for the shell's echo of the line."""
        path = self.write("job.sh", script)
        self.type(f"{supervised.DRIVER} result.json - 30 {flags} sh {path}{tail}\n")

    def status(self):
        self.expect("ready> ")
        self.type("echo st''atus $?.\n")
        self.expect("status ")
        return int(self.expect("."))

    COUNTS = "trap 'n=x$n; echo got-$n' INT; echo RUNNING; while :; do sleep 0.05; [ \"$n\" = \"$most\" ] && exit 0; done"

    def test_one_interrupt_comes_once(self):
        for flags in ("-", "i"):
            with self.subTest(flags):
                self.job("most=x\n" + self.COUNTS, flags)
                self.expect("RUNNING")
                self.type("\x03")
                self.expect("got-x\r")
                self.assertEqual(self.status(), 130)

    def test_two_interrupts(self):
        self.job("most=xx\n" + self.COUNTS, "i")
        self.expect("RUNNING")
        for many in ("x", "xx"):
            time.sleep(0.15)
            self.type("\x03")
            self.expect(f"got-{many}\r")
        self.assertEqual(self.status(), 130)

    def test_it_reads_from_the_terminal_and_is_interrupted_there(self):
        self.job("echo RUNNING; read line; echo read $line; most=x\n" + self.COUNTS, "i")
        self.expect("RUNNING")
        self.type("some words\n")
        self.expect("read some words")
        self.expect("RUNNING")
        self.type("\x03")
        self.expect("got-x\r")
        self.assertEqual(self.status(), 130)
        self.expect("ready> ")
        self.type("cat\n")  # the terminal is the shell's again
        self.expect("cat\r\n")
        self.type("typed\n")
        self.expect("typed\r\ntyped")
        self.type("\x04")
        self.expect("ready> ")

    def test_another_reader_of_our_group(self):
        """`| less` reads from the terminal while the command does not."""
        self.write("reader.sh", "cat >/dev/null & read line </dev/tty; echo reader $line; wait\n")
        self.job("echo RUNNING >&2; sleep 1; exit 0", "i", " | sh reader.sh")
        self.expect("RUNNING")
        self.type("hello\n")
        self.expect("reader hello")
        self.assertEqual(self.status(), 0)

    def held_and_continued(self, script, flags):
        self.job(script, flags)
        self.expect("RUNNING")
        time.sleep(0.2)  # it may be about to be handed the terminal
        self.type("\x1a")
        self.expect("Stopped")
        self.expect("ready> ")
        self.foreground()

    def test_held_and_continued_in_the_foreground(self):
        for flags in ("-", "i"):
            with self.subTest(flags):
                self.held_and_continued("most=x\n" + self.COUNTS, flags)
                self.type("\x03")
                self.expect("got-x\r")
                self.assertEqual(self.status(), 130)

    def test_held_while_it_reads(self):
        self.held_and_continued("echo RUNNING; read a; echo first $a; read b; echo second $b; exit 4", "i")
        self.type("one\n")
        self.expect("first one")
        time.sleep(0.2)
        self.type("\x1a")
        self.expect("Stopped")
        self.foreground()
        self.type("two\n")
        self.expect("second two")
        self.assertEqual(self.status(), 4)

    def test_in_the_background_it_waits_for_the_terminal(self):
        self.job("echo RUNNING; read a; echo read $a; exit 5", "i", " &")
        self.expect("RUNNING")
        end = time.monotonic() + 20
        while b"Stopped" not in self.shown and time.monotonic() < end:
            self.type("\n")  # it tells before its next prompt
            self.read()
        self.expect("Stopped")
        self.foreground()
        self.type("words\n")
        self.expect("read words")
        self.assertEqual(self.status(), 5)

    def test_without_the_terminal_it_cannot_ask(self):
        """A config that is missing must not wait for an answer which nobody will give."""
        self.job("(read a </dev/tty && echo read) 2>/dev/null || echo nobody; exit 6")
        self.expect("nobody")
        self.assertEqual(self.status(), 6)

    def test_the_terminal_goes_away(self):
        self.job("trap 'touch hangup; exit 0' HUP; echo RUNNING; while :; do sleep 0.05; done", "i")
        self.expect("RUNNING")
        os.close(self.fd)
        self.fd = os.open("/dev/null", os.O_RDWR)
        self.assertTrue(mxt.wait_until((self.dir / "hangup").exists))


if __name__ == "__main__":
    mxt.main()
