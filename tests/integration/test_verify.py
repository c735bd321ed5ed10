#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain verify` as its user sees it: exit statuses, the table, --json, copies elsewhere, --quick, signatures."""

import json
import os
import shutil
import subprocess
import time
import unittest

import launched
import mxt
import mxt_plans

NAMESPACE = "mindxtrain.manifest/1"


class Made(mxt.TestCase):
    """A folder of a run, a dataset beside it, and a manifest of both."""

    def setUp(self):
        super().setUp()
        self.run_dir, self.data = self.dir / "run", self.dir / "data"
        self.write("run/train.log", "step 1\n")
        self.write("run/out/model.txt", "weights\n")
        self.write("data/train.jsonl", "{}\n" * 100)
        self.made = self.run_program("manifest", "create", self.run_dir, "--dataset", self.data, "--json", status=0).json()

    def verify(self, *options, status=0, at=None, **how):
        return self.run_program("verify", at or self.run_dir, *options, status=status, **how)

    def rows(self, *options, status=7, **how):
        """{(problem, list, path)} of a verification."""
        told = self.verify("--json", *options, status=status, **how).json()
        self.assertEqual(told["verified"], status == 0, told)
        return {(row["problem"], row["list"], row.get("path") or bytes.fromhex(row["path_bytes"])) for row in told["findings"]}

    def reseal(self, change):
        """The manifest after change(document), with an id that belongs to it."""
        path = self.run_dir / "manifest.json"
        document = json.loads(path.read_text())
        del document["manifest_id"]
        change(document)
        document["manifest_id"] = mxt_plans.blake3(mxt_plans.canonical(document))
        path.write_bytes(mxt_plans.canonical(document) + b"\n")


class Files(Made):
    def test_nothing_changed(self):
        told = self.verify().out
        self.assertIn("verified: manifest " + self.made["manifest_id"][:16], told)
        self.assertIn(str(self.data), told)
        told = self.verify("--json").json()
        self.assertEqual(told["manifest_id"], self.made["manifest_id"])
        self.assertEqual(told["findings"], [])
        self.assertEqual({row["list"]: row["files"] for row in told["lists"]}, {"run": 2, "dataset": 1})
        self.assertEqual(told["files_read"], 3)

    def test_by_the_manifest_and_from_anywhere(self):
        self.verify(at="manifest.json", cwd=self.run_dir)
        self.verify(at=".", cwd=self.run_dir)
        self.verify(at="run/", cwd=self.dir)

    def test_one_byte(self):
        (self.run_dir / "out/model.txt").write_text("Weights\n")
        failed = self.verify(status=7)
        self.assert_error(failed, 7, "MXT-380", "content 1")
        self.assertRegex(failed.out, r"(?m)^content +run +[0-9a-f]{16}\.\.\. +[0-9a-f]{16}\.\.\. +out/model\.txt$")

    def test_the_table(self):
        (self.run_dir / "train.log").write_text("step 1\nstep 2\n")
        (self.run_dir / "new").symlink_to("train.log")
        (self.data / "train.jsonl").unlink()
        self.write("data/b", "xx")
        failed = self.verify(status=7)
        self.assert_error(failed, 7, "MXT-380", "missing 1, extra 2, size 1")
        self.assertRegex(failed.out, r"(?m)^size +run +7 bytes +14 bytes +train\.log$")
        self.assertRegex(failed.out, r"(?m)^extra +run +- +a link +new$")
        self.assertRegex(failed.out, r"(?m)^extra +dataset +- +2 bytes +b$")
        self.assertRegex(failed.out, r"(?m)^missing +dataset +[0-9a-f]{16}\.\.\. +- +train\.jsonl$")
        self.assertEqual(self.rows("--allow-extra"), {("size", "run", "train.log"), ("missing", "dataset", "train.jsonl")})

    def test_names_of_any_kind(self):
        for name in (b"\xff\x1b[31mred", b"two\nlines", "\u202eltr".encode()):
            with open(os.path.join(os.fsencode(self.run_dir), name), "wb"):
                pass
        told = self.verify(status=7)
        for mark in "\x1b", "\u202e", "two\nlines":
            self.assertNotIn(mark, told.out)
        self.assertIn(("extra", "run", b"\xff\x1b[31mred"), self.rows())
        self.assertEqual(len(self.rows()), 3)

    def test_many_findings_are_cut_for_people_only(self):
        for i in range(150):
            self.write(f"run/new/{i}", "")
        failed = self.verify(status=7)
        self.assertIn("... and 50 more", failed.out)
        self.assertEqual(len(self.rows()), 150)

    def test_a_fifo_in_place_of_a_file(self):
        (self.run_dir / "train.log").unlink()
        os.mkfifo(self.run_dir / "train.log")
        self.assertEqual(self.rows(), {("kind", "run", "train.log")})

    def test_long_paths(self):
        """Longer than the kernel takes in one call."""
        here = os.open(self.run_dir, os.O_PATH)
        for _ in range(25):
            os.mkdir("d" * 200, dir_fd=here)
            inner = os.open("d" * 200, os.O_PATH, dir_fd=here)
            os.close(here)
            here = inner
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        os.close(here)
        self.assertEqual({path for _, _, path in self.rows()}, {"d" * 200 + "/" + ("d" * 200 + "/") * 24 + "file"})
        self.run_program("manifest", "create", self.run_dir, "--dataset", self.data, status=0)
        self.verify()

    def test_hard_links_are_files(self):
        os.link(self.run_dir / "train.log", self.run_dir / "same.log")
        self.assertEqual(self.rows(), {("extra", "run", "same.log")})
        self.run_program("manifest", "create", self.run_dir, "--dataset", self.data, status=0)
        self.verify()

    def test_lists_beside_the_manifest_say_the_same(self):
        path = self.run_dir / "manifest.b3"
        path.write_text(path.read_text().replace("train.log", "train.lag"))
        self.assertEqual(self.rows(), {("content", "run", "manifest.b3")})
        path.unlink()
        self.verify()


