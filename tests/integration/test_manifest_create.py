#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain manifest create`: of runs of other launchers, and of those of `run`."""

import json
import os
import shutil
import signal
import subprocess
import unittest

import launched
import mxt
import mxt_plans


def manifest_of(folder):
    """manifest.json, whose id is right."""
    manifest = json.loads((folder / "manifest.json").read_text())
    rest = {key: value for key, value in manifest.items() if key != "manifest_id"}
    assert mxt_plans.blake3(mxt_plans.canonical(rest)) == manifest["manifest_id"]
    return manifest


def paths(files):
    return [file["path"] for file in files["files"]]


class Foreign(mxt.TestCase):
    """Of another launcher nothing is known but what is named."""

    def setUp(self):
        super().setUp()
        self.run_dir = self.dir / "run"
        self.write("run/log.txt", "it trained\n")
        self.write("run/status.json", "no JSON at all")
        self.write("data/part-1.jsonl", "{}\n")
        self.write("data/sub/part-2.jsonl", "{}\n")
        self.write("one.jsonl", "{}\n{}\n")
        self.write("out/tokenizer.json", "{}")
        (self.run_dir / "latest").symlink_to("log.txt")

    def create(self, *options, **how):
        return self.run_program("manifest", "create", self.run_dir, *options, **how)

    def test_a_folder_alone(self):
        result = self.create(status=0)
        manifest = manifest_of(self.run_dir)
        self.assertEqual([file["role"] for file in manifest["lists"]], ["run"])
        self.assertEqual(paths(manifest["lists"][0]), ["latest", "log.txt", "status.json"])
        self.assertEqual(manifest["run"], {"name": "run"})
        self.assertEqual(manifest["job"]["found"], "when the manifest was made")
        self.assertIn("unknown", manifest["job"]["git"])
        self.assertFalse({"plan", "config", "argv", "environment", "proof", "result_id"} & set(manifest))
        self.assertIn(manifest["manifest_id"], result.out)
        self.assertIn("result_id    not known: ", result.out)

    def test_what_is_named(self):
        result = self.create("--dataset", "data", "--dataset", self.dir / "one.jsonl", "--checkpoint", "out", "--json",
                             status=0).json()
        manifest = manifest_of(self.run_dir)
        lists = manifest["lists"]
        self.assertEqual([(made["role"], made["root"]) for made in lists],
                         [("run", str(self.run_dir)), ("dataset", str(self.dir / "data")),
                          ("dataset", str(self.dir / "one.jsonl")), ("checkpoint", str(self.dir / "out"))])
        self.assertEqual(paths(lists[1]), ["part-1.jsonl", "sub/part-2.jsonl"])
        self.assertEqual((paths(lists[2]), lists[2]["single"]), (["one.jsonl"], True))
        self.assertEqual(result["manifest_id"], manifest["manifest_id"])
        self.assertEqual([(made["root"], made["count"], made["bytes"], made["hash"]) for made in result["lists"]],
                         [(made["root"], len(made["files"]), made["bytes"], made["hash"]) for made in lists])
        self.assertEqual({path.name for path in self.run_dir.glob("manifest*")},
                         {"manifest.json", "manifest.b3", "manifest.dataset.b3", "manifest.dataset-2.b3",
                          "manifest.checkpoint.b3"})

    def test_the_same_place_twice_is_one_list(self):
        self.create("--dataset", "data", "--dataset", "./data/../data", status=0)
        self.assertEqual(len(manifest_of(self.run_dir)["lists"]), 2)

    def test_the_record_itself_is_no_dataset(self):
        """It would be another one as soon as the manifest is written."""
        self.create(status=0)
        for path in self.run_dir, self.run_dir / "manifest.json", self.run_dir / "manifest.b3":
            self.assert_error(self.create("--dataset", path), 3, "MXT-373", str(path))

    def test_what_is_named_must_be_there(self):
        for options in (["--dataset", "gone"], ["--checkpoint", "gone"], ["--dataset", "data", "--dataset", ""]):
            self.assert_error(self.create(*options), 1, "MXT-360")
        for name in "gone", "one.jsonl":
            self.assert_error(self.run_program("manifest", "create", name), 3, "MXT-180", f"there is no folder {name}:")
        self.assertFalse((self.run_dir / "manifest.json").exists())

    def test_a_new_one_replaces_all_of_the_old_one(self):
        self.create("--dataset", "data", status=0)
        self.write("run/manifest.json.sig", "signs the first one")
        self.write("run/manifest.of-mine.txt", "no list")
        first = manifest_of(self.run_dir)
        self.write("run/log.txt", "it trained again\n")
        self.assertIn("note: the signature of the manifest that was here is gone", self.create(status=0).out)
        second = manifest_of(self.run_dir)
        self.assertNotEqual(first["lists"][0]["hash"], second["lists"][0]["hash"])
        self.assertEqual({path.name for path in self.run_dir.glob("manifest*")},
                         {"manifest.json", "manifest.b3", "manifest.of-mine.txt"})
        self.assertIn("manifest.of-mine.txt", paths(second["lists"][0]))

    def test_a_folder_as_shells_complete_it(self):
        self.assertIn("manifest     run/manifest.json\n", self.run_program("manifest", "create", "run//", status=0).out)

    def test_again_is_the_same(self):
        """But for the time: what the first one left is no part of the second."""
        self.create(status=0)
        first = manifest_of(self.run_dir)
        self.create(status=0)
        second = manifest_of(self.run_dir)
        for manifest in (first, second):
            del manifest["created"], manifest["manifest_id"]
        self.assertEqual(first, second)

    def test_folders_within_each_other(self):
        """Each file is in one list, that of the nearest root."""
        self.run_dir = self.dir / "out" / "runs" / "1"
        self.write("out/runs/1/log.txt", "log\n")
        self.write("out/runs/1/data/a.jsonl", "{}\n")
        self.create("--checkpoint", "out", "--dataset", self.run_dir / "data", status=0)
        self.create("--checkpoint", "out", "--dataset", self.run_dir / "data", status=0)
        run, dataset, checkpoint = manifest_of(self.run_dir)["lists"]
        self.assertEqual((paths(run), paths(dataset), paths(checkpoint)),
                         (["log.txt"], ["a.jsonl"], ["tokenizer.json"]))

    def test_one_folder_for_all(self):
        self.create("--checkpoint", self.run_dir, status=0)
        self.create("--checkpoint", self.run_dir, status=0)
        run, checkpoint = manifest_of(self.run_dir)["lists"]
        self.assertEqual(run["files"], checkpoint["files"])

    def test_what_is_no_file(self):
        os.mkfifo(self.dir / "data" / "pipe")
        self.assert_error(self.create("--dataset", "data"), 3, "MXT-361", "pipe")
        self.assertFalse((self.run_dir / "manifest.json").exists())

    def test_a_partial_checkpoint(self):
        self.write("out/model.safetensors", b"\x10" + bytes(7) + b"{}")
        self.assert_error(self.create("--checkpoint", "out"), 3, "MXT-390", "model.safetensors")

    def test_a_link_in_its_place_is_not_followed(self):
        precious = self.write("precious", "text")
        for name in ("manifest.json", "manifest.b3"):
            (self.run_dir / name).symlink_to(precious)
        self.create(status=0)
        self.assertEqual(precious.read_text(), "text")
        manifest_of(self.run_dir)

    def test_a_folder_in_its_place(self):
        (self.run_dir / "manifest.json").mkdir()
        self.assert_error(self.create(), 1, "MXT-104", "manifest.json")

    def test_the_state_of_its_source(self):
        if not shutil.which("git"):
            self.skipTest("git is not there")
        git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-C", self.dir]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        self.create(status=0)
        self.assertEqual(manifest_of(self.run_dir)["job"]["git"]["revision"], head)

    @unittest.skipUnless(shutil.which("b3sum"), "needs b3sum")
    def test_its_lists_are_for_b3sum(self):
        self.write("run/back\\slash", "x")
        with open(os.fsencode(self.run_dir) + b"/no-text-\xff", "w", encoding="ascii") as file:
            file.write("y")
        result = self.create("--dataset", "data", status=0)
        self.assertIn("leave out 1 file", result.out)
        self.assertIn(b"no-text-\xff", [bytes.fromhex(row["path_bytes"]) for row in
                                        manifest_of(self.run_dir)["lists"][0]["files"] if "path_bytes" in row])
        self.assertEqual(self.create("--dataset", "data", "--json", status=0).json()["unnamed"], 1)
        for name, root in (("manifest.b3", self.run_dir), ("manifest.dataset.b3", self.dir / "data")):
            subprocess.run(["b3sum", "--check", "--quiet", self.run_dir / name], cwd=root, check=True)
        (self.run_dir / "log.txt").write_text("changed")
        self.assertNotEqual(subprocess.run(["b3sum", "--check", self.run_dir / "manifest.b3"], cwd=self.run_dir,
                                           capture_output=True, check=False).returncode, 0)

    def test_wrong_options(self):
        for words in (["create"], ["create", "a", "b"], ["create", self.run_dir, "--in-toto"], ["crate", self.run_dir],
                      ["create", self.run_dir, "--threads", "0"], ["create", self.run_dir, "--threads", "99"]):
            self.assertEqual(self.run_program("manifest", *words).status, 2, words)


