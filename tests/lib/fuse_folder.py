# SPDX-License-Identifier: Apache-2.0
"""A folder that shows another one through FUSE, read-only, with a disk that fails: a server of the kernel's protocol
(linux/fuse.h), without any library.

    with fuse_folder.mounted(self, source, broken={"model.safetensors": 4096}) as folder:
        self.run_program("verify", folder, status=1)

What may be wrong with it:

    broken={NAME: OFFSET}   reads that reach the byte at OFFSET fail with EIO
    unopened=[NAME]         opening fails with EIO; of a folder, too
    told_size={NAME: SIZE}  the size that stat(2) says
    ignores_case=True       a name that is not there leads to one that differs in case only
    read_ms=N               each read takes so long
    list_ms=N               so does each opening of a folder

NAME is the last part of a path. Tests that need it are skipped where there is no /dev/fuse that may be used.
"""

import contextlib
import ctypes
import errno
import json
import os
import pathlib
import signal
import stat
import struct
import subprocess
import sys
import time
import unittest

LOOKUP, FORGET, GETATTR, READLINK, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 5, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, ACCESS, INTERRUPT, DESTROY, BATCH_FORGET = 25, 26, 27, 28, 29, 34, 36, 38, 42

VERSION = (7, 31)
REQUEST = struct.Struct("<IIQQIIII")  # fuse_in_header: length, opcode, unique, node, uid, gid, pid, padding
ANSWER = struct.Struct("<IiQ")  # fuse_out_header: length, error, unique
MAX_READ = 128 << 10
DIRECT_IO = 1  # FOPEN_DIRECT_IO: what is read comes from here, not from the page cache
NO_ANSWER = (FORGET, BATCH_FORGET, INTERRUPT)
MS_RDONLY, MS_NOSUID, MS_NODEV, MNT_DETACH = 1, 2, 4, 2
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)