class Document(Made):
    def test_a_changed_manifest(self):
        path = self.run_dir / "manifest.json"
        path.write_text(path.read_text().replace('"size":300', '"size":301'))
        self.assert_error(self.verify(status=7), 7, "MXT-371")

    def test_what_is_no_manifest(self):
        path = self.run_dir / "manifest.json"
        whole = path.read_bytes()
        for text in (b"", b"{}", whole[:-20], whole.replace(b"manifest/1", b"manifest/2"), b"\xff" * 100):
            path.write_bytes(text)
            with self.subTest(text=text[:20]):
                self.assertEqual(self.verify(status=None).status, 3)

    def test_no_manifest(self):
        (self.run_dir / "manifest.json").unlink()
        self.assert_error(self.verify(status=3), 3, "MXT-180", "manifest.json", "manifest create")
        self.assert_error(self.verify(at="nowhere", status=3), 3, "MXT-180", "nowhere")

    def test_a_sealed_manifest_with_what_no_list_may_hold(self):
        hash_ = "ab" * 32

        def files(*rows):
            def change(document):
                document["lists"][0]["files"] = [{"path": path, "size": 1, "blake3": blake3} for path, blake3 in rows]
            return change

        for rows in ([("/etc/passwd", hash_)], [("../x", hash_)], [("a/../../x", hash_)], [("a", "")], [("a", "zz" * 32)],
                     [("a", hash_[:-1])], [("a", hash_), ("a", hash_)], [("a\nb", hash_)], [("", hash_)], [("b", hash_), ("a", hash_)],
                     [("a//b", hash_)], [("./a", hash_)]):
            with self.subTest(rows=rows):
                self.reseal(files(*rows))
                self.assertEqual(self.verify(status=None).status, 3)

    def test_wrong_command_lines(self):
        for words in ((), (self.run_dir, self.run_dir), (self.run_dir, "--threads", 17), (self.run_dir, "--checkpoint", "x"),
                      (self.run_dir, "--checkpoint", "x", "--checkpoint", "y"), (self.run_dir, "--plan", "x"), (self.run_dir, "--dataset", self.data, "--dataset", self.data)):
            with self.subTest(words=words):
                self.run_program("verify", *words, status=2)


class Places(Made):
    def test_a_moved_dataset(self):
        self.data.rename(self.dir / "elsewhere")
        failed = self.verify(status=7)
        self.assert_error(failed, 7, "MXT-380", "root 1", "--dataset")
        self.assertRegex(failed.out, rf"(?m)^root +dataset +a folder +nothing +{self.data}$")
        self.verify("--dataset", "elsewhere", cwd=self.dir)
        (self.dir / "elsewhere/train.jsonl").write_text("[]\n" * 100)
        self.assertEqual(self.rows("--dataset", self.dir / "elsewhere"), {("content", "dataset", "train.jsonl")})

    def test_a_run_on_another_machine(self):
        shutil.copytree(self.dir, self.dir / "copy", ignore=shutil.ignore_patterns("copy"))
        shutil.rmtree(self.run_dir)
        self.data.rename(self.dir / "gone")
        self.verify("--dataset", self.dir / "copy/data", at=self.dir / "copy/run")

    def test_quick(self):
        time.sleep(2.1)  # what is younger is not trusted
        told = self.verify("--quick", "--json").json()
        self.assertEqual((told["files_read"], told["files_trusted"], told["quick"]), (3, 0, True))
        told = self.verify("--quick")
        self.assertIn("read: 0 files, 0 B\nnot read (--quick): 3 files of the size", told.out)
        shutil.rmtree(self.user_cache)
        self.run_program("manifest", "create", self.run_dir, "--dataset", self.data, status=0)
        told = self.verify("--quick", "--json").json()
        self.assertEqual((told["files_read"], told["files_trusted"]), (0, 3))
        os.utime(self.run_dir / "train.log")
        told = self.verify("--quick", "--json").json()
        self.assertEqual((told["files_read"], told["files_trusted"]), (1, 2))
        (self.run_dir / "train.log").write_text("step 2\n")
        self.assertEqual(self.rows("--quick"), {("content", "run", "train.log")})
        for nothing in {"XDG_CACHE_HOME": "/proc/none"}, {"XDG_CACHE_HOME": None, "HOME": None}:
            told = self.verify("--quick", "--json", status=7, env=nothing).json()
            self.assertEqual(told["files_trusted"], 0)


