# SPDX-License-Identifier: Apache-2.0
"""The worker process: opens its device, says what is in force there, then answers one request after
the other until its supervisor tells it to quit or is gone. Whatever goes wrong in between becomes
an answer, as in src/worker/worker_main.c.

Only the standard library is imported before the device is opened: a torch that does not import
is an answer, too.
"""

import argparse
import json
import os
import resource
import socket
import sys
import traceback

from . import measure, wire

SOCKET_FD = 3
EXIT_DONE, EXIT_SOCKET, EXIT_NONSENSE = 0, 64, 65


def leave(status):
    """Packages may have exit handlers that hang or crash: none is run."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    os._exit(status)


def one_line(error):
    """An exception as one line that says what and, where it is short, why."""
    text = " ".join(str(error).split()) or "no text"
    return f"{type(error).__name__}: {text}"[:wire.TEXT_BYTES]


class Unusable(Exception):
    """The device or the provider is not there, or does not work: the worker answers
    `unsupported` and ends."""


class Session:
    """`opened`: what open_device() returned."""

    def __init__(self, channel, opened):
        self.channel = channel
        self.device, self.provider, self.tasks_module, self.facts = opened
        self.tasks = {}
        self.fillers = {}

    def send(self, message, request=0):
        try:
            packet = wire.encode(message, request)
        except wire.WireError as error:
            print(f"an answer cannot be sent: {error}", file=sys.stderr)
            leave(EXIT_NONSENSE)
        try:
            self.channel.send(packet)
        except OSError:
            leave(EXIT_SOCKET)

    def say_hello(self):
        data = json.dumps(self.facts, sort_keys=True, separators=(",", ":")).encode("utf-8")
        self.send(wire.Hello(len(data)))
        for at in range(0, len(data), wire.PART_BYTES):
            self.send(wire.Facts(data[at:at + wire.PART_BYTES]))

    def prepare(self, message):
        self.forget(message.id)
        task = self.tasks_module.make(self.device, message.problem, self.provider)
        self.device.tasks.add(task)
        try:
            first_call_ns = self.launch([task], 1)
            self.make_ready([task])
            check = task.check()
        except BaseException:
            self.device.tasks.discard(task)
            task.unbind()
            raise
        self.tasks[message.id] = task
        return wire.Prepared(message.id, first_call_ns, *check)

    def forget(self, number):
        task = self.tasks.pop(number, None)
        if task is not None:
            self.device.tasks.discard(task)
            task.unbind()

    def time(self, message):
        steps = [self.resolve(*step) for step in message.steps]
        self.make_ready(steps)
        ns, samples, repeats = measure.measure(lambda count: self.launch(steps, count),
                                               message.max_warm_ns, message.target_ns)
        return wire.Timed(ns, samples, repeats)

    def resolve(self, number, filler_bytes):
        if number != wire.FILLER:
            if number not in self.tasks:
                raise LookupError(f"problem {number} was not prepared")
            return self.tasks[number]
        if filler_bytes not in self.fillers:
            filler = self.tasks_module.Filler(self.device, filler_bytes)
            self.fillers[filler_bytes] = filler
            self.device.tasks.add(filler)
        return self.fillers[filler_bytes]

    @staticmethod
    def make_ready(steps):
        """First all memory, then what lies in it: a later step may make the arena of an earlier
        one move."""
        for step in steps:
            step.reserve()
        for step in steps:
            step.ready()

    def launch(self, steps, repeats):
        """Runs the sequence so many times; ns."""
        self.make_ready(steps)
        self.device.timer.start()
        for _ in range(repeats):
            for step in steps:
                step.run()
        return self.device.timer.stop()

    def answer(self, message):
        if isinstance(message, wire.Prepare):
            return self.prepare(message)
        if isinstance(message, wire.Time):
            return self.time(message)
        return wire.Refused(wire.UNSUPPORTED, "the Python worker compares no algorithms")

    def serve(self, message, request):
        try:
            answer = self.answer(message)
        except self.tasks_module.Unsupported as reason:
            answer = wire.Refused(wire.UNSUPPORTED, str(reason))
        except NotImplementedError as reason:
            answer = wire.Refused(wire.UNSUPPORTED, one_line(reason))
        except (Exception, SystemExit) as error:  # whatever a package raises
            traceback.print_exc()
            answer = wire.Refused(wire.FAILED, one_line(error))
        self.send(answer, request)

    def run(self):
        self.say_hello()
        while True:
            message, request = receive(self.channel)
            if isinstance(message, wire.Quit):
                self.device.close()
                leave(EXIT_DONE)
            self.serve(message, request)


def receive(channel):
    try:
        packet = channel.recv(wire.MESSAGE_MAX_BYTES)
    except OSError:
        leave(EXIT_SOCKET)
    if not packet:
        leave(EXIT_DONE)  # nobody is there any more
    try:
        return wire.decode(packet)
    except wire.WireError as fault:
        print(f"the supervisor sent {fault}", file=sys.stderr)
        leave(EXIT_NONSENSE)


def prepare_process():
    """When memory runs out, the kernel shall take a worker; a crash leaves no core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass  # not allowed to: the kernel's own judgement stands
    os.set_inheritable(SOCKET_FD, False)


