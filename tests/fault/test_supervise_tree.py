#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real trees of processes, of which one dies, or will not, in every way that trainings know: nothing is left, and the
status says what happened."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import unittest

import mxt
import supervised
from supervised import RANK


class Deaths(supervised.TestCase):
    def test_a_rank_dies(self):
        result = self.outcome(RANK.format("exec sleep 100") + RANK.format("exit 3") + "wait $!; exit 1", 1)
        self.assertEqual(result["swept"], 1)

    def test_a_rank_ignores_term(self):
        result = self.outcome(RANK.format("trap \"\" TERM; while :; do sleep 100; done") + "sleep 0.2; exit 4", 4)
        self.assertGreaterEqual(result["swept"], 1)
        self.assertEqual(result["stuck"], 0)

    def test_the_launcher_is_killed(self):
        run = self.supervise(RANK.format("exec sleep 100") + RANK.format("exec sleep 100") + "wait")
        run.await_lines(2)
        os.kill(run.command(), signal.SIGKILL)
        result = run.end(128 + signal.SIGKILL)
        self.assertEqual((result["swept"], result["signal"]), (2, 0))

    def test_the_supervisor_is_killed(self):
        run = self.supervise("trap 'touch told; exit' TERM; " + RANK.format("exec sleep 100") + "wait")
        run.await_lines(1)
        guardian = run.guardian()
        run.process.kill()
        run.process.wait()
        self.assertTrue(mxt.wait_until(lambda: supervised.state(guardian) == "g"))
        self.assertTrue((self.dir / "told").exists())  # it was asked first

    def test_the_supervisor_is_killed_and_the_launcher_ignores_that(self):
        run = self.supervise("trap '' TERM; echo up; while :; do sleep 100; done")
        run.await_lines(1)
        run.process.kill()

    def test_the_guardian_is_killed(self):
        run = self.supervise("trap 'touch told; exit' TERM; " + RANK.format("exec sleep 100") + "echo; wait")
        run.await_lines(2)
        os.kill(run.guardian(), signal.SIGKILL)
        result = run.end(125)
        self.assertIn("[MXT-313]", result["err"])
        self.assertTrue((self.dir / "told").exists())

    def test_the_guardian_is_killed_and_the_launcher_ignores_that(self):
        run = self.supervise("trap '' TERM; " + RANK.format("exec sleep 100") + "while :; do sleep 100; done")
        run.await_lines(1)
        os.kill(run.guardian(), signal.SIGKILL)
        self.assertIn("[MXT-313]", run.end(125)["err"])

    def test_both_are_killed(self):
        """All that can be done then is that the kernel sends the command TERM."""
        run = self.supervise("exec sleep 100")
        command = run.command()
        os.kill(run.guardian(), signal.SIGKILL)
        run.process.kill()
        self.assertTrue(mxt.wait_until(lambda: supervised.state(command) in "gZ"))

    def test_the_command_kills_its_group(self):
        """The guardian is in it."""
        result = self.outcome(RANK.format("exec sleep 100") + "sleep 0.2; kill -9 0", 128 + signal.SIGKILL)
        self.assertEqual(result["swept"], 1)

    def test_the_command_ends_its_group(self):
        """As scripts do that end what they started; nobody has stopped us."""
        result = self.outcome("sleep 100 & trap 'trap \"\" TERM; kill 0' EXIT; exit 0", 0)
        self.assertEqual(result["signal"], 0)


