#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain verify` where disks fail, files change while they are read, rights are missing, and signals come."""

import contextlib
import json
import os
import pathlib
import signal
import threading
import time

import fuse_folder
import mxt


class Verify(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.run_dir = self.dir / "run"
        self.write("run/model.bin", os.urandom(1 << 20))
        self.write("run/small.txt", "1")
        self.run_program("manifest", "create", self.run_dir, status=0)

    def findings(self, folder, *options, status=7, **how):
        told = self.run_program("verify", folder, "--json", *options, status=status, **how).json()
        return {(row["problem"], row["path"], row.get("found")) for row in told["findings"]}


class Disks(Verify):
    def test_a_file_that_cannot_be_read(self):
        for fault in {"broken": {"model.bin": 700_000}}, {"unopened": ["model.bin"]}:
            with self.subTest(fault=fault), fuse_folder.mounted(self, self.run_dir, **fault) as folder:
                self.assertEqual(self.findings(folder), {("unreadable", "model.bin", "Input/output error")})

    def test_a_manifest_that_cannot_be_read(self):
        with fuse_folder.mounted(self, self.run_dir, broken={"manifest.json": 0}) as folder:
            failed = self.run_program("verify", folder)
            self.assertEqual((failed.status, failed.out), (1, ""), failed)
        with fuse_folder.mounted(self, self.run_dir, broken={"manifest.b3": 0}) as folder:
            self.assertEqual(self.findings(folder), {("unreadable", "manifest.b3", "Input/output error")})

    def test_a_size_that_is_not_true(self):
        with fuse_folder.mounted(self, self.run_dir, told_size={"small.txt": 2}) as folder:
            self.assertEqual(self.findings(folder), {("size", "small.txt", "2 bytes")})
        self.write("run/small.txt", "12")
        with fuse_folder.mounted(self, self.run_dir, told_size={"small.txt": 1}) as folder:
            self.assertEqual({row[:2] for row in self.findings(folder)}, {("unstable", "small.txt")})

    def test_a_cache_that_cannot_be_kept(self):
        """Whatever is wrong with it, the files are what counts."""
        self.write("file", "")
        for place in "/dev/full", "/proc/none", self.dir / "file":
            self.assertEqual(self.findings(self.run_dir, "--quick", status=0, env={"XDG_CACHE_HOME": place}), set())


class Changes(Verify):
    def test_a_file_that_changes_while_it_is_read(self):
        def reads(process):
            with contextlib.suppress(FileNotFoundError):
                files = pathlib.Path(f"/proc/{process.pid}/fd")
                return any(os.readlink(file).endswith("/model.bin") for file in files.iterdir())
            return False

        def swap():
            other = self.write("other", os.urandom(1 << 20))
            other.rename(self.run_dir / "model.bin")

        def grow():
            with open(self.run_dir / "model.bin", "ab") as file:
                file.write(b"x")

        def shrink():
            os.truncate(self.run_dir / "model.bin", 1000)

        for change in swap, grow, shrink:
            self.write("run/model.bin", os.urandom(1 << 20))
            self.run_program("manifest", "create", self.run_dir, status=0)
            with self.subTest(change=change.__name__), fuse_folder.mounted(self, self.run_dir, read_ms=60) as folder:
                process = self.start("verify", folder, "--json", "--threads", 1)
                self.assertTrue(mxt.wait_until(lambda: reads(process)))
                change()
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 7, err)
                self.assertEqual([(row["problem"], row["path"]) for row in json.loads(out)["findings"]],
                                 [("unstable", "model.bin")])

    def test_signals_end_it(self):
        def watches(process):
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            return int(status.partition("SigBlk:")[2].split()[0], 16) >> signal.SIGINT - 1 & 1

        self.write("data/model.bin", os.urandom(1 << 20))
        self.run_program("manifest", "create", self.run_dir, "--dataset", self.dir / "data", status=0)
        cached = sorted(self.user_cache.rglob("*"))
        for number in signal.SIGINT, signal.SIGTERM:
            with self.subTest(number=number), fuse_folder.mounted(self, self.dir / "data", read_ms=200) as folder:
                process = self.start("verify", self.run_dir, "--dataset", folder, "--json")
                self.assertTrue(mxt.wait_until(lambda: watches(process)))
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out), (128 + number, ""), err)
                self.assertIn("[MXT-103]", err)
                self.assertEqual(sorted(self.user_cache.rglob("*")), cached)


class Rights(Verify):
    @mxt.needs_root
    def test_without_rights(self):
        for parent in pathlib.Path(mxt.PROGRAM).resolve().parents:
            if not parent.stat().st_mode & 1:
                self.skipTest("the program cannot be reached by other users")
        self.write("run/closed/file", "1")
        self.run_program("manifest", "create", self.run_dir, status=0)
        self.dir.chmod(0o755)
        (self.run_dir / "closed").chmod(0o700)
        (self.run_dir / "small.txt").chmod(0o600)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        self.assertEqual(self.findings(self.run_dir, **nobody), {("unreadable", "closed", "Permission denied"),
                                                                 ("unreadable", "small.txt", "Permission denied")})
        (self.run_dir / "small.txt").chmod(0o644)
        self.assertEqual({row[1] for row in self.findings(self.run_dir, "--allow-extra", **nobody)}, {"closed"})

    @mxt.needs_root
    def test_a_cache_of_somebody_else(self):
        """Who may write to it could say that anything was seen unchanged."""
        time.sleep(2.1)
        self.run_program("verify", self.run_dir, status=0)
        trusted = lambda: self.run_program("verify", "--quick", "--json", self.run_dir, status=0).json()["files_trusted"]
        self.assertEqual(trusted(), 2)
        os.chown(self.user_cache / "mindxtrain/verify", 65534, 65534)
        self.assertEqual(trusted(), 0)


class Races(Verify):
    def test_files_that_come_and_go(self):
        """Whatever else happens in the folder: it ends, and finds what is not as it was."""
        stop = threading.Event()

        def disturb():
            path = self.run_dir / "here/and/there"
            while not stop.is_set():
                path.mkdir(parents=True)
                (path / "file").write_text("x")
                (path / "file").unlink()
                for folder in path, path.parent, path.parent.parent:
                    folder.rmdir()

        (self.run_dir / "small.txt").write_text("2")
        thread = threading.Thread(target=disturb)
        thread.start()
        try:
            for _ in range(20):
                self.assertIn("small.txt", {row[1] for row in self.findings(self.run_dir)})
                allowed = {row[:2] for row in self.findings(self.run_dir, "--allow-extra")}
                self.assertEqual(allowed, {("content", "small.txt")})
        finally:
            stop.set()
            thread.join()


if __name__ == "__main__":
    mxt.main()
