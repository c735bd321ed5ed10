#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a supervised command writes: all of it is in the log and is shown, whatever it is; and what is wrong with the
log or with whoever reads what is shown does not reach the command."""

import errno
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import time
import unittest

import mxt
import supervised

PIPES = 4 << 20  # more than all pipes and buffers on the way hold


class Bytes(supervised.TestCase):
    def test_any_bytes(self):
        content = random.Random(1).randbytes(3_000_001) + b"\0\r\n\xff no newline at the end"
        path = self.write("content", content)
        with open(self.dir / "shown", "wb") as shown:
            run = self.supervise(["cat", path], stdout=shown)
            result = run.end(0)
        self.assertEqual((self.dir / "shown").read_bytes(), content)
        self.assertEqual(run.log(), content)
        self.assertEqual((result["log_bytes"], result["log_errno"], result["shown_errno"]), (len(content), 0, 0))

    def test_a_hundred_megabytes_in_one_line(self):
        size = 100_000_000
        program = f"import os\nfor _ in range({size // 1_000_000}): os.write(1, b'x' * 1_000_000)"
        run = self.python(program, stdout=subprocess.DEVNULL)
        result = run.end(0)
        self.assertEqual((result["log_bytes"], os.path.getsize(run.log_path)), (size, size))
        if not supervised.HAS_SANITIZER:
            self.assertLess(result["peak_kib"], 10_000)

    def test_both_streams_in_the_order_of_arrival(self):
        run = self.supervise("for i in 1 2 3 4; do echo out $i; sleep 0.05; echo err $i >&2; sleep 0.05; done")
        result = run.end(0)
        self.assertEqual(run.log().decode().split("\n"), [f"{s} {i}" for i in range(1, 5) for s in ("out", "err")] + [""])
        self.assertEqual(result["out"], "".join(f"out {i}\n" for i in range(1, 5)))
        self.assertEqual(result["err"], "".join(f"err {i}\n" for i in range(1, 5)))

    def test_the_last_words_of_the_killed(self):
        run = self.supervise("echo last; echo words >&2; kill -9 $$")
        run.end(128 + signal.SIGKILL)
        self.assertEqual(sorted(run.log().split()), [b"last", b"words"])

    def test_a_slow_reader_gets_everything(self):
        run = self.supervise(f"head -c {PIPES} /dev/zero; echo end")
        time.sleep(1)
        self.assertEqual(len(run.end(0)["out"]), PIPES + 4)
        self.assertEqual(len(run.log()), PIPES + 4)

    def test_a_log_that_has_something_is_continued(self):
        self.write("train.log", "before\n")
        run = self.supervise("echo after")
        run.end(0)
        self.assertEqual(run.log(), b"before\nafter\n")


class Readers(supervised.TestCase):
    def test_streams_that_are_closed(self):
        for closing in ("1", "2", "1 2"):
            with self.subTest(closing):
                def close(closing=closing):
                    for fd in closing.split():
                        os.close(int(fd))
                (self.dir / "train.log").unlink(missing_ok=True)
                run = self.supervise("echo out; echo err >&2; exit 3", preexec_fn=close)
                result = run.end(3)
                self.assertEqual(result["shown_errno"], errno.EBADF)
                self.assertEqual(sorted(run.log().split()), [b"err", b"out"])

    def test_a_pipe_that_nobody_reads(self):
        """No end, and not slower than the time that it is given."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        run = self.supervise(f"head -c {PIPES} /dev/zero; echo fine >&2; exit 4", stdout=writer)
        os.close(writer)
        result = run.end(4)
        self.assertEqual((result["shown_errno"], result["err"]), (errno.EAGAIN, "fine\n"))
        self.assertEqual(len(run.log()), PIPES + 5)

    def test_signals_go_through_while_nobody_reads(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        run = self.supervise(f"trap 'exit 0' TERM; echo up >&2; head -c {PIPES} /dev/zero & wait; exit 1", stdout=writer)
        os.close(writer)
        self.assertEqual(run.process.stderr.readline(), "up\n")
        time.sleep(0.1)
        run.send(signal.SIGTERM)
        run.end(128 + signal.SIGTERM)

    def test_a_reader_that_goes_away(self):
        reader, writer = os.pipe()
        os.close(reader)
        run = self.supervise("for i in 1 2 3; do echo $i; sleep 0.05; done; exit 5", stdout=writer)
        os.close(writer)
        self.assertEqual(run.end(5)["shown_errno"], errno.EPIPE)
        self.assertEqual(run.log(), b"1\n2\n3\n")

    def test_a_socket(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        run = self.supervise("echo out", stdout=theirs)
        theirs.close()
        self.assertEqual((run.end(0)["shown_errno"], ours.recv(100)), (0, b"out\n"))

    def test_a_socket_that_nobody_reads(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        run = self.supervise(f"head -c {PIPES} /dev/zero; exit 6", stdout=theirs)
        theirs.close()
        self.assertEqual(run.end(6)["shown_errno"], errno.EAGAIN)
        self.assertEqual(len(run.log()), PIPES)

    def test_a_full_device(self):
        with open("/dev/full", "wb") as full:
            run = self.supervise("echo out; exit 7", stdout=full)
            self.assertEqual(run.end(7)["shown_errno"], errno.ENOSPC)
        self.assertEqual(run.log(), b"out\n")

    def test_our_streams_stay_as_they_are(self):
        """Others share them: their flags are not ours to change."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        run = self.supervise("echo up >&2; exec sleep 100", stdout=writer)
        run.process.stderr.readline()
        self.assertTrue(os.get_blocking(writer))
        run.send(signal.SIGTERM)
        run.end()


class Logs(supervised.TestCase):
    SCRIPT = "echo first; head -c 3000000 /dev/zero; sleep 0.1; echo last; exit 8"

    def fill(self, errnum, **how):
        run = self.supervise(self.SCRIPT, **how)
        result = run.end(8)
        self.assertEqual((result["log_errno"], result["shown_errno"]), (errnum, 0), result)
        self.assertTrue(result["out"].startswith("first\n") and result["out"].endswith("last\n"))
        self.assertEqual(len(result["out"]), 3000000 + 11)
        return run, result

    def test_a_full_disk(self):
        self.fill(errno.ENOSPC, log="/dev/full")

    @mxt.needs_root
    @unittest.skipUnless(shutil.which("mount"), "needs mount")
    def test_a_full_file_system(self):
        folder = self.dir / "small"
        folder.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, text=True)
        if mounted.returncode:
            self.skipTest(mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", folder])
        run, result = self.fill(errno.ENOSPC, log=folder / "train.log")
        self.assertEqual(run.log(), b"first\n" + b"\0" * (result["log_bytes"] - 6))  # what is there is whole

    def test_a_limit_of_file_sizes(self):
        run, result = self.fill(errno.EFBIG, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
        self.assertEqual((result["log_bytes"], len(run.log())), (65536, 65536))

    def test_no_log(self):
        result = self.outcome("echo out", 0, log=None)
        self.assertEqual((result["log_bytes"], result["out"]), (0, "out\n"))


if __name__ == "__main__":
    mxt.main()