class Leavings(supervised.TestCase):
    def test_daemons_are_ended(self):
        """Double fork, session of their own, streams kept open."""
        run = self.supervise("(setsid sh -c 'sleep 100' &) ; (setsid sh -c '(sleep 100 &) ; exit' &) ; echo done")
        result = run.end(0)
        self.assertEqual((result["out"], run.log()), ("done\n", b"done\n"))
        self.assertGreaterEqual(result["swept"], 2)

    def test_who_leaves_at_once_is_not_swept(self):
        result = self.outcome("(setsid sh -c 'sleep 0.3; echo late' &) ; echo done", 0)
        self.assertEqual((result["out"], result["swept"]), ("done\nlate\n", 0))

    def test_orphans_are_adopted_and_reaped(self):
        run = self.supervise("for i in 1 2 3 4 5 6 7 8; do (setsid sleep 0.01 &) ; done; (setsid sleep 100 &) ; "
                             "echo up; read wait", flags="i", stdin=subprocess.PIPE)
        run.await_lines(1)
        guardian = run.guardian()
        self.assertTrue(mxt.wait_until(lambda: len(supervised.children(guardian)) == 2))  # the command and one orphan
        self.assertEqual({supervised.state(child) for child in supervised.children(guardian)}, {"S"})
        run.process.stdin.close()
        run.process.stdin = None
        self.assertEqual(run.end()["swept"], 1)

    def test_a_stranger_may_hold_its_streams(self):
        """A descriptor that went to a process of nobody here: nobody waits for that one."""
        program = ("import socket,sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
                   "socket.send_fds(s, [b'x'], [1])\nprint('sent', flush=True)")
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.bind(str(self.dir / "s"))
        server.listen()
        run = self.supervise([sys.executable, "-c", program, str(self.dir / "s")])
        peer, _ = server.accept()
        self.addCleanup(peer.close)
        _, fds, _, _ = socket.recv_fds(peer, 1, 4)  # we are the stranger
        self.addCleanup(lambda: [os.close(fd) for fd in fds])
        self.assertEqual(run.end(0)["out"], "sent\n")

    def test_a_rank_whose_first_thread_has_ended(self):
        """It looks like a zombie."""
        program = ("import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(100,)).start()\n"
                   "print('up', flush=True)\nctypes.CDLL(None).pthread_exit(None)")
        run = self.supervise(["sh", "-c", 'setsid "$0" -c "$1" & sleep 0.7; exit 0', sys.executable, program])
        result = run.end(0)
        self.assertEqual((result["out"], result["swept"]), ("up\n", 1))

    def test_a_stopped_rank_is_ended(self):
        result = self.outcome(RANK.format("kill -STOP $$; sleep 100") + "sleep 0.2; exit 0", 0)
        self.assertEqual(result["swept"], 1)


class Processes(supervised.TestCase):
    def test_they_have_one_thread_and_sleep(self):
        run = self.supervise("echo up; exec sleep 100")
        run.await_lines(1)
        pids = [run.pid, run.guardian()]

        def switches():
            return [supervised.fields(pid)["voluntary_ctxt_switches"] for pid in pids]

        self.assertEqual([supervised.fields(pid)["Threads"] for pid in pids], ["1", "1"])
        self.assertTrue(mxt.wait_until(lambda: all(supervised.state(pid) == "S" for pid in pids)))
        before = switches()
        self.assertFalse(mxt.wait_until(lambda: switches() != before, 0.7))
        run.send(signal.SIGTERM)
        run.end(128 + signal.SIGTERM)

    def test_the_guardian_holds_nothing(self):
        run = self.supervise("echo up; exec sleep 100")
        run.await_lines(1)
        guardian = run.guardian()

        def targets():
            found = [f"/proc/{guardian}/fd/{fd}" for fd in os.listdir(f"/proc/{guardian}/fd")]
            return sorted(os.readlink(path).split(":")[0].strip("[]") for path in found if os.path.lexists(path))

        wanted = ["/dev/null"] * 3 + ["anon_inode", "socket"]
        if not mxt.wait_until(lambda: targets() == wanted):  # it may not have heard yet that the command has begun
            self.assertEqual(targets(), wanted)
        run.send(signal.SIGTERM)
        run.end()

    def test_only_what_the_caller_left_open_is_inherited(self):
        result = self.outcome("ls -l /proc/self/fd | wc -l", 0)
        self.assertEqual(result["out"].strip(), "5")  # a heading, three streams, the folder itself

    @mxt.needs_root
    @unittest.skipUnless(shutil.which("unshare"), "needs unshare")
    def test_as_the_first_process_of_a_container(self):
        script = "(setsid sleep 0.1 &) ; (setsid sleep 100 &) ; echo up; sleep 0.3; exit 5"
        driver = [supervised.DRIVER, self.dir / "result.json", "-", 1, "-", "sh", "-c", script]
        result = self.run_program("-pf", "--mount-proc", "--", *driver, program="unshare")
        if "unshare:" in result.err:
            self.skipTest(result.err.strip())
        self.assertEqual((result.status, result.out), (5, "up\n"))

    @mxt.needs_root
    @unittest.skipUnless(shutil.which("unshare"), "needs unshare")
    def test_where_proc_is_another_namespace(self):
        """Numbers in such a /proc are other processes': nobody is signalled by them."""
        bystander = subprocess.Popen(["sleep", "100"], env=self.environment())
        self.addCleanup(lambda: (bystander.kill(), bystander.wait()))
        driver = [supervised.DRIVER, self.dir / "result.json", "-", 0, "-", "sh", "-c", "sleep 100 & exit 6"]
        result = self.run_program("-pf", "--", *driver, program="unshare")
        if "unshare:" in result.err:
            self.skipTest(result.err.strip())
        self.assertEqual(result.status, 6, result)
        self.assertIsNone(bystander.poll())


    @mxt.needs_root
    @unittest.skipUnless(shutil.which("unshare"), "needs unshare")
    @unittest.skipIf(supervised.HAS_SANITIZER, "sanitizers read /proc")
    def test_where_there_is_no_proc(self):
        script = (f"mount -t tmpfs none /proc || exit 77; exec {supervised.DRIVER} {self.dir}/result.json "
                  f"{self.dir}/train.log 1 - sh -c 'echo out; exit 6'")
        result = self.run_program("-m", "--", "sh", "-c", script, program="unshare")
        if "unshare:" in result.err or result.status == 77:
            self.skipTest(result.err.strip())
        self.assertEqual((result.status, result.out), (6, "out\n"))


