# SPDX-License-Identifier: Apache-2.0
"""The device that torch computes on, for the worker: memory for operands, and time."""

import glob
import os
from time import perf_counter_ns  # before any package could put another in its place

import torch

LEAD_BYTES = 384 << 20
MAX_WINDOWS = 64
LINE = 256  # operands begin on multiples of this many bytes
HOST_WORKERS = 6  # that may share the memory of a host
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def _read(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def host_llc_bytes():
    """All last-level caches of the processors that this process may use; 0 when the kernel tells
    of none."""
    caches = {}
    for cpu in os.sched_getaffinity(0):
        for folder in glob.glob(f"/sys/devices/system/cpu/cpu{cpu}/cache/index*"):
            try:
                level, size = int(_read(folder + "/level")), _read(folder + "/size")
                shared = _read(folder + "/shared_cpu_list")
            except (OSError, ValueError):
                continue
            if size.endswith("K"):
                caches[level, shared] = int(size[:-1]) << 10
    last = max((level for level, _ in caches), default=0)
    return sum(size for (level, _), size in caches.items() if level == last)


def _host_memory_left():
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return (int(line.split()[1]) << 10) // HOST_WORKERS
    return 1 << 62


class HostTimer:
    """Time of a host, which computes while it is called."""

    def __init__(self):
        self.began = 0

    def start(self):
        self.began = perf_counter_ns()

    def stop(self):
        return perf_counter_ns() - self.began


class CudaTimer:
    """Time of a GPU between two events. It is kept busy for some 0.1 ms before the first one, so
    that what the host needs to issue the first of the calls does not count."""

    def __init__(self, device):
        self.began = torch.cuda.Event(enable_timing=True)
        self.ended = torch.cuda.Event(enable_timing=True)
        try:
            self.lead = torch.empty(LEAD_BYTES, dtype=torch.uint8, device=device)
        except torch.OutOfMemoryError:
            self.lead = None

    def start(self):
        if self.lead is not None:
            self.lead.zero_()
        self.began.record()

    def stop(self):
        self.ended.record()
        self.ended.synchronize()
        return int(self.began.elapsed_time(self.ended) * 1e6)


class Arena:
    """Memory that operands are cut from, window after window."""

    def __init__(self, device, dtype, random):
        self.device, self.dtype, self.random = device, dtype, random
        self.data = None
        self.bytes = 0

    def grow(self, size):
        """Other memory takes the place of the former, which is gone first: both may not fit."""
        self.data, self.bytes = None, 0
        count = size // self.dtype.itemsize
        data = torch.empty(count, dtype=self.dtype, device=self.device)
        self.data = data.normal_() if self.random else data
        self.bytes = size

    def view(self, at, sizes, strides):
        """A tensor whose first element is at that many bytes."""
        return self.data.as_strided(sizes, strides, at // self.dtype.itemsize)


def part(size):
    """Bytes that a part of a window takes: whole lines."""
    return (size + LINE - 1) // LINE * LINE


class Device:
    """One of each arena for each dtype; the tasks that hold views of them let go when an arena
    moves."""

    def __init__(self, name, ordinal, deterministic=False):
        self.deterministic = deterministic
        self.on_cuda = name == "cuda"
        self.device = torch.device("cuda", ordinal) if self.on_cuda else torch.device("cpu")
        if self.on_cuda:
            torch.cuda.set_device(self.device)
            torch.cuda.init()
        self.timer = CudaTimer(self.device) if self.on_cuda else HostTimer()
        self.llc_bytes = self._llc_bytes()
        self.tasks = set()
        self.inputs = {name: Arena(self.device, dtype, True) for name, dtype in DTYPES.items()}
        self.outputs = {name: Arena(self.device, dtype, False) for name, dtype in DTYPES.items()}

    def _llc_bytes(self):
        if self.on_cuda:
            return torch.cuda.get_device_properties(self.device).L2_cache_size
        return host_llc_bytes()

    def memory_left(self):
        return torch.cuda.mem_get_info(self.device)[0] if self.on_cuda else _host_memory_left()

    def windows(self, size):
        """How many windows of this size it takes to reach twice the last-level cache."""
        return max(1, min(-(-2 * self.llc_bytes // max(size, 1)), MAX_WINDOWS))

    def reserve(self, arena, size):
        if size <= arena.bytes:
            return
        for task in self.tasks:
            task.unbind()
        if self.on_cuda:
            torch.cuda.empty_cache()
        arena.grow(size)

    def close(self):
        if self.on_cuda:
            torch.cuda.synchronize(self.device)