class Config(launched.TestCase):
    """A command under a plan has a result once its config, its data and what it left are named."""

    def setUp(self):
        super().setUp()
        self.launch("sh", "-c", "echo trained", status=0)
        self.run_dir = self.folder()
        self.write("data.jsonl", "{}\n")
        self.write("out/model.safetensors", b"\x02" + bytes(7) + b"{}")
        self.config = self.write("job.yaml", "seed: 1\noutput_dir: ./out\n")

    def create(self, *options, **how):
        return self.run_program("manifest", "create", self.run_dir, "--dataset", "data.jsonl", "--checkpoint", "out",
                                *options, **how)

    def result_id(self, text):
        self.config.write_text(text)
        self.create("--config", "job.yaml", status=0)
        self.run_program("verify", self.run_dir, status=0)
        return manifest_of(self.run_dir)["result_id"]

    def test_it_makes_a_result(self):
        self.assertIn("result_id    not known: the config is not known\n", self.create(status=0).out)
        first = self.result_id("seed: 1\noutput_dir: ./out\n")
        manifest = manifest_of(self.run_dir)
        self.assertEqual(manifest["config"], {"given": mxt_plans.blake3(self.config.read_bytes()),
                                              "file": str(self.config)})
        self.assertEqual(manifest["result"]["config"], {"seed": 1})
        self.assertEqual(self.result_id("# the same\n{output_dir: /elsewhere, seed: 0x1}\n"), first)
        self.assertNotEqual(self.result_id("seed: 2\n"), first)
        self.config.unlink()
        self.run_program("verify", self.run_dir, status=0)

    def test_what_is_no_config(self):
        for text, error_id in (("", "MXT-373"), ("seed: [", "MXT-183"), ("- 1\n", "MXT-184")):
            with self.subTest(text):
                self.config.write_text(text)
                self.assert_error(self.create("--config", "job.yaml"), 3, error_id, "job.yaml")
        self.assert_error(self.create("--config", "gone.yaml"), 3, "MXT-180", "gone.yaml")

    def test_one_that_is_known(self):
        """What `train` recorded is what was run."""
        for name in ("run.yaml", "run.axolotl.yaml"):
            shutil.copy(self.config, self.run_dir / name)
        self.assert_error(self.create("--config", "job.yaml"), 3, "MXT-373", "run.yaml")

    def test_of_another_launcher(self):
        self.write("other/log.txt", "trained\n")
        self.run_program("manifest", "create", "other", "--config", "job.yaml", status=0)
        self.assertEqual(manifest_of(self.dir / "other")["result"]["config"], {"seed": 1})
        self.assertEqual(manifest_of(self.dir / "other")["result"]["unknown"][0], "the plan is not known")