class Server:
    """Nodes are paths below the source; one request after the other."""

    def __init__(self, source, faults):
        self.source, self.faults = os.fsencode(source), faults
        self.paths, self.nodes = {1: b""}, {b"": 1}
        self.calls = {LOOKUP: self.lookup, GETATTR: self.getattr, READLINK: self.readlink, OPEN: self.open,
                      READ: self.read, STATFS: self.statfs, OPENDIR: self.opendir, READDIR: self.readdir,
                      INIT: self.init, RELEASE: self.nothing, FLUSH: self.nothing, RELEASEDIR: self.nothing,
                      ACCESS: self.nothing}

    def fault(self, kind, path):
        return self.faults.get(kind, {}).get(os.fsdecode(os.path.basename(path)))

    def real(self, node):
        return os.path.join(self.source, self.paths[node])

    def serve(self, device):
        while True:
            try:
                request = os.read(device, MAX_READ + 4096)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT):
                    continue
                return  # ENODEV: it is no longer mounted
            _, opcode, unique, node, *_ = REQUEST.unpack_from(request)
            if opcode in NO_ANSWER:
                continue
            if opcode == DESTROY:
                return
            code, body = self.answer(opcode, node, request[REQUEST.size:])
            with contextlib.suppress(OSError):  # ENOENT: nobody waits for it any more
                os.write(device, ANSWER.pack(ANSWER.size + len(body), -code, unique) + body)

    def answer(self, opcode, node, body):
        call = self.calls.get(opcode)
        if not call:
            return errno.ENOSYS, b""
        try:
            return 0, call(node, body)
        except OSError as error:
            return error.errno, b""

    def nothing(self, node, body):
        return b""

    def init(self, node, body):
        return struct.pack("<IIIIHHIIHH32x", *VERSION, 0, 0, 4, 3, 4096, 1, 1, 0)

    def attributes(self, path):
        st = os.lstat(os.path.join(self.source, path))
        size = self.fault("told_size", path)
        seconds = [t // 10**9 for t in (st.st_atime_ns, st.st_mtime_ns, st.st_ctime_ns)]
        rest = [t % 10**9 for t in (st.st_atime_ns, st.st_mtime_ns, st.st_ctime_ns)]
        return struct.pack("<6Q10I", st.st_ino, st.st_size if size is None else size, st.st_blocks, *seconds, *rest,
                           st.st_mode, st.st_nlink, st.st_uid, st.st_gid, 0, 4096, 0)

    def find(self, folder, name):
        path = os.path.join(folder, name)
        if self.faults.get("ignores_case") and not os.path.lexists(os.path.join(self.source, path)):
            for other in os.listdir(os.path.join(self.source, folder)):
                if other.lower() == name.lower():
                    return os.path.join(folder, other)
        return path

    def lookup(self, node, body):
        path = self.find(self.paths[node], body.rstrip(b"\0"))
        attributes = self.attributes(path)
        new = self.nodes.setdefault(path, len(self.nodes) + 1)
        self.paths[new] = path
        return struct.pack("<QQQQII", new, 0, 0, 0, 0, 0) + attributes

    def getattr(self, node, body):
        return struct.pack("<QII", 0, 0, 0) + self.attributes(self.paths[node])

    def readlink(self, node, body):
        return os.readlink(self.real(node))

    def open(self, node, body, flags=DIRECT_IO):
        if os.path.basename(self.paths[node]) in map(os.fsencode, self.faults.get("unopened", ())):
            raise OSError(errno.EIO, "")
        return struct.pack("<QII", 0, flags, 0)

    def opendir(self, node, body):
        time.sleep(self.faults.get("list_ms", 0) / 1000)
        return self.open(node, body, flags=0)

    def read(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        broken = self.fault("broken", self.paths[node])
        time.sleep(self.faults.get("read_ms", 0) / 1000)
        if broken is not None and offset + size > broken:
            raise OSError(errno.EIO, "")
        with open(self.real(node), "rb") as file:
            return os.pread(file.fileno(), size, offset)

    def readdir(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        answer = b""
        for i, name in enumerate(sorted(os.listdir(self.real(node)))):
            st = os.lstat(os.path.join(self.real(node), name))
            entry = struct.pack("<QQII", st.st_ino, i + 1, len(name), stat.S_IFMT(st.st_mode) >> 12) + name
            entry += bytes(-len(entry) % 8)
            if i < offset:
                continue
            if len(answer) + len(entry) > size:
                break
            answer += entry
        return answer

    def statfs(self, node, body):
        return struct.pack("<5Q4I24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)


def mount(device, folder):
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV
    if libc.mount(b"mindxtrain-test", os.fsencode(folder), b"fuse", flags, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "cannot mount")


@contextlib.contextmanager
def mounted(test, source, folder=None, **faults):
    """The mounted folder; `test` is a mxt.TestCase, in whose scratch folder it lies unless `folder` says where."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise unittest.SkipTest("no /dev/fuse that may be used")
    folder = pathlib.Path(folder or test.dir / f"fuse-{len(os.listdir(test.dir))}")
    folder.mkdir(exist_ok=True)
    server = subprocess.Popen([sys.executable, __file__, source, folder, json.dumps(faults)], stdout=subprocess.PIPE)
    try:
        word = server.stdout.readline().strip()
        if word != b"mounted":
            raise unittest.SkipTest(f"FUSE cannot be mounted here: {word.decode()}")
        yield folder
    finally:
        libc.umount2(os.fsencode(folder), MNT_DETACH)
        server.kill()
        server.wait()
        server.stdout.close()


def main(source, folder, faults):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    device = os.open("/dev/fuse", os.O_RDWR)
    try:
        mount(device, folder)
    except OSError as error:
        print(os.strerror(error.errno), flush=True)
        return
    print("mounted", flush=True)
    Server(source, json.loads(faults)).serve(device)


if __name__ == "__main__":
    main(*sys.argv[1:])
