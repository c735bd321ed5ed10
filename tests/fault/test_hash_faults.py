#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hashing from disks that fail or lie, ended by signals, and the memory that it takes."""

import os
import random
import signal
import subprocess

import fuse_folder
import mxt

SMALL, LARGE = 300_000, 6 << 20  # bytes: read by one thread, and by parts
MOST_MEMORY = 64 << 20  # bytes


class Hashing(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.write("run/train.log", "done\n")
        self.data = self.dir / "data"
        noise = random.Random(1)
        for name, size in ("a.bin", SMALL), ("b.bin", LARGE), ("c.bin", 1):
            self.write(f"data/{name}", noise.randbytes(size))

    def create(self, dataset, *options, **how):
        return self.run_program("manifest", "create", self.dir / "run", "--dataset", dataset, *options, **how)

    def assert_none_made(self):
        self.assertEqual(os.listdir(self.dir / "run"), ["train.log"])

    def refuse(self, error_id, name, *options, **faults):
        with fuse_folder.mounted(self, self.data, **faults) as folder:
            self.assert_error(self.create(folder, *options), 1, error_id, f"{folder}/{name}")
        self.assert_none_made()


class Disk(Hashing):
    def test_reads_that_fail(self):
        for name, size in ("a.bin", SMALL), ("b.bin", LARGE), ("c.bin", 1):
            for threads in "1", "3":
                with self.subTest(name, threads=threads):
                    self.refuse("MXT-360", name, "--threads", threads, broken={name: size - 1})

    def test_a_dataset_that_is_one_file_is_named_once(self):
        with fuse_folder.mounted(self, self.data, broken={"a.bin": 0}) as folder:
            self.assert_error(self.create(folder / "a.bin"), 1, "MXT-360", f" {folder}/a.bin cannot be read")

    def test_a_file_that_cannot_be_opened(self):
        self.refuse("MXT-360", "b.bin", unopened=["b.bin"])

    def test_a_size_that_is_not_true(self):
        for size in 0, SMALL - 1, SMALL + 1, LARGE:
            with self.subTest(size=size):
                self.refuse("MXT-362", "a.bin", told_size={"a.bin": size})

    def test_what_fails_is_found_later(self):
        self.create(self.data, status=0)
        with fuse_folder.mounted(self, self.data, broken={"b.bin": LARGE // 2}) as folder:
            result = self.run_program("verify", self.dir / "run", "--dataset", folder, status=7)
        self.assertIn("b.bin", result.out + result.err)
        self.assertIn(os.strerror(5), result.out + result.err)


class Signals(Hashing):
    def test_they_end_it(self):
        for number in signal.SIGINT, signal.SIGTERM:
            with self.subTest(number), fuse_folder.mounted(self, self.data, read_ms=50) as folder:
                process = self.start("manifest", "create", self.dir / "run", "--dataset", folder)
                self.assertTrue(mxt.wait_until(lambda: self.reads_below(process.pid, folder)))
                process.send_signal(number)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + number, err)
                self.assertIn("[MXT-", err)
            self.assert_none_made()

    @staticmethod
    def reads_below(pid, folder):
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                if os.readlink(f"/proc/{pid}/fd/{fd}").endswith("/b.bin"):
                    return True
            except OSError:
                continue
        return False


class Memory(Hashing):
    def test_it_is_bounded(self):
        with open(self.data / "sparse.bin", "wb") as file:
            file.truncate(512 << 20)
        process = self.start("manifest", "create", self.dir / "run", "--dataset", self.data, "--threads", "16",
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        if not os.environ.get("MXT_SANITIZE", "none").startswith("address"):
            self.assertLess(usage.ru_maxrss * 1024, MOST_MEMORY)


if __name__ == "__main__":
    mxt.main()