class Starts(supervised.TestCase):
    def script(self, text, mode=0o755, name="script"):
        path = self.write(name, text)
        path.chmod(mode)
        return path

    def test_what_cannot_be_started(self):
        (self.dir / "folder").mkdir()
        for status, program in (
                (127, "no-such-command"), (127, self.dir / "missing"), (127, ""),
                (126, self.script("echo", 0o644)), (126, self.dir / "folder"), (126, f"{self.dir}/script/x")):
            with self.subTest(program):
                result = self.outcome([program], status)
                self.assertFalse(result["started"])
                self.assertNotEqual(result["exec_errno"], 0)
                self.assertEqual(result["pid"], 0)

    def test_a_script_without_an_interpreter_line(self):
        result = self.outcome([self.script("echo plain; exit 7\n")], 7)
        self.assertEqual(result["out"], "plain\n")

    def test_the_path_is_that_of_the_environment(self):
        self.script("#!/bin/sh\necho found $0\n", name="bin/tool")
        result = self.outcome(["tool"], 0, env={"PATH": f"{self.dir}/bin:{os.environ['PATH']}"})
        self.assertEqual(result["out"], f"found {self.dir}/bin/tool\n")

    def test_start_is_told_with_the_pid(self):
        result = self.outcome("echo $$", 0)
        self.assertEqual(result["pid"], int(result["out"]))

    def test_no_process_can_be_made(self):
        if os.geteuid() == 0:
            self.skipTest("root may have as many as it likes")
        self.assertIn("[MXT-106]", self.outcome("true", 125, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NPROC, (0, 0)))["err"])

    def test_what_our_parent_ignored_or_blocked(self):
        def prepare():
            for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGXFSZ, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR1])

        result = self.outcome(["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"], 0, preexec_fn=prepare)
        lines = dict(line.split(":\t") for line in result["out"].splitlines())
        self.assertEqual(int(lines["SigBlk"], 16), 0)
        self.assertEqual(int(lines["SigIgn"], 16), 1 << (signal.SIGHUP - 1))  # nohup's stays

    def test_standard_input(self):
        self.assertEqual(self.outcome("cat; echo end", 0, stdin=subprocess.PIPE)["out"], "end\n")
        run = self.supervise("cat", flags="i", stdin=subprocess.PIPE)
        run.process.stdin.write("handed over\n")
        run.process.stdin.close()
        run.process.stdin = None
        self.assertEqual(run.end(0)["out"], "handed over\n")


if __name__ == "__main__":
    mxt.main()
