#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders that are listed for a manifest, and held against it: file systems and names that are unlike the usual ones."""

import contextlib
import os
import pathlib
import shutil
import socket

import fuse_folder
import mxt
import mxt_manifests


class Folder(mxt_manifests.RunWithData):
    def verify(self, *args, **how):
        return self.run_program("verify", self.run_folder, *args, **how)


class Case(Folder):
    """Two names that differ in case only, and the same in both: where the case does not count there is one file, which
    opens under both names."""

    def setUp(self):
        super().setUp()
        for name in "Data", "data":
            (self.data / name).write_text("the same")
        self.one = pathlib.Path(self.dir, "one")
        self.one.mkdir()
        (self.one / "Data").write_text("the same")

    def test_two_files_are_not_one(self):
        self.create(status=0)
        with fuse_folder.mounted(self, self.one, ignores_case=True) as folder:
            self.assertEqual((folder / "data").read_text(), "the same")
            result = self.verify("--dataset", folder, status=7)
        self.assertRegex(result.out + result.err, r"missing\s+.*\bdata\b")
        self.verify(status=0)

    def test_nor_in_a_list_of_b3sum(self):
        self.create(status=0)
        listed = self.run_folder / "manifest.dataset.b3"
        with fuse_folder.mounted(self, self.one, ignores_case=True) as folder:
            self.run_program("verify", listed, "--dataset", folder, status=7)
        self.run_program("verify", listed, "--dataset", self.data, status=0)


class Broken(Folder):
    def test_a_folder_whose_disk_fails(self):
        (self.data / "sub").mkdir()
        (self.data / "sub" / "file").write_text("1")
        with fuse_folder.mounted(self, self.data, unopened=["sub"]) as folder:
            self.assert_error(self.create(folder), 1, "MXT-360", "sub")
            self.create(status=0)
            result = self.verify("--dataset", folder)
            self.assertEqual(result.status, 7, result)
            self.assertIn("sub", result.out + result.err)

    def test_a_folder_that_may_not_be_read(self):
        (self.data / "shut").mkdir(mode=0)
        if os.access(self.data / "shut", os.R_OK):
            self.skipTest("this user may read everything")
        self.assert_error(self.create(), 1, "MXT-360", "shut")
        (self.data / "shut").chmod(0o700)

    def test_what_is_no_file(self):
        path = self.data / "odd"
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as bound:
            bound.bind(str(path))
            self.assert_error(self.create(), 3, "MXT-361", "odd", "socket")
        path.unlink()
        os.mkfifo(path)
        self.assert_error(self.create(), 3, "MXT-361", "odd", "FIFO")
        self.assert_error(self.create(path), 3, "MXT-361", "odd", "FIFO")
        path.unlink()
        (self.data / "two\nlines").write_text("1")
        self.assert_error(self.create(), 3, "MXT-363", "two?lines", "line feed")
        self.assertFalse((self.run_folder / "manifest.json").exists())

    def test_a_fifo_in_the_place_of_a_file(self):
        (self.data / "file").write_text("1")
        self.create(status=0)
        (self.data / "file").unlink()
        os.mkfifo(self.data / "file")
        self.assertIn("file", self.verify(status=7).out)


class Names(Folder):
    def dig(self, levels, name):
        """Folders in each other, and a file in the last one; their path is too long for any call that takes one."""
        here = os.open(self.data, os.O_RDONLY)
        for _ in range(levels):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        return here

    def test_paths_that_no_call_takes(self):
        name = "n" * 250
        deepest = self.dig(20, name)
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=deepest))
        (self.data / "near").write_text("1")
        result = self.create(status=0)
        self.assertEqual([one["path"] for one in self.listed()["files"]], ["near", "/".join([name] * 20 + ["file"])])
        self.assertEqual((self.run_folder / "manifest.dataset.b3").read_text().count("\n"), 1)
        self.assertRegex(result.out + result.err, "leave out 1 file")
        self.verify(status=0)
        os.unlink("file", dir_fd=deepest)
        os.close(os.open("other", os.O_WRONLY | os.O_CREAT, dir_fd=deepest))
        self.verify(status=7)
        os.close(deepest)
        shutil.rmtree(self.data)

    def test_hard_links(self):
        (self.data / "one").write_text("1")
        os.link(self.data / "one", self.data / "two")
        self.create(status=0)
        self.verify(status=0)
        (self.data / "one").write_text("2")
        result = self.verify(status=7)
        self.assertIn("one", result.out)
        self.assertIn("two", result.out)

    def test_links_that_lead_elsewhere(self):
        (self.data / "a").write_text("1")
        os.symlink("a", self.data / "link")
        self.create(status=0)
        (self.data / "link").unlink()
        os.symlink("../data/a", self.data / "link")
        self.assertIn("link", self.verify(status=7).out)
        (self.data / "link").unlink()
        (self.data / "link").write_text("1")
        self.assertIn("link", self.verify(status=7).out)


if __name__ == "__main__":
    mxt.main()
