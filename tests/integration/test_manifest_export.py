#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manifests in the forms of others, as the readers of others see them: in-toto-attestation and model-signing."""

import hashlib
import json
import os
import pathlib
import signal
import unittest

import fuse_folder
import mxt
import real_attestation

CHECKPOINT = {
    "adapter_config.json": b"{}", "adapter_model.bin": b"tensors " * 400_000, "a/z": b"1", "a-b": b"2", "a.b": b"",
    "sub/\u00fc \u4e2d.txt": b"3", ".gitattributes": b"*.safetensors filter=lfs\n", ".git/HEAD": b"ref\n", "B": b"4",
}

# argv: the statement, and files with their names in it.
IN_TOTO = """
import hashlib, json, sys
import blake3
from google.protobuf import json_format
from in_toto_attestation.v1 import statement, statement_pb2

text = open(sys.argv[1]).read()
parsed = statement.Statement.copy_from_pb(json_format.Parse(text, statement_pb2.Statement()))
parsed.validate()
subjects = {one.name: dict(one.digest) for one in parsed.pb.subject}
wanted = {}
for row in sys.argv[2:]:
    path, name = row.split("=")
    content = open(path, "rb").read()
    wanted[name] = {"sha256": hashlib.sha256(content).hexdigest(), "blake3": blake3.blake3(content).hexdigest()}
assert subjects == wanted, (subjects, wanted)
assert len(parsed.pb.subject) == len(wanted)
assert json_format.MessageToDict(parsed.pb)["predicate"] == json.loads(text)["predicate"]
"""

# argv: the statement, the checkpoint.
MODEL_SIGNING = """
import json, pathlib, sys
from google.protobuf import json_format
from model_signing import hashing
from model_signing._signing import signing

ours = json.loads(open(sys.argv[1]).read())
model = pathlib.Path(sys.argv[2])
read = signing.dsse_payload_to_manifest(ours)
assert read == hashing.hash(model), list(read.resource_descriptors())
theirs = json_format.MessageToDict(signing.Payload(hashing.hash(model)).statement.pb)
for statement in ours, theirs:
    statement["predicate"]["serialization"]["ignore_paths"].sort()
assert ours == theirs, (ours, theirs)
"""

# argv: a folder for keys.
MAKE_KEYS = """
import pathlib, sys
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

folder = pathlib.Path(sys.argv[1])
def write(name, key, form=s.PrivateFormat.PKCS8, lock=s.NoEncryption()):
    (folder / (name + ".pem")).write_bytes(key.private_bytes(s.Encoding.PEM, form, lock))
    (folder / (name + ".pub")).write_bytes(key.public_key().public_bytes(
        s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo))

for curve in ec.SECP256R1(), ec.SECP384R1(), ec.SECP521R1(), ec.SECP256K1():
    write(curve.name, ec.generate_private_key(curve))
write("traditional", ec.generate_private_key(ec.SECP256R1()), s.PrivateFormat.TraditionalOpenSSL)
write("other", ec.generate_private_key(ec.SECP256R1()))
write("locked", ec.generate_private_key(ec.SECP256R1()), lock=s.BestAvailableEncryption(b"secret"))
write("rsa", rsa.generate_private_key(65537, 2048))
write("ed25519", ed25519.Ed25519PrivateKey.generate())
"""

# argv: the checkpoint, then rows "signature public-key yes|no".
VERIFY = """
import pathlib, sys
from model_signing import verifying

for row in sys.argv[2:]:
    signature, key, expected = row.split()
    try:
        verifying.Config().use_elliptic_key_verifier(public_key=pathlib.Path(key)).verify(
            pathlib.Path(sys.argv[1]), pathlib.Path(signature))
        answer = "yes"
    except Exception as error:
        answer, why = "no", repr(error)
    assert answer == expected, (row, answer, why if answer == "no" else "")
"""

CLI = "import sys; from model_signing._cli import main; sys.argv[0] = 'model_signing'; main()"


