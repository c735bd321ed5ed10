# SPDX-License-Identifier: Apache-2.0
"""The folders that scripts/fetch-torch.sh makes, from wheels of the test's own: no network, nothing large."""

import os
import platform
import re
import signal
import subprocess
import sys
import zipfile

import mxt
import real_torch

MACHINE = platform.machine()


def a_library():
    """The path of some library that this process has loaded: a copy of it loads anywhere."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return re.search(r"(/\S*/libm\.so\.6|/\S*/libc\.so\.6)$", maps.read(), re.MULTILINE)[1]


class FetchTorch(mxt.TestCase):
    def setUp(self):
        super().setUp()
        if not real_torch.VERSIONS:
            self.skipTest(f"no torch is known for {MACHINE}")
        self.wheels, self.cache = self.dir / "wheels", self.dir / "a cache"
        self.wheels.mkdir()
        self.oldest = real_torch.VERSIONS[0]
        with open(a_library(), "rb") as file:
            self.library = file.read()

    def wheel(self, name, version, files):
        path = self.wheels / f"{name}-{version}-py3-none-manylinux_2_28_{MACHINE}.whl"
        info = f"{name}-{version}.dist-info"
        files = {**files, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
                 f"{info}/WHEEL": "Wheel-Version: 1.0\n", f"{info}/RECORD": ""}
        with zipfile.ZipFile(path, "w") as archive:
            for file, content in files.items():
                archive.writestr(file, content)

    def index(self, version, library=None):
        """Wheels of that torch and of what the table names beside it."""
        self.wheel("torch", version, {
            "torch/version.py": f"__version__ = '{version}'\n",
            "torch/__init__.py": "",
            "torch/lib/libtorch_cpu.so": self.library if library is None else library,
            "torch/lib/libtorch_cuda.so": "large",
            "torch/lib/libtorch_python.so": "large"})
        table = real_torch.FETCH.read_text()
        row = re.search(rf"^\s*{re.escape(version)}\s+{MACHINE}\b(.*)$", table, re.MULTILINE)[1]
        beside = {"nvidia/cu0/lib/libcudart.so.0": "some", "nvidia/cu0/lib/x.so": "large"}
        for name, of in re.findall(r"(\S+)==(\S+)", row):
            self.wheel(name.replace("-", "_"), of, beside)

    def command(self, *args, **env):
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels).replace(" ", "%20"),
                   "MXT_TORCH_CACHE": self.cache, **env}
        return {"args": args, "env": offline, "program": real_torch.FETCH}

    def fetch(self, *args, status=0, **env):
        how = self.command(*args, **env)
        return self.run_program(*how.pop("args"), status=status, **how)

    def contents(self, version=None):
        folder = self.cache / (version or self.oldest)
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())

    def assert_nothing_else(self, *names):
        self.assertEqual(sorted(os.listdir(self.cache)), sorted([".lock", *names]))

    def test_only_what_is_needed(self):
        for version in real_torch.VERSIONS:
            self.index(version)
        self.fetch()
        site = "lib/python3.11/site-packages"
        for version in real_torch.VERSIONS:
            files = self.contents(version)
            for name in ("bin/python3", "pyvenv.cfg", "contents", f"{site}/torch/version.py",
                         f"{site}/torch/lib/libtorch_cpu.so", f"{site}/torch-{version}.dist-info/METADATA"):
                self.assertIn(name, files)
            self.assertFalse([name for name in files if re.search("whl|__init__|torch_cuda|torch_python|/x.so", name)])
        self.assert_nothing_else(*real_torch.VERSIONS)

    def test_the_program_finds_it(self):
        self.index(self.oldest)
        self.fetch(self.oldest)
        result = self.run_program("doctor", "--python", self.cache / self.oldest, clean=True)
        self.assertIn(f"torch {self.oldest}", result.out, result)

    def test_a_whole_folder_needs_no_index(self):
        self.index(self.oldest)
        self.fetch(self.oldest)
        before = os.stat(self.cache / self.oldest).st_ino
        result = self.fetch(self.oldest, PIP_FIND_LINKS="/nowhere")
        self.assertEqual(result.out, "")
        self.assertEqual(os.stat(self.cache / self.oldest).st_ino, before)

    def test_a_damaged_folder_is_made_again(self):
        self.index(self.oldest)
        self.fetch(self.oldest)
        whole = self.contents()
        folder = self.cache / self.oldest
        library = folder / "lib/python3.11/site-packages/torch/lib/libtorch_cpu.so"
        damages = (lambda: library.write_bytes(b"cut"), library.unlink, (folder / "contents").unlink,
                   (folder / "bin/python3").unlink)
        for damage in damages:
            damage()
            self.fetch(self.oldest)
            self.assertEqual(self.contents(), whole)
            self.assertEqual(library.read_bytes(), self.library)
        self.assert_nothing_else(self.oldest)

    def test_what_a_kill_left_behind_is_removed(self):
        self.index(self.oldest)
        (self.cache / ".partial.old" / "wheels").mkdir(parents=True)
        (self.cache / self.oldest / "lib").mkdir(parents=True)
        self.fetch(self.oldest)
        self.assert_nothing_else(self.oldest)
        self.assertIn("contents", self.contents())

    def test_two_at_once(self):
        self.index(self.oldest)
        both = []
        for _ in range(2):
            how = self.command(self.oldest)
            both.append(self.start(*how.pop("args"), **how))
        outputs = [process.communicate(timeout=60) for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], outputs)
        self.assertEqual(sum("fetch-torch:" in out for out, _ in outputs), 1, outputs)
        self.assert_nothing_else(self.oldest)

    def test_interrupted(self):
        """Stopped while it waits for pip: nothing is left but the lock."""
        self.index(self.oldest)
        self.write("bin/python3", "#!/bin/sh\ncase $* in *download*) echo started; exec sleep 60 ;; esac\n"
                                  "exec /usr/bin/python3 \"$@\"\n").chmod(0o755)
        how = self.command(self.oldest, PATH=f"{self.dir / 'bin'}:{os.environ['PATH']}")
        process = self.start(*how.pop("args"), start_new_session=True, **how)
        self.assertEqual(process.stdout.readline(), "started\n")
        os.killpg(process.pid, signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 143)
        process.communicate()
        self.assert_nothing_else()

    def test_no_index(self):
        """A closed port: one line, and the status of a skipped test."""
        closed = {"PIP_NO_INDEX": None, "PIP_FIND_LINKS": None, "PIP_EXTRA_INDEX_URL": None,
                  "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull}
        result = self.fetch(self.oldest, status=77, **closed)
        self.assertEqual(len((result.out + result.err).splitlines()), 1, result)
        self.assertIn(self.oldest, result.out)
        self.assert_nothing_else()

    def test_no_room_of_its_own(self):
        result = self.fetch(self.oldest, status=77, MXT_TORCH_CACHE="/dev/null/cache")
        self.assertEqual(len((result.out + result.err).splitlines()), 1, result)

    def test_what_does_not_load_is_an_error(self):
        self.index(self.oldest, library=b"not a library")
        result = self.fetch(self.oldest, status=1)
        self.assertIn("does not load", result.err)
        self.assert_nothing_else()

    def test_a_version_that_is_not_kept(self):
        result = self.fetch("1.0", status=2)
        self.assertIn(self.oldest, result.err)


class RealTorch(mxt.TestCase):
    def test_every_version_loads_alone(self):
        """In a process without any variable that names folders of libraries."""
        for version in real_torch.VERSIONS:
            library = real_torch.site_packages(version) / "torch" / "lib" / "libtorch_cpu.so"
            code = f"import ctypes; ctypes.CDLL({str(library)!r}).aoti_torch_device_type_cpu"
            run = subprocess.run([sys.executable, "-c", code], env={}, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    mxt.main()
