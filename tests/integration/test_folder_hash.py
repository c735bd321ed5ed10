#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hash of a folder and the lists for b3sum: what docs/manifest.md says about them, with the commands as they stand
there, against what the program makes."""

import os
import pathlib
import subprocess

import mxt
import mxt_manifests

DOCUMENT = mxt.SOURCE_ROOT / "docs" / "manifest.md"
ODD_NAMES = [b"a", b"a-b", b"a.b", b"sub/a", b"sub/ two  blanks ", b"B", b"-n", b"a'b\"c$d", b"tab\there", b"back\\slash",
             b"\\", "ä/ü".encode(), "\u2028".encode(), b"sub/\x1b[2J"]
UNNAMEABLE = [b"\xff", b"sub/\xc3", b"\xef\xbf\xbd", b"ends in\r", b"-"]


def commands(section):
    """The indented blocks of one section of the document, as they stand there."""
    text = DOCUMENT.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    blocks, block = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("    "):
            block.append(line[4:])
        elif block:
            blocks.append("\n".join(block) + "\n")
            block = []
    return blocks


def shell(command, folder, shell="sh", locale="C.UTF-8"):
    done = subprocess.run([shell, "-c", command], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "LC_ALL": locale})
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{command}: {done}")
    return done.stdout.decode().rstrip("\n")


class Folder(mxt_manifests.RunWithData):
    def setUp(self):
        super().setUp()
        self.quick, self.any_folder = commands("The folder's hash")

    def fill(self, names, folder=None):
        for name in names:
            path = os.path.join(os.fsencode(folder or self.data), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(b"content of " + name)

    def made(self, dataset=None):
        """The dataset's list in a new manifest."""
        self.create(dataset, status=0)
        return self.listed()


class Hash(Folder):
    def test_commands_print_it(self):
        self.fill(ODD_NAMES)
        os.makedirs(self.data / "empty" / "folder")
        made = self.made()
        self.assertEqual(shell(self.quick, self.data), made["hash"])
        self.assertEqual(shell(self.any_folder, self.data), made["hash"])
        listed = shell("b3sum --no-names manifest.dataset.b3", self.run_folder)
        self.assertEqual(listed, made["hash"])

    def test_in_any_locale_and_shell(self):
        self.fill(ODD_NAMES + UNNAMEABLE)
        made = self.made()
        for locale in "C", "C.UTF-8":
            for name in "sh", "bash":
                self.assertEqual(shell(self.any_folder, self.data, name, locale), made["hash"])

    def test_links(self):
        self.fill([b"a", b"sub/b"])
        os.symlink("a", self.data / "here")
        os.symlink("../../elsewhere", self.data / "sub" / "out")
        os.symlink(b"line\nfeed \\\xff\n", os.path.join(os.fsencode(self.data), b"back\\\xfe"))
        made = self.made()
        self.assertEqual(shell(self.any_folder, self.data), made["hash"])
        self.assertEqual(made["outside_links"], 1)
        os.unlink(self.data / "here")
        os.symlink("sub/b", self.data / "here")
        self.assertNotEqual(shell(self.any_folder, self.data), made["hash"])

    def test_a_snapshot_of_the_hub_is_its_plain_copy(self):
        snapshot = self.data / "datasets--a--b" / "snapshots" / "0123"
        self.fill([b"blobs/1", b"blobs/2"], self.data / "datasets--a--b")
        (snapshot / "sub").mkdir(parents=True)
        os.symlink("../../blobs/1", snapshot / "train.jsonl")
        os.symlink("../../../blobs/2", snapshot / "sub" / "test.jsonl")
        made = self.made(snapshot)
        self.assertEqual([one["path"] for one in made["files"]], ["sub/test.jsonl", "train.jsonl"])
        self.assertEqual(shell(self.quick.replace("find .", "find -L ."), snapshot), made["hash"])
        copy = pathlib.Path(self.dir, "copy")
        shell(f"cp -rL {snapshot} {copy}", self.dir)
        self.assertEqual(self.made(copy)["hash"], made["hash"])
        self.run_program("verify", self.run_folder, "--dataset", snapshot, status=0)

    def test_names_are_kept_whatever_they_are(self):
        names = ODD_NAMES + UNNAMEABLE
        self.fill(names)
        held = []
        for one in self.made()["files"]:
            self.assertTrue(("path" in one) != ("path_bytes" in one))
            held.append(one["path"].encode() if "path" in one else bytes.fromhex(one["path_bytes"]))
        self.assertEqual(held, sorted(names))


class Lists(Folder):
    def check(self, folder, name):
        return shell(commands("manifest.b3")[0].replace("manifest.b3", f"{self.run_folder}/{name}"), folder)

    def test_b3sum_accepts_them(self):
        self.fill(ODD_NAMES + UNNAMEABLE)
        self.fill(ODD_NAMES, self.run_folder)
        self.made()
        self.check(self.run_folder, "manifest.b3")
        self.check(self.data, "manifest.dataset.b3")
        lines = (self.run_folder / "manifest.dataset.b3").read_text().split("\n")[:-1]
        self.assertEqual(len(lines), len(ODD_NAMES))
        (self.data / "a").write_text("changed")
        with self.assertRaises(AssertionError):
            self.check(self.data, "manifest.dataset.b3")

    def test_verify_takes_a_list_of_b3sum(self):
        self.fill(ODD_NAMES)
        listed = pathlib.Path(self.data, "sums.b3")
        text = shell(self.quick.rsplit("|", 1)[0], self.data)
        listed.write_text(text + "\n")
        self.run_program("verify", listed, "--allow-extra", status=0)
        (self.data / "a").write_text("changed")
        self.run_program("verify", listed, "--allow-extra", status=7)


if __name__ == "__main__":
    mxt.main()
