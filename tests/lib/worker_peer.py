# SPDX-License-Identifier: Apache-2.0
"""The supervisor's side of a worker, for tests: starts one of either kind and talks to it."""

import contextlib
import json
import os
import socket
import subprocess
import sys

import mxt

sys.dont_write_bytecode = True
sys.path.insert(0, str(mxt.SOURCE_ROOT / "python"))

from mindxtrain_plan import wire  # noqa: E402

WORKER = mxt.SOURCE_ROOT / "python" / "mindxtrain_plan" / "worker.py"
SOCKET_FD = 3
TIMEOUT_S = 300


class Peer:
    """A live worker. `command` without --device and the like; its socket is descriptor 3 there."""

    def __init__(self, command, env):
        self.channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(TIMEOUT_S)
        with other:
            high = os.dup(other.fileno())  # not 3 by chance: dup2() of a descriptor to itself would do nothing

            def hand_over():
                os.dup2(high, 63)
                os.dup2(63, SOCKET_FD)
                os.closerange(4, 64)

            self.process = subprocess.Popen(command, preexec_fn=hand_over, close_fds=False, env=env,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT)
            os.close(high)

    def receive(self):
        """The next message and its request number; None when the worker is gone."""
        packet = self.channel.recv(wire.MESSAGE_MAX_BYTES)
        return wire.decode(packet) if packet else None

    def hello(self):
        """The facts, or the refusal."""
        message, _ = self.receive()
        if not isinstance(message, wire.Hello):
            return message
        data = b""
        while len(data) < message.facts_bytes:
            data += self.receive()[0].data
        return json.loads(data)

    def ask(self, message, request=7):
        self.channel.send(wire.encode(message, request))
        answer, number = self.receive()
        assert number == request, (answer, number)
        return answer

    def close(self):
        self.channel.close()
        self.process.kill()
        self.process.communicate()


def start(command, env=None):
    """A context manager that ends the worker."""
    return contextlib.closing(Peer([str(word) for word in command], {**os.environ, **(env or {})}))


def start_python(python, provider, *args, env=None):
    return start([python, WORKER, "--device", "cpu-torch", "--provider", provider, *args], env)
