#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`manifest sign`, with the ssh-keygen that is here, and what it does about questions at a terminal."""

import contextlib
import json
import os
import pty
import re
import select
import shutil
import subprocess
import unittest

import mxt
import mxt_manifests

NAMESPACE = "mindxtrain.manifest/1"
PASSPHRASE = "correct horse"


def key_with(folder, name, passphrase=""):
    path = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", path], check=True)
    return path


@unittest.skipUnless(shutil.which("ssh-keygen"), "there is no ssh-keygen here")
class Sign(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.run_dir = self.dir / "run"
        self.run_dir.mkdir()
        (self.run_dir / "train.log").write_text("it went well\n")
        self.manifest = mxt_manifests.write(self.run_dir)
        self.signature = self.run_dir / "manifest.json.sig"

    def sign(self, key, *options, **how):
        return self.run_program("manifest", "sign", self.run_dir, "--key", key, *options, **how)

    def expect_signed_by(self, key):
        """By OpenSSH itself."""
        signers = self.write("signers", "me " + key.with_suffix(".pub").read_text())
        subprocess.run(["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "me", "-n", NAMESPACE, "-s",
                        self.signature], input=self.manifest.read_bytes(), check=True, capture_output=True)

    def test_what_it_writes_is_a_signature_of_openssh(self):
        key, before = key_with(self.dir, "key"), self.manifest.read_bytes()
        self.assertEqual(self.sign(key, "--json", status=0).json(),
                         {"event": "signed", "v": 1, "signature": str(self.signature),
                          "manifest_id": json.loads(before)["manifest_id"]})
        self.assertEqual(self.manifest.read_bytes(), before)
        self.expect_signed_by(key)

    def test_the_command_of_the_document(self):
        """Exactly as it is printed."""
        document = (mxt.SOURCE_ROOT / "docs/manifest.md").read_text()
        command = re.search(r"^    \$ (ssh-keygen -Y verify .*)$", document, re.MULTILINE).group(1)
        key = key_with(self.dir, "key")
        self.sign(key, status=0)
        (self.run_dir / "allowed_signers").write_text("me@example.org " + key.with_suffix(".pub").read_text())
        subprocess.run(command, shell=True, cwd=self.run_dir, check=True, capture_output=True)
        self.manifest.write_bytes(self.manifest.read_bytes() + b"\n")
        self.assertNotEqual(subprocess.run(command, shell=True, cwd=self.run_dir, capture_output=True).returncode, 0)

    def test_it_is_replaced_without_a_question(self):
        self.sign(key_with(self.dir, "first"), status=0)
        second = key_with(self.dir, "second")
        self.sign(second, status=0)
        self.expect_signed_by(second)

    def test_a_link_in_its_place_is_replaced_itself(self):
        victim, key = self.write("victim", "precious"), key_with(self.dir, "key")
        self.signature.symlink_to(victim)
        self.sign(key, status=0)
        self.assertEqual(victim.read_text(), "precious")
        self.assertFalse(self.signature.is_symlink())

    def test_nothing_is_signed_that_is_no_manifest(self):
        key = key_with(self.dir, "key")
        self.manifest.write_bytes(self.manifest.read_bytes().replace(b"1700000000", b"1700000001"))
        self.assert_error(self.sign(key), 7, "MXT-371")
        self.manifest.write_text("{}\n")
        self.assert_error(self.sign(key), 3, "MXT-370")
        self.manifest.unlink()
        self.assert_error(self.sign(key), 3, "MXT-180")
        self.assertFalse(self.signature.exists())

    def test_what_cannot_sign(self):
        self.assert_error(self.run_program("manifest", "sign", self.run_dir), 2, "MXT-110")
        self.assert_error(self.sign(self.dir / "missing"), 3, "MXT-397")
        self.assert_error(self.sign(key_with(self.dir, "locked", PASSPHRASE)), 3, "MXT-397")
        self.assert_error(self.sign("k", env={"PATH": "/nonexistent"}), 1, "MXT-396", "OpenSSH")
        self.assertFalse(self.signature.exists())

    def test_an_agent_signs_for_a_public_key(self):
        key = key_with(self.dir, "key")
        socket = self.dir / "agent"
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        mxt.wait_until(socket.exists)
        environment = {"SSH_AUTH_SOCK": str(socket)}
        subprocess.run(["ssh-add", "-q", key], env={**os.environ, **environment}, check=True)
        key.unlink()
        self.sign(key.with_suffix(".pub"), env=environment, status=0)
        self.expect_signed_by(key)

    # ---- at a terminal ----

    @contextlib.contextmanager
    def at_terminal(self, key):
        """The program in the foreground of a terminal of its own: (its process id, our end of it)."""
        environment = self.environment({"SSH_AUTH_SOCK": None, "TMPDIR": self.dir})
        pid, ours = pty.fork()
        if pid == 0:
            try:
                os.execve(mxt.PROGRAM, [mxt.PROGRAM, "manifest", "sign", self.run_dir, "--key", key], environment)
            finally:
                os._exit(1)
        try:
            self.read_until(ours, b"passphrase")
            yield pid, ours
        finally:
            os.close(ours)

    def read_until(self, fd, words):
        said = b""
        while words not in said:
            said += os.read(fd, 4096)
        return said

    def end_of(self, pid, ours, typed=b""):
        """What it still said, and its exit status. `typed` is typed again and again until it says something: an
        interrupt that comes between the question and the read for its answer is lost in ssh-keygen.
        """
        said = b""
        with contextlib.suppress(OSError):  # EIO: the other end is closed
            while True:
                if select.select([ours], [], [], 0.1)[0]:
                    said += os.read(ours, 4096)
                elif not said:
                    os.write(ours, typed)
        return said, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_a_passphrase_is_asked_for(self):
        key = key_with(self.dir, "locked", PASSPHRASE)
        with self.at_terminal(key) as (pid, ours):
            os.write(ours, PASSPHRASE.encode() + b"\n")
            said, status = self.end_of(pid, ours)
        self.assertEqual(status, 0, said)
        self.assertNotIn(PASSPHRASE.encode(), said)
        self.expect_signed_by(key)

    def test_a_wrong_one_signs_nothing(self):
        with self.at_terminal(key_with(self.dir, "locked", PASSPHRASE)) as (pid, ours):
            os.write(ours, b"wrong\n")
            said, status = self.end_of(pid, ours)
        self.assertEqual(status, 3, said)
        self.assertIn(b"MXT-397", said)
        self.assertFalse(self.signature.exists())

    def test_an_interrupt_ends_the_question(self):
        with self.at_terminal(key_with(self.dir, "locked", PASSPHRASE)) as (pid, ours):
            said, status = self.end_of(pid, ours, b"\x03")
        self.assertEqual(status, 130, said)
        self.assertFalse(self.signature.exists())
        self.assertEqual([path.name for path in self.dir.iterdir() if path.name.startswith("mindxtrain-")], [])


if __name__ == "__main__":
    mxt.main()
