#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The worker process as the supervisor starts it, and as nobody should: the protocol spoken from outside, byte by
byte, and what a worker does when its supervisor speaks nonsense or goes away."""

import array
import os
import signal
import socket
import struct

import mxt

HEAD = struct.Struct("<4sHHII")  # magic, version, type, length, request
PREPARE, TIME, QUIT, HELLO, FACTS, PREPARED, TIMED, REFUSED = 1, 2, 3, 17, 18, 19, 20, 21
VERSION = 6  # of the protocol: what follows is written down byte by byte, and has to be looked at when it changes
LIMIT_S = 60


def packet(kind, body=b"", request=1, magic=b"MXTW", version=VERSION, length=None):
    return HEAD.pack(magic, version, kind, len(body) if length is None else length, request) + body


def gemm(problem_id, m=50, n=100, k=100):
    return struct.pack("<IIII6q6I", problem_id, 1, 1, 1000000, m, n, k, k, n, n, 0, 0, 0, 0, 0, 0)


class Worker:
    """One worker process and our end of its socket."""

    def __init__(self, test, scenario=None, device="fake", options=(), **popen):
        self.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ours.settimeout(LIMIT_S)
        path = test.write("scenario.json", scenario if scenario is not None else {"seed": 1})
        before = popen.pop("preexec_fn", lambda: None)

        def place():
            before()
            os.dup2(theirs.fileno(), 3, inheritable=True)

        self.process = test.start("worker", "--device", device, "--ordinal", "0", "--label", "bare",
                                  *options, env={"MINDXTRAIN_FAKE_SCENARIO": path}, pass_fds=(3,), preexec_fn=place, **popen)
        theirs.close()
        test.addCleanup(self.stop)

    def stop(self):
        self.ours.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, data):
        self.ours.send(data)

    def receive(self):
        """(type, request, body) of the next packet, which must be well-formed; None at the end."""
        data = self.ours.recv(1 << 17)
        if not data:
            return None
        magic, version, kind, length, request = HEAD.unpack(data[:16])
        assert (magic, version, length) == (b"MXTW", VERSION, len(data) - 16), data
        return kind, request, data[16:]

    def hello(self):
        """The facts as text."""
        kind, request, body = self.receive()
        assert (kind, request) == (HELLO, 0), (kind, request, body)
        left, text = struct.unpack("<I", body)[0], b""
        while len(text) < left:
            kind, request, body = self.receive()
            assert (kind, request) == (FACTS, 0), (kind, request, body)
            assert struct.unpack("<I", body[:4])[0] == len(body) - 4
            text += body[4:]
        return text.decode()

    def status(self):
        """Waits for its end: exit status and what it printed on standard error."""
        _, err = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, err


class WorkerProcess(mxt.TestCase):
    def setUp(self):
        super().setUp()
        # pass_fds needs a descriptor 3 that exists here, so that the child keeps the one that is put there.
        try:
            kept = os.dup(3)
        except OSError:
            self.addCleanup(os.close, 3)
        else:
            self.addCleanup(os.close, kept)
            self.addCleanup(os.dup2, kept, 3, False)
        null = os.open("/dev/null", os.O_RDONLY)
        if null != 3:
            os.dup2(null, 3)
            os.close(null)

    def test_a_person_is_told_that_it_is_not_for_them(self):
        result = self.run_program("worker", "--device", "fake")
        self.assert_error(result, 2, "MXT-110", "started by the program itself")
        result = self.run_program("worker", "--help", status=0)
        self.assertNotIn("null", result.out)
        self.assertNotIn("worker", self.run_program("--help", status=0).out)

    def test_it_answers(self):
        worker = Worker(self)
        self.assertEqual(worker.hello(), '{"attention":"bare","gemm":"bare","simulated":true}')
        worker.send(packet(PREPARE, gemm(9), request=41))
        kind, request, body = worker.receive()
        self.assertEqual((kind, request), (PREPARED, 41))
        problem, first_ns, error_ppb, bound_ppb, _, backend, repeatable = struct.unpack("<IQQQ32s24sI", body)
        self.assertEqual((backend.rstrip(b"\0"), repeatable), (b"", 0))
        self.assertEqual((problem, first_ns, error_ppb, bound_ppb), (9, 11000, 100, 100000))
        steps = struct.pack("<IQIQ", 9, 0, 0xffffffff, 50000)
        worker.send(packet(TIME, struct.pack("<QQI", 10**8, 10**7, 2) + steps, request=42))
        kind, request, body = worker.receive()
        self.assertEqual((kind, request), (TIMED, 42))
        ns, samples, repeats = struct.unpack("<QII", body)
        self.assertEqual(ns, 11000 + 5000)
        self.assertGreaterEqual(ns * repeats, 10**6)
        self.assertGreaterEqual(ns * repeats * samples, 10**7)
        worker.send(packet(QUIT, request=43))
        self.assertIsNone(worker.receive())
        self.assertEqual(worker.status(), (0, ""))

    def test_it_leaves_when_nobody_is_there(self):
        worker = Worker(self)
        worker.hello()
        worker.ours.close()
        self.assertEqual(worker.status()[0], 0)

    def test_an_unknown_device_is_refused(self):
        worker = Worker(self, device="abacus")
        kind, _, body = worker.receive()
        self.assertEqual(kind, REFUSED)
        self.assertEqual(struct.unpack("<I", body[:4])[0], 2)
        self.assertIn(b"no such device", body)
        self.assertEqual(worker.status()[0], 0)

    def test_it_says_whether_results_repeat(self):
        faults = [{"fault": "unrepeatable", "at": "check", "call": 2}]
        worker = Worker(self, {"seed": 1, "bare": {"gemm": {"faults": faults}}}, options=["--deterministic"])
        worker.hello()
        for expected in (1, 0, 1):
            worker.send(packet(PREPARE, gemm(9)))
            kind, _, body = worker.receive()
            self.assertEqual((kind, struct.unpack("<I", body[-4:])[0]), (PREPARED, expected))

    def test_a_scenario_that_is_wrong_is_a_reason(self):
        worker = Worker(self, scenario={"sed": 1})
        kind, _, body = worker.receive()
        self.assertEqual(kind, REFUSED)
        self.assertIn(b"sed", body)

    def test_nonsense_ends_it(self):
        nonsense = {
            "bad magic": packet(QUIT, magic=b"HTTP"),
            "another version": packet(QUIT, version=1),
            "unknown type": packet(99),
            "only workers say that": packet(TIMED, struct.pack("<QII", 1, 1, 1)),
            "longer than its content": packet(QUIT, b"x"),
            "length that is not its own": packet(QUIT, length=7),
            "half a head": packet(QUIT)[:9],
            "dimension": packet(PREPARE, gemm(0, m=-5)),
            "problem id": packet(PREPARE, gemm(256)),
            "no step": packet(TIME, struct.pack("<QQI", 0, 0, 0)),
            "truncated": packet(PREPARE, gemm(0)[:-1]),
        }
        for name, data in nonsense.items():
            with self.subTest(name):
                worker = Worker(self)
                worker.hello()
                worker.send(data)
                status, err = worker.status()
                self.assertEqual(status, 65)
                self.assertIn("the supervisor sent", err)

    def test_oversize_and_descriptors_end_it(self):
        worker = Worker(self)
        worker.hello()
        worker.send(b"x" * 70000)
        self.assertEqual(worker.status()[0], 64)
        worker = Worker(self)
        worker.hello()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]).tobytes())]
        worker.ours.sendmsg([packet(QUIT)], rights)
        self.assertEqual(worker.status()[0], 64)

    def test_ends_of_children_are_not_lost(self):
        worker = Worker(self, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        worker.hello()
        with open(f"/proc/{worker.process.pid}/status", encoding="ascii") as file:
            ignored = next(int(line.split()[1], 16) for line in file if line.startswith("SigIgn:"))
        self.assertFalse(ignored & 1 << (signal.SIGCHLD - 1))

    def test_it_cannot_be_had_without_a_packet_socket(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        process = self.start("worker", "--device", "fake", preexec_fn=lambda: os.dup2(writer, 3), pass_fds=(3,))
        os.close(writer)
        _, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 2)
        self.assertIn("MXT-110", err)


if __name__ == "__main__":
    mxt.main()