class Ours(launched.TestCase):
    def test_a_run(self):
        result = self.launch("sh", "-c", "echo trained", status=0)
        folder = self.folder()
        manifest, status = manifest_of(folder), self.status()
        self.assertIn(manifest["manifest_id"], result.err)
        self.assertIn(f"with data and result: mindxtrain manifest create {folder} "
                      "--config FILE --dataset PATH --checkpoint PATH\n", result.err)
        for key in ("command", "state", "exit_status", "end", "marks", "remarks", "nodes", "started", "ended", "ran_ns"):
            self.assertEqual(manifest["run"][key], status[key], key)
        self.assertLessEqual(status["started"], status["ended"])
        self.assertEqual(manifest["plan"]["plan_id"], status["plan_id"])
        self.assertTrue(manifest["plan"]["simulated"])
        self.assertEqual(manifest["argv"], ["sh", "-c", "echo trained"])
        self.assertEqual(manifest["job"]["directory"], str(self.dir))
        plan = json.loads(self.simulated_plan().read_text())
        for part in ("platform", "stack"):
            self.assertEqual(manifest["job"][part], plan["decision"][part])
        environment = json.loads((folder / "env.json").read_text())["changes"]
        self.assertEqual(set(manifest["environment"]), set(environment))
        self.assertEqual(manifest["environment"]["PYTHONPATH"]["by"], "launch")
        self.assertNotIn("to", manifest["environment"]["PYTHONPATH"])
        self.assertEqual(paths(manifest["lists"][0]),
                         ["argv.json", "env.json", "job.json", "plan.json", "status.json", "train.log"])

    def test_none_is_made(self):
        self.launch("true", options=["--no-manifest"], status=0)
        self.assertEqual(list(self.folder().glob("manifest*")), [])
        self.run_program("manifest", "create", self.folder(), status=0)
        manifest_of(self.folder())

    def test_a_command_that_fails(self):
        self.assertNotIn("manifest create", self.launch("sh", "-c", "exit 3", status=3).err)
        self.assertEqual(manifest_of(self.folder())["run"]["exit_status"], 3)

    def test_a_run_that_is_refused_has_none(self):
        self.run_program("run", "--plan", self.simulated_plan(), "--", "true", env=launched.SIMULATED, status=125)
        self.assertEqual(list(self.folder().glob("manifest*")), [])

    def test_a_run_that_has_not_ended(self):
        """Its own command asks for the manifest."""
        self.launch("sh", "-c", f'"{mxt.PROGRAM}" manifest create "$MXT_LAUNCH_DIR/.."; test $? = 3', status=0)
        self.assertIn("[MXT-373]", (self.folder() / "train.log").read_text())

    def test_a_run_whose_supervisor_was_killed(self):
        """It is recorded as far as it was, once nothing of it is left."""
        process = self.start("run", "--plan", self.simulated_plan(), "--allow-simulated", "--", "sh", "-c",
                             "echo up; exec sleep 60", env=launched.SIMULATED)
        self.assertTrue(mxt.wait_until(lambda: any("up" in log.read_text() for log in self.dir.glob("runs/*/train.log"))))
        process.kill()
        process.communicate(timeout=60)
        folder = self.folder()
        self.assertTrue(mxt.wait_until(lambda: self.run_program("manifest", "create", folder).status == 0))
        run = manifest_of(folder)["run"]
        self.assertEqual(run["state"], "running")
        self.assertFalse({"exit_status", "ended"} & set(run))
        self.run_program("verify", folder, status=0)

    def test_another_plan_in_its_place(self):
        self.launch("true", status=0)
        folder = self.folder()
        other = self.changed_plan(lambda decision: decision["workload"]["training"].update(seq_len=1024))
        shutil.copy(other, folder / "plan.json")
        before = (folder / "manifest.json").read_bytes()
        self.assert_error(self.run_program("manifest", "create", folder), 3, "MXT-373", "plan.json")
        self.assertEqual((folder / "manifest.json").read_bytes(), before)

    def test_files_that_are_spoiled(self):
        self.launch("true", options=["--no-manifest"], status=0)
        folder = self.folder()
        for name, text, error_id in (("env.json", "{", "MXT-120"), ("env.json", '{"changes":[1]}', "MXT-372"),
                                     ("argv.json", '"sh"', "MXT-120"), ("argv.json", '{"a":1}', "MXT-372"),
                                     ("job.json", "[]", "MXT-373"), ("job.json", '{"schema":"other/1"}', "MXT-373"),
                                     ("plan.json", "{}", "MXT-123")):
            with self.subTest(name + text):
                before = (folder / name).read_bytes()
                (folder / name).write_text(text)
                self.assert_error(self.run_program("manifest", "create", folder), 3, error_id)
                (folder / name).write_bytes(before)
                self.assertEqual(list(folder.glob("manifest*")), [])
        self.run_program("manifest", "create", folder, status=0)

    def test_one_that_cannot_be_made(self):
        """It is said, and the run keeps its status."""
        for status in (0, 3):
            with self.subTest(status):
                result = self.launch("sh", "-c", f'mkfifo "$MXT_LAUNCH_DIR/../pipe"; exit {status}',
                                     options=["--out", f"out{status}"], status=status)
                self.assertIn("[MXT-361]", result.err)
                self.assertEqual(self.status(f"out{status}")["exit_status"], status)
                self.assertEqual(list(self.folder(f"out{status}").glob("manifest*")), [])

    def test_an_interrupt_while_files_are_hashed(self):
        """The run is over, and keeps its status."""
        process = self.start("run", "--plan", self.simulated_plan(), "--allow-simulated", "--", "sh", "-c",
                             'truncate -s 1T "$MXT_LAUNCH_DIR/../large"', env=launched.SIMULATED)
        for line in process.stderr:
            if "the command ended with status 0" in line:
                break
        self.assertTrue(mxt.wait_until(lambda: mxt.blocks_signal(process.pid, signal.SIGINT)))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("stopped by signal 2", err)
        self.assertEqual(self.status()["exit_status"], 0)
        self.assertEqual(list(self.folder().glob("manifest*")), [])


if __name__ == "__main__":
    mxt.main()
