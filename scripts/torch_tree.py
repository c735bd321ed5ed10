#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: torch_tree.py unpack FOLDER WHEEL...
       torch_tree.py check FOLDER

The folder of one torch that fetch-torch.sh makes. unpack: takes what the tests need out of the wheels, lays it out as a
virtual environment, loads libtorch_cpu.so once, and lists what is there in the file `contents`. check: status 1 unless
everything that `contents` lists is there with its size.
"""

import fnmatch
import os
import pathlib
import subprocess
import sys
import zipfile

SITE_PACKAGES = pathlib.PurePath("lib", "python3.11", "site-packages")
LIBRARY = SITE_PACKAGES / "torch" / "lib" / "libtorch_cpu.so"
# Which libraries lie beside libtorch_cpu.so differs between versions and machines; those that it never needs are large.
WANTED = ("torch/version.py", "torch/lib/*.so*", "torch.libs/*.so*", "torch-*.dist-info/METADATA",
          "nvidia/*/lib/libcudart.so*", "nvidia/*/lib/libcupti.so*")
UNWANTED = ("torch/lib/libtorch_cuda*", "torch/lib/libtorch_python*", "torch/lib/libtorch_nvshmem*")
CONFIG = "home = {home}\ninclude-system-site-packages = false\nversion = 3.11\n"
LOAD = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)"


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) and name.count("/") == pattern.count("/") for pattern in patterns)


def unpack_wheel(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if matches(name, WANTED) and not matches(name, UNWANTED):
                archive.extract(name, folder / SITE_PACKAGES)


def make_environment(folder):
    python = pathlib.Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python3").symlink_to(python)
    (folder / "pyvenv.cfg").write_text(CONFIG.format(home=python.parent))


def load(folder):
    """In a process of its own, with nothing but the library's own search path to find the others by."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}
    return subprocess.run([sys.executable, "-c", LOAD, str(folder / LIBRARY)], env=environment).returncode == 0


def files(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / "contents":
            yield path.relative_to(folder), path.lstat().st_size


def unpack(folder, wheels):
    make_environment(folder)
    for wheel in wheels:
        unpack_wheel(wheel, folder)
    if not load(folder):
        print(f"{LIBRARY} does not load", file=sys.stderr)
        return 1
    (folder / "contents").write_text("".join(f"{size} {path}\n" for path, size in files(folder)))
    return 0


def check(folder):
    try:
        listed = (folder / "contents").read_text().splitlines()
    except OSError:
        return 1
    there = {f"{size} {path}" for path, size in files(folder)}
    return 0 if listed and there.issuperset(listed) else 1


def main():
    command, folder, *wheels = sys.argv[1:]
    folder = pathlib.Path(folder)
    return unpack(folder, wheels) if command == "unpack" else check(folder)


if __name__ == "__main__":
    sys.exit(main())