class Export(mxt.TestCase):
    def setUp(self):
        super().setUp()
        for name, content in {**{f"out/{k}": v for k, v in CHECKPOINT.items()}, "data/train.jsonl": b"{}\n",
                              "run/run.log": b"loss\n"}.items():
            self.write(name, content)
        self.out = self.dir / "out"
        self.create("--dataset", "data")

    def create(self, *options):
        self.run_program("manifest", "create", "run", "--checkpoint", "out", *options, status=0)

    def export(self, *options, status=0, **how):
        return self.run_program("manifest", "export", "run", *options, status=status, **how)

    def keys(self):
        folder = self.dir / "keys"
        folder.mkdir()
        real_attestation.ask(MAKE_KEYS, folder)
        return folder

    def test_in_toto_reads_the_statement(self):
        self.export("--in-toto", "--out", "statement.json")
        rows = [f"{self.out / name}=checkpoint/{name}" for name in CHECKPOINT]
        rows += [f"{self.dir}/data/train.jsonl=dataset-1/train.jsonl", f"{self.dir}/run/run.log=run/run.log"]
        real_attestation.ask(IN_TOTO, self.dir / "statement.json", *rows)

    def test_what_the_statement_says_of_the_run(self):
        statement = self.export("--in-toto").json()
        manifest = json.loads((self.dir / "run/manifest.json").read_text())
        predicate = statement["predicate"]
        self.assertEqual(predicate["manifest_id"], manifest["manifest_id"])
        self.assertEqual(predicate["run"], manifest["run"])
        self.assertEqual([row["prefix"] for row in predicate["lists"]], ["run/", "dataset-1/", "checkpoint/"])
        self.assertEqual([row["hash"] for row in predicate["lists"]], [row["hash"] for row in manifest["lists"]])
        self.assertEqual(predicate["lists"][2]["bytes"], sum(map(len, CHECKPOINT.values())))
        self.assertEqual(self.export("--in-toto").json(), statement)

    def test_model_signing_makes_the_same_statement(self):
        self.export("--model-signing", "--out", "statement.json")
        real_attestation.ask(MODEL_SIGNING, self.dir / "statement.json", self.out)

    def test_model_signing_verifies_signatures(self):
        keys, rows = self.keys(), []
        for name in "secp256r1", "secp384r1", "secp521r1", "traditional":
            signature = self.dir / f"{name}.sig"
            self.export("--model-signing", "--key", keys / f"{name}.pem", "--out", signature)
            rows.append(f"{signature} {keys / name}.pub yes")
            rows.append(f"{signature} {keys / 'other'}.pub no")
        bundle = json.loads((self.dir / "secp256r1.sig").read_text())
        bundle["dsseEnvelope"]["payload"] = json.loads(
            (self.dir / "secp384r1.sig").read_text())["dsseEnvelope"]["payload"][:-8] + "AAAAAAAA"
        rows.append(f"{self.write('changed.sig', bundle)} {keys / 'secp256r1.pub'} no")
        self.export("--in-toto", "--key", keys / "secp256r1.pem", "--out", "in-toto.sig")
        rows.append(f"{self.dir / 'in-toto.sig'} {keys / 'secp256r1.pub'} no")
        real_attestation.ask(VERIFY, self.out, *rows)

        signature = self.dir / "secp256r1.sig"
        verify = ["verify", "key", "--signature", signature, "--public_key", keys / "secp256r1.pub", self.out]
        self.assertIn("succeeded", real_attestation.ask(CLI, *verify))
        (self.out / "B").write_bytes(b"5")
        real_attestation.ask(VERIFY, self.out, f"{signature} {keys / 'secp256r1.pub'} no")

    def test_a_run_within_the_checkpoint(self):
        self.write("out/run/run.log", "loss\n")
        self.run_program("manifest", "create", "out/run", "--checkpoint", "out", status=0)
        statement = self.run_program("manifest", "export", "--model-signing", "out/run", status=0).json()
        self.assertIn("run", statement["predicate"]["serialization"]["ignore_paths"])
        key = self.keys() / "secp256r1.pem"
        self.run_program("manifest", "export", "--model-signing", "out/run", "--key", key, "--out", "sig", status=0)
        real_attestation.ask(VERIFY, self.out, f"{self.dir / 'sig'} {key.with_suffix('.pub')} yes")

    def test_keys_that_cannot_sign(self):
        keys = self.keys()
        self.write("keys/garbage.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        self.write("keys/empty.pem", "")
        for name in "locked", "rsa", "ed25519", "secp256k1", "garbage", "empty":
            run = self.export("--model-signing", "--key", keys / f"{name}.pem", status=None)
            self.assert_error(run, 3, "MXT-410", "prime256v1")
        self.assert_error(self.export("--in-toto", "--key", keys / "rsa.pub", status=None), 3, "MXT-410")
        self.assert_error(self.export("--in-toto", "--key", "none.pem", status=None), 3, "MXT-180")


class Refusals(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.write("run/run.log", "loss\n")
        self.write("out/model.bin", "1")
        self.run_program("manifest", "create", "run", "--checkpoint", "out", status=0)

    def export(self, *options, **how):
        return self.run_program("manifest", "export", *options, **how)

    def test_the_command_line(self):
        for options in [], ["--in-toto", "--model-signing"], ["--in-toto", "--threads", "1"]:
            self.assert_error(self.export("run", *options), 2, "MXT-110")
        self.assert_error(self.export("--in-toto"), 2, "MXT-110")
        self.assert_error(self.export("run", "run", "--in-toto"), 2, "MXT-110")

    def test_a_file_that_changed(self):
        self.write("out/model.bin", "2")
        for form in "--in-toto", "--model-signing":
            run = self.export("run", form, "--out", "statement.json")
            self.assert_error(run, 7, "MXT-380", "model.bin")
            self.assertFalse((self.dir / "statement.json").exists())

    def test_a_manifest_that_was_changed(self):
        path = self.dir / "run/manifest.json"
        path.chmod(0o600)
        path.write_text(path.read_text().replace('"name":"run"', '"name":"ran"'))
        self.assert_error(self.export("run", "--in-toto"), 7, "MXT-371")

    def test_a_checkpoint_elsewhere(self):
        (self.dir / "out").rename(self.dir / "moved")
        self.assert_error(self.export("run", "--in-toto"), 3, "MXT-180", "checkpoint is not at")
        moved = self.export("run/manifest.json", "--model-signing", "--checkpoint", "moved", status=0).json()
        digest = hashlib.sha256(hashlib.sha256(b"1").digest()).hexdigest()
        self.assertEqual(moved["subject"], [{"name": "moved", "digest": {"sha256": digest}}])

    def test_no_checkpoint(self):
        self.run_program("manifest", "create", "run", status=0)
        self.assert_error(self.export("run", "--model-signing"), 3, "MXT-400", "--checkpoint")

    def test_a_library_that_cannot_be_loaded(self):
        self.write("lib/libcrypto.so.3", "no library")
        run = self.export("run", "--in-toto", env={"LD_LIBRARY_PATH": self.dir / "lib"})
        self.assert_error(run, 1, "MXT-401", "libcrypto")

    def test_a_place_that_cannot_be_written_to(self):
        self.write("out/model.bin", "changed: nothing was read before the place was looked at")
        run = self.export("run", "--in-toto", "--out", "none/statement.json")
        self.assertEqual(run.status, 1, run)
        self.assertIn("none", run.err)

    def test_a_disk_that_fails(self):
        for faults, status, error in (({"broken": {"model.bin": 0}}, 1, "MXT-102"),
                                      ({"unopened": ["model.bin"]}, 1, "MXT-102"),
                                      ({"told_size": {"model.bin": 9}}, 7, "MXT-380")):
            with fuse_folder.mounted(self, self.dir / "out", **faults) as folder:
                run = self.export("run", "--model-signing", "--checkpoint", folder)
                self.assert_error(run, status, error, "model.bin")

    def test_a_place_that_the_manifest_lists(self):
        (self.dir / "out/sub").mkdir()
        (self.dir / "link").symlink_to("out/sub")
        for out in "run/statement.json", "out/sub/statement.json", "link/statement.json":
            self.assert_error(self.export("run", "--in-toto", "--out", out), 2, "MXT-110", "elsewhere")
        self.assert_error(self.export(".", "--in-toto", "--out", "statement.json", cwd=self.dir / "run"), 2, "MXT-110")
        self.run_program("verify", "run", status=0)
        self.export("run", "--in-toto", "--out", "run.json", status=0)

    def test_ended_by_a_signal(self):
        big = self.dir / "out/model.bin"
        os.truncate(big, 1 << 29)
        self.run_program("manifest", "create", "run", "--checkpoint", "out", status=0)
        process = self.start("manifest", "export", "run", "--in-toto", "--out", "statement.json")

        def reads():
            links = pathlib.Path("/proc", str(process.pid), "fd").iterdir()
            return any(os.readlink(link) == str(big) for link in links if link.is_symlink())

        self.assertTrue(mxt.wait_until(reads))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertFalse((self.dir / "statement.json").exists())


if __name__ == "__main__":
    mxt.main()
