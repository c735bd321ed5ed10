#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doctor --bundle: an archive that others can read, that is a recorded machine again, and that names nobody."""

import json
import os
import pathlib
import re
import socket
import tarfile

import mxt

HOSTS = mxt.FIXTURES / "hosts"


def without_ids(text):
    """Cards keep apart in a bundle, by other ids than their own."""
    return re.sub("GPU-[0-9a-f]{16}", "GPU", text)


class Bundle(mxt.TestCase):
    def pack(self, *args, status=None, env=None):
        result = self.run_program("doctor", "--bundle", "b.tar", *args, status=status, env=env)
        with tarfile.open(self.dir / "b.tar") as tar:
            members = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
        return result, members

    def unpack(self, name):
        with tarfile.open(self.dir / "b.tar") as tar:
            tar.extractall(self.dir / name)
        return self.dir / name

    def test_a_recorded_machine_is_one_again(self):
        for name in ("mi300x-8", "mi300x-cpx", "h200-2x", "graviton"):
            with self.subTest(name):
                self.pack("--sysroot", HOSTS / name)
                folder = self.unpack(name)
                for check in ("amd", "cpu", "memory"):
                    self.assertEqual(self.checks(HOSTS / name, check), self.checks(folder / "machine", check))
                self.assertEqual(self.libraries(HOSTS / name), self.libraries(folder / "machine"))

    def libraries(self, folder):
        """The files of BLAS libraries; what is in them is not packed."""
        check, = self.checks(folder, "blas")
        return [library["path"] for library in check["facts"]["libraries"]]

    def checks(self, folder, name):
        report = json.loads(without_ids(self.run_program("doctor", "--json", "--sysroot", folder).out))
        return [check for check in report["checks"] if check["id"] == name]

    def test_the_report_is_what_was_printed(self):
        result, members = self.pack("--json", "--sysroot", HOSTS / "mi300x-8")
        self.assertEqual(json.loads(without_ids(members["report/doctor.json"].decode())),
                         json.loads(without_ids(result.out)))
        self.assertIn("files in b.tar", result.err)

    def test_cards_keep_apart_but_not_their_ids(self):
        _, members = self.pack("--sysroot", HOSTS / "mi300x-8")
        lines = [line for name, text in members.items() if name.endswith("/properties")
                 for line in text.decode().splitlines() if line.startswith("unique_id ") and line != "unique_id 0"]
        self.assertEqual(len(set(lines)), 8)
        for line in lines:
            self.assertLess(int(line.split()[1]), 100)

    def test_this_machine_without_its_names(self):
        env = {"HOME": "/home/karin", "USER": "karin", "LOGNAME": "karin", "HF_TOKEN": "hf_secret"}
        _, members = self.pack(env=env)
        self.assertIn("report/kernel.log", members)
        self.assertIn("machine/environ", members)
        self.assertIn("README", members)
        everything = b"\n".join(members.values())
        self.assertFalse(b"karin" in everything, "a user")
        self.assertFalse(b"hf_secret" in everything, "a token")
        host = socket.gethostname().split(".")[0]
        self.assertNotIn(f'"{host}"'.encode(), members["report/doctor.json"])

    def test_an_old_archive_survives_what_goes_wrong(self):
        old = self.write("b.tar", "old")
        result = self.run_program("doctor", "--bundle", "b.tar", "--sysroot", "nowhere", status=3)
        self.assertIn("MXT-230", result.err)
        self.assertEqual(pathlib.Path(old).read_text(), "old")
        self.assert_error(self.run_program("doctor", "--bundle", self.dir, status=1), 1, "MXT-104", "")
        self.assert_error(self.run_program("doctor", "--bundle", "none/b.tar", status=1), 1, "MXT-102", "")

    def test_survey_packs_nothing(self):
        result = self.run_program("doctor", "--survey", "--bundle", "b.tar", status=2)
        self.assertIn("leave out --bundle", result.err)
        self.assertFalse(os.path.exists(self.dir / "b.tar"))


if __name__ == "__main__":
    mxt.main()