class Lists(Made):
    def test_a_list_of_b3sum(self):
        listed = subprocess.run(["b3sum", "train.jsonl"], cwd=self.data, capture_output=True, check=True).stdout
        (self.data / "data.b3").write_bytes(listed)
        other = self.write("lists/data.b3", listed)
        self.assertIn("1 file ", self.verify(at=self.data / "data.b3").out)
        self.verify(at="data.b3", cwd=self.data)
        self.assertEqual(self.rows("--dataset", self.data, at=other), {("extra", "list", "data.b3")})
        self.verify("--dataset", self.data, "--allow-extra", at=other)
        (self.data / "train.jsonl").write_text("x")
        self.assertEqual(self.rows(at=self.data / "data.b3"), {("content", "list", "train.jsonl")})

    def test_the_list_of_a_run(self):
        (self.run_dir / "link").symlink_to("train.log")
        self.verify(at=self.run_dir / "manifest.b3")
        told = self.verify("--dataset", self.data, at=self.run_dir / "manifest.dataset.b3").out
        self.assertIn("read: 1 file, 300 B\n", told)
        self.assert_error(self.verify(at=self.run_dir / "manifest.dataset.b3", status=7), 7, "MXT-380", "--dataset")
        self.write("run/new", "")
        self.assertEqual(self.rows(at=self.run_dir / "manifest.b3"), {("extra", "list", "new")})

    def test_lists_that_are_none(self):
        hash_ = "ab" * 32
        for text in ("", "\n", f"{hash_}\n", f"{hash_}  /etc/passwd\n", f"{hash_}  ../x\n", "  x\n", f"{hash_[1:]}  x\n",
                     f"{hash_}  a\n{hash_}  a\n", f"\\{hash_}  a\\nb\n"):
            with self.subTest(text=text):
                self.write("run/some.b3", text)
                self.assertEqual(self.verify(at=self.run_dir / "some.b3", status=None).status, 3)

    def test_what_a_list_has_no_use_for(self):
        for words in (["--plan", "x"], ["--checkpoint", "x"], ["--signed-by", "x"], ["--dataset", "a", "--dataset", "b"]):
            self.verify(*words, at=self.run_dir / "manifest.b3", status=2)


@unittest.skipUnless(shutil.which("ssh-keygen"), "ssh-keygen is not installed")
class Signatures(Made):
    def key(self, name):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.dir / name], check=True)
        return self.dir / name

    def sign(self, key, namespace=NAMESPACE):
        path = self.run_dir / "manifest.json"
        (self.run_dir / "manifest.json.sig").unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, path], check=True, capture_output=True)

    def test_signed_by(self):
        key, other = self.key("key"), self.key("other")
        self.assert_error(self.verify("--signed-by", f"{key}.pub", status=7), 7, "MXT-395")
        self.sign(key)
        self.assertIn("signed by the owner of", self.verify("--signed-by", f"{key}.pub").out)
        self.assertEqual(self.verify("--signed-by", f"{key}.pub", "--json").json()["signed_by"], f"{key}.pub")
        self.assert_error(self.verify("--signed-by", f"{other}.pub", status=7), 7, "MXT-395")
        self.sign(key, "file")
        self.assert_error(self.verify("--signed-by", f"{key}.pub", status=7), 7, "MXT-395")

    def test_a_signature_is_of_one_manifest(self):
        key = self.key("key")
        self.sign(key)
        self.reseal(lambda document: document.update(created=document["created"] + 1))
        self.verify()
        self.assert_error(self.verify("--signed-by", f"{key}.pub", status=7), 7, "MXT-395")


class Planned(launched.TestCase):
    def test_a_copy_of_the_plan(self):
        self.launch("true", options=("--out", "runs"), status=0)
        run = self.folder()
        self.run_program("manifest", "create", run, status=0)
        self.run_program("verify", run, status=0)
        (run / "plan.json").rename(self.dir / "copy.json")
        told = self.run_program("verify", run, "--json", status=7).json()
        self.assertEqual([(row["problem"], row["path"]) for row in told["findings"]], [("missing", "plan.json")])
        self.run_program("verify", run, "--plan", "copy.json", status=0)
        self.write("copy.json", "{}")
        told = self.run_program("verify", run, "--plan", "copy.json", "--json", status=7).json()
        self.assertEqual([(row["problem"], row["path"]) for row in told["findings"]], [("content", "copy.json")])
        self.run_program("verify", run, "--plan", "nowhere.json", status=7)


if __name__ == "__main__":
    mxt.main()
