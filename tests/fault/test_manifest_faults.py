#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain manifest create` that is killed, has no room, may not write, reads a disk that fails, or is interrupted: the
manifest that was there stays, or a whole new one is there, and what lies beside it is its own. MXT_KILLS: how often it is
killed (1000 before a release)."""

import json
import os
import random
import signal
import subprocess
import time

import fuse_folder
import mxt
import mxt_plans

KILLS = int(os.environ.get("MXT_KILLS", "40"))
FILES = 120


class TestCase(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.run_dir = self.dir / "run"
        self.write("run/log.txt", "it trained\n")
        for i in range(FILES):
            self.write(f"data/{i}.jsonl", f"{i}\n")

    def create(self, *options, **how):
        return self.run_program("manifest", "create", self.run_dir, "--dataset", "data", *options, **how)

    def id_of_whole(self):
        """That of a manifest.json that is whole, with no other's lists beside it; None: there is none."""
        path = self.run_dir / "manifest.json"
        names = {"run": "manifest.b3", "dataset": "manifest.dataset.b3"}
        if not path.exists():
            self.assertFalse(any((self.run_dir / name).exists() for name in names.values()))
            return None
        manifest = json.loads(path.read_bytes())
        claimed = manifest.pop("manifest_id")
        self.assertEqual(mxt_plans.blake3(mxt_plans.canonical(manifest)), claimed)
        for made in manifest["lists"]:
            beside = self.run_dir / names[made["role"]]
            if beside.exists():
                self.assertEqual(beside.read_text(),
                                 "".join(f"{file['blake3']}  {file['path']}\n" for file in made["files"]))
        return claimed


class Kills(TestCase):
    def test_at_any_moment(self):
        rng = random.Random(os.environ.get("MXT_KILLS_SEED", "7"))
        start = time.monotonic()
        self.create(status=0)
        lasts_s = time.monotonic() - start
        ids = {self.id_of_whole()}
        for i in range(KILLS):
            self.write("run/log.txt", f"run {i}\n")
            process = self.start("manifest", "create", self.run_dir, "--dataset", "data")
            time.sleep(rng.uniform(0, 1.2 * lasts_s))
            process.kill()
            process.communicate()
            ids.add(self.id_of_whole())
        self.assertNotIn(None, ids)
        self.create(status=0)
        manifest = json.loads((self.run_dir / "manifest.json").read_text())
        self.assertEqual([file["path"] for file in manifest["lists"][0]["files"]], ["log.txt"])


class Disks(TestCase):
    def mount(self, *options):
        """An empty file system in memory as the run's folder, with a log in it."""
        self.run_dir = self.dir / "disk"
        self.run_dir.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", *options, "none", self.run_dir], check=False).returncode:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", self.run_dir], check=False)
        self.write("disk/log.txt", "it trained\n")

    @mxt.needs_root
    def test_full(self):
        """The old manifest stays; nothing of a new one does, which has no room where the old one's lists were either."""
        self.mount("-o", "size=64k")
        self.create(status=0)
        before = self.id_of_whole()
        for i in range(FILES):
            self.write(f"data/more/{i}.jsonl", "{}\n")
        filled = (self.run_dir / "filled").open("wb")
        with filled, self.assertRaises(OSError):
            while True:
                os.write(filled.fileno(), bytes(4096))
        self.assert_error(self.create(), 1, "MXT-102", "No space")
        self.assertEqual(self.id_of_whole(), before)
        self.assertEqual({path.name for path in self.run_dir.iterdir()} - {"manifest.b3", "manifest.dataset.b3"},
                         {"log.txt", "filled", "manifest.json"})

    @mxt.needs_root
    def test_read_only(self):
        """That is told before anything is hashed."""
        self.mount()
        with open(self.dir / "data/large", "wb") as file:
            file.truncate(1 << 40)
        subprocess.run(["mount", "-o", "remount,ro", self.run_dir], check=True)
        self.assert_error(self.create(), 1, "MXT-102", "Read-only")

    def test_one_that_fails(self):
        self.create(status=0)
        before = self.id_of_whole()
        with fuse_folder.mounted(self, self.dir / "data", broken={"7.jsonl": 0}) as folder:
            result = self.run_program("manifest", "create", self.run_dir, "--dataset", folder)
        self.assert_error(result, 1, "MXT-360", "7.jsonl")
        self.assertEqual(self.id_of_whole(), before)


class Interrupts(TestCase):
    def test_while_files_are_hashed(self):
        self.create(status=0)
        before = self.id_of_whole()
        with open(self.dir / "data/large", "wb") as file:
            file.truncate(1 << 40)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("manifest", "create", self.run_dir, "--dataset", "data")
            self.assertTrue(mxt.wait_until(lambda p=process: mxt.blocks_signal(p.pid, signal.SIGINT)))
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, err)
            self.assertEqual(self.id_of_whole(), before)


if __name__ == "__main__":
    mxt.main()