def import_torch(folder):
    """The torch of this Python, which has to be the one that was found by files."""
    try:
        import torch
    except Exception as error:
        raise Unusable(f"torch does not import: {one_line(error)}") from error
    found = os.path.dirname(os.path.realpath(torch.__file__))
    if folder and found != os.path.realpath(folder):
        raise Unusable(f"this Python imports torch from {found}, not from {folder}")
    return torch


def load_provider(name, deterministic):
    from . import providers

    if name not in providers.MODULES:
        raise Unusable(f"the Python worker has no provider {name}")
    try:
        return providers.load(name, deterministic)
    except SystemExit as error:
        code = error.code
        raise Unusable(f"{name}: its package ends the process when imported ({code})") from error
    except Exception as error:
        raise Unusable(f"{name}: its package does not import: {one_line(error)}") from error


def open_device(arguments):
    """(device, provider, module of tasks, facts)."""
    torch = import_torch(arguments.torch)
    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise Unusable("torch finds no CUDA device in this Python")
    if arguments.deterministic:
        torch.use_deterministic_algorithms(True)
    from . import tasks, torch_device, worker_facts

    try:
        device = torch_device.Device(arguments.device, arguments.ordinal,
                                     arguments.deterministic)
    except RuntimeError as error:
        raise Unusable(f"the device cannot be used: {one_line(error)}") from error
    provider = load_provider(arguments.provider, arguments.deterministic)
    worker_facts.warm_up(device, provider, arguments.probe, tasks)
    facts = worker_facts.collect(device, provider, arguments.switch)
    return device, provider, tasks, facts


def parse(arguments):
    parser = argparse.ArgumentParser(prog="worker.py")
    parser.add_argument("--device", required=True, help="cuda or cpu-torch")
    parser.add_argument("--ordinal", type=int, default=0)
    parser.add_argument("--label", default="")
    parser.add_argument("--torch", default="")
    parser.add_argument("--probe", default="")
    parser.add_argument("--provider", required=True)
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--switch", action="append", default=[], help="a variable to tell of")
    return parser.parse_args(arguments)


def refuse(channel, outcome, text):
    try:
        channel.send(wire.encode(wire.Refused(outcome, text)))
    except OSError:
        leave(EXIT_SOCKET)
    leave(EXIT_DONE)


def main(arguments):
    prepare_process()
    channel = socket.socket(fileno=SOCKET_FD)
    try:
        opened = open_device(parse(arguments))
    except Unusable as reason:
        refuse(channel, wire.UNSUPPORTED, str(reason))
    except Exception as error:
        traceback.print_exc()
        refuse(channel, wire.FAILED, one_line(error))
    Session(channel, opened).run()
