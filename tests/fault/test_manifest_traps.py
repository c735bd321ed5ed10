#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders that were prepared to mislead `manifest` and `verify`: links in the place of the files that they read by name,
names that speak to a terminal, long chains of folders, times out of range, stand-ins for ssh-keygen, and signals where
nothing is hashed yet, or any more."""

import json
import os
import shutil
import signal
import subprocess

import fuse_folder
import launched
import mxt
import mxt_manifests

SECRET = b"nobody else's business"
STATUS = {"schema": "mindxtrain.status/1", "state": "ended", "exit_status": 0}


class TestCase(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.run_dir = self.write("run/log.txt", "it trained\n").parent
        self.secret = self.write("secret", SECRET)

    def environment(self, env=None, clean=False):
        return super().environment({"XDG_CACHE_HOME": self.dir / "cache", **(env or {})}, clean)

    def create(self, *options, **how):
        return self.run_program("manifest", "create", self.run_dir, *options, **how)

    def listed(self):
        manifest = json.loads((self.run_dir / "manifest.json").read_text())
        return [file["path"] for file in manifest["lists"][0]["files"]]


class Links(TestCase):
    def test_a_list_beside_the_manifest_is_no_link(self):
        self.create(status=0)
        beside = self.run_dir / "manifest.b3"
        shutil.move(beside, self.dir / "copy")
        for target in self.secret, self.dir / "copy", "/dev/zero":
            beside.unlink(missing_ok=True)
            beside.symlink_to(target)
            result = self.run_program("verify", self.run_dir, "--json", status=7)
            self.assertEqual([(row["problem"], row["path"], row["found"]) for row in result.json()["findings"]],
                             [("kind", "manifest.b3", "a link")])
            self.assertNotIn(mxt_manifests.b3(SECRET), result.out)

    def test_the_record_of_a_run_is_not_read_through_links(self):
        self.write("run/status.json", STATUS)
        for name in "plan.json", "run.yaml", "env.json", "argv.json", "job.json":
            link = self.run_dir / name
            link.symlink_to(self.secret)
            if name == "run.yaml":
                self.write("run/run.axolotl.yaml", "seed: 1\n")
            self.assert_error(self.create(), 1, "MXT-104", name, "is a link")
            link.unlink()

    def test_a_status_that_is_a_link_says_nothing(self):
        """It is a link in a folder of another launcher, and is listed as one."""
        (self.run_dir / "status.json").symlink_to(self.write("status", STATUS))
        self.create(status=0)
        manifest = json.loads((self.run_dir / "manifest.json").read_text())
        self.assertEqual(manifest["job"]["found"], "when the manifest was made")
        self.assertEqual(self.listed(), ["log.txt", "status.json"])
        self.run_program("verify", self.run_dir, status=0)

    def test_a_status_of_another_launcher_may_be_a_dataset(self):
        self.write("run/status.json", {"another": "launcher's"})
        self.create("--dataset", self.run_dir / "status.json", status=0)
        self.assertEqual(self.listed(), ["log.txt"])

    def test_a_manifest_that_is_a_link_to_nowhere_is_replaced(self):
        (self.run_dir / "manifest.json").symlink_to("/nonexistent/x")
        self.create(status=0)
        self.run_program("verify", self.run_dir, status=0)

    def test_folders_named_like_lists_are_the_runs_own(self):
        self.create(status=0)
        self.write("run/manifest.old.b3/a", "1")
        self.write("run/manifest.json.sig/b", "2")
        self.create(status=0)
        self.assertEqual(self.listed(), ["log.txt", "manifest.json.sig/b", "manifest.old.b3/a"])
        self.run_program("verify", self.run_dir, status=0)


class Names(TestCase):
    def test_what_is_printed_is_clean(self):
        """Paths and texts of links: no escapes, no control characters in any form, nothing that turns lines around."""
        names = ["e\033[31m", "c\u009b31m", "b\u202ei", "i\u2066", "l\u2028", "a\u061c", "%s%n", "n\udcff"]
        for name in names:
            (self.run_dir / f"link-{name}").symlink_to(f"to\n{name}")
            self.write(f"run/file-{name}", "1")
        self.create(status=0)
        for name in names:
            (self.run_dir / f"link-{name}").unlink()
            (self.run_dir / f"link-{name}").symlink_to(f"other\n{name}")
            (self.run_dir / f"file-{name}").rename(self.run_dir / f"new-{name}")
            os.mkfifo(self.run_dir / f"fifo-{name}")
        result = self.run_program("verify", self.run_dir, status=7)
        self.assertIn("%s%n", result.out)
        self.assertEqual(len(result.out.splitlines()), 4 * len(names) + 2)
        for text in result.out, result.err, self.create(status=3).err:
            wrong = {c for c in text if c != "\n" and (not c.isprintable() or c in "\u061c\u2028\u202e\u2066")}
            self.assertEqual(wrong, set())


class Folders(TestCase):
    def dig(self, levels):
        """A file below that many folders."""
        fd = os.open(self.run_dir, os.O_RDONLY)
        for _ in range(levels):
            os.mkdir("d", dir_fd=fd)
            below = os.open("d", os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = below
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
        os.close(fd)
        self.addCleanup(subprocess.run, ["rm", "-rf", self.run_dir], check=True)  # deeper than Python recurses

    def test_a_long_chain(self):
        self.dig(600)
        self.create(status=0)
        self.assertEqual(self.listed(), ["d/" * 600 + "file", "log.txt"])
        self.run_program("verify", self.run_dir, status=0)
        path = self.run_dir.joinpath(*["d"] * 300)
        path.joinpath("new").touch()
        self.run_program("verify", self.run_dir, status=7)

    def test_times_out_of_range(self):
        """In ns they are more than 64 bits hold."""
        path = self.run_dir / "log.txt"
        for seconds in 13569465600, -30000000000:
            os.utime(path, (seconds, seconds))
            self.create(status=0)
            self.run_program("verify", self.run_dir, status=0)


class Signals(TestCase):
    def test_while_folders_are_listed(self):
        """Nothing is hashed yet, and would not be for minutes."""
        for i in range(300):
            self.write(f"data/{i}/x", "")
        self.create("--dataset", self.dir / "data", status=0)
        before = (self.run_dir / "manifest.json").read_bytes()
        with fuse_folder.mounted(self, self.dir / "data", list_ms=400) as folder:
            for command in ["manifest", "create"], ["verify"]:
                process = self.start(*command, self.run_dir, "--dataset", folder)
                self.assertTrue(mxt.wait_until(lambda p=process: mxt.blocks_signal(p.pid, signal.SIGINT)))
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, err)
        self.assertEqual((self.run_dir / "manifest.json").read_bytes(), before)


class EndOfRun(launched.TestCase):
    def test_a_signal_after_the_end_leaves_the_status(self):
        """Wherever it comes between the end of the command and that of the program."""
        for number in (signal.SIGINT, signal.SIGTERM) * 3:
            runs = self.dir / f"runs-{number}-{len(os.listdir(self.dir))}"
            process = self.start("run", "--plan", self.simulated_plan(), "--allow-simulated", "--out", runs, "--", "sh",
                                 "-c", "exit 7", env=launched.SIMULATED)

            def ended(runs=runs):
                return any(json.loads(path.read_text())["state"] == "ended" for path in runs.glob("*/status.json"))

            self.assertTrue(mxt.wait_until(ended))
            while process.poll() is None:
                process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 7, err)


    @mxt.needs_root
    def test_a_full_disk_leaves_the_status(self):
        """Of the manifest there is the whole or nothing, and what is missing is told."""
        disk = self.dir / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3000k", "none", disk], check=False).returncode:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        fill = f"cd {disk}/runs/*; for i in $(seq 2000); do : >f$i; done; dd if=/dev/zero of={disk}/big bs=1k"
        for room in 0, 1000:  # KB; with these files, the manifest takes some 200, and the list 150
            result = self.run_program("run", "--plan", self.simulated_plan(), "--allow-simulated", "--out",
                                      disk / "runs", "--", "sh", "-c", f"{fill}; truncate -s -{room}k {disk}/big; exit 5",
                                      env=launched.SIMULATED, status=5)
            folder = next((disk / "runs").iterdir())
            whole = {"manifest.json", "manifest.b3"} <= set(os.listdir(folder))
            self.assertEqual("has no manifest, or not all of its lists" in result.err, not whole, result)
            self.assertEqual(whole, room == 1000, result)
            if (folder / "manifest.json").exists():
                self.run_program("verify", folder, status=0)
            shutil.rmtree(disk / "runs")
            (disk / "big").unlink()


class SshKeygen(TestCase):
    def setUp(self):
        super().setUp()
        self.create(status=0)

    def sign(self, script, **how):
        """`manifest sign` with a stand-in, `$last` being what it is to sign."""
        path = self.write("bin/ssh-keygen", f"#!/bin/sh\nfor last; do :; done\n{script}\n")
        path.chmod(0o755)
        environment = {"PATH": f"{path.parent}:/usr/bin:/bin", "TMPDIR": self.dir}
        return self.start("manifest", "sign", self.run_dir, "--key", "key", env=environment, **how)

    def assert_nothing_left(self):
        self.assertFalse((self.run_dir / "manifest.json.sig").exists())
        self.assertEqual([name for name in os.listdir(self.dir) if name.startswith("mindxtrain-")], [])

    def test_one_that_writes_no_signature(self):
        for script in ":", "echo garbage >$last.sig", ":>$last.sig", f"ln -s {self.secret} $last.sig", "mkfifo $last.sig":
            process = self.sign(script)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1, err)
            self.assertIn("[MXT-396]", err)
            self.assert_nothing_left()

    def test_one_that_hangs_is_stopped(self):
        for number in signal.SIGINT, signal.SIGTERM:
            process = self.sign("echo >\"$TMPDIR/began\"; exec sleep 100")
            self.assertTrue(mxt.wait_until((self.dir / "began").exists))
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, err)
            self.assertIn("[MXT-103]", err)
            self.assert_nothing_left()
            (self.dir / "began").unlink()


if __name__ == "__main__":
    mxt.main()
