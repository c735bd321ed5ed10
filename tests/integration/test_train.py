#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain train` from its plan to its end, with a stand-in for Axolotl: it reports its config as Axolotl does, and
then trains, or fails in a way that Axolotl knows. accelerate is a stand-in, too, but for one test."""

import json
import os
import pathlib
import shutil
import signal
import sys

import launched
import mxt
import mxt_plans
import real_python

CONFIG = """\
base_model: Qwen/Qwen3-8B
sequence_len: 512
micro_batch_size: 1
adapter: lora   # the plan is for one
lora_r: 16
output_dir: ./out
learning_rate: 0.0001
"""

# Ends as its seed says. The first line that it writes says what it found.
TRAIN = """
import json, os, pathlib, sys, time

WEIGHTS = b"\\x36" + bytes(7) + b'{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}} ' + b"w"

def read(path):
    config = {}
    for line in pathlib.Path(path).read_text().splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon and not key.startswith((" ", "-")):
            config[key] = {"true": True, "false": False}.get(value.strip(), value.strip())
    return config

def main():
    config = read(sys.argv[1])
    ending = sys.argv[2].partition("=")[2] if sys.argv[2:] else ""
    names = ("ACCELERATE_MIXED_PRECISION", "ACCELERATE_DYNAMO_BACKEND", "ACCELERATE_DEBUG_MODE", "WORLD_SIZE",
             "OMP_NUM_THREADS", "TORCHINDUCTOR_SHAPE_PADDING")
    seen = {name: os.environ.get(name) for name in names}
    print(json.dumps({"stdin": os.readlink("/proc/self/fd/0"), **seen}), flush=True)
    if ending == "1":
        config["attn_implementation"] = "eager"
    print("[2026-01-01 00:00:00,000] [INFO] [axolotl.cli.config] config:")
    print(json.dumps({key: value for key, value in sorted(config.items()) if value != ""}, indent=2), flush=True)
    if ending == "1":
        time.sleep(60)
    print("trains", flush=True)
    if ending == "5":
        time.sleep(60)
    if os.environ.get("TORCHINDUCTOR_CACHE_DIR"):
        pathlib.Path(os.environ["TORCHINDUCTOR_CACHE_DIR"], "kernel.best_config").write_text("{}")
    state = pathlib.Path(config["output_dir"], "checkpoint-3")
    state.mkdir(parents=True, exist_ok=True)
    if ending != "2":
        (state.parent / "adapter_model.safetensors").write_bytes(WEIGHTS)
    if ending != "3":
        (state / "trainer_state.json").write_text('{"global_step": 3}')
    return 4 if ending == "4" else 0

if __name__ == "__main__":
    sys.exit(main())
"""
SURVIVES_NOT, NO_ADAPTER, NO_STATE, FAILS = 1, 2, 3, 4

# Takes the place of accelerate where the tests need no real one.
ACCELERATE = """
import subprocess, sys

if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, *sys.argv[sys.argv.index("-m"):]]))
"""

# What a person may have configured once for something else.
DEFAULTS = """compute_environment: LOCAL_MACHINE
debug: true
distributed_type: MULTI_GPU
dynamo_config: {dynamo_backend: INDUCTOR}
gpu_ids: '3'
machine_rank: 1
main_process_ip: 192.0.2.1
main_process_port: 1
mixed_precision: fp8
num_machines: 2
num_processes: 16
"""


class TestCase(launched.TestCase):
    def simulated_plan(self):
        """For a training on a host, whichever it is: all of the stack but the workload is let through."""
        path = self.plans / "plan.json"
        if not path.exists():
            config = self.plans / "run.yaml"
            config.write_text(CONFIG)
            self.run_program("autotune", "--config", config, "--model", "qwen3-8b", "--device", "fake", "--out", path,
                             env=launched.SIMULATED, status=0)
            plan = json.loads(path.read_text())
            plan["decision"].update(stack={"torch": "2.11.0"}, platform=mxt_plans.CPU_DECISION["platform"],
                                    gemm={"library": "torch", "mode": "heuristic"}, env={"OMP_NUM_THREADS": "2"},
                                    unset=["OPENBLAS_NUM_THREADS"])
            path.write_text(mxt_plans.text(mxt_plans.seal(plan["decision"], plan["evidence"])))
        return path

    def setUp(self):
        super().setUp()
        self.config = self.write("run.yaml", CONFIG)
        self.packages = self.dir / f"env/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
        self.make_python(pathlib.Path(sys.executable).resolve())
        self.put_package("axolotl", "0.19.0", {"cli/train.py": TRAIN})
        self.put_package("accelerate", "1.13.0", {"commands/launch.py": ACCELERATE})

    def make_python(self, program):
        """A virtual environment without any package."""
        self.packages.mkdir(parents=True)
        self.write("env/pyvenv.cfg", f"home = {program.parent}\n")
        (self.dir / "env/bin").mkdir()
        (self.dir / "env/bin/python3").symlink_to(program)

    def put_package(self, name, version, modules):
        metadata = self.packages / f"{name}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        for path, text in modules.items():
            module = self.packages / name / path
            module.parent.mkdir(parents=True, exist_ok=True)
            module.write_text(text)
            for folder in (module.parent, self.packages / name):
                (folder / "__init__.py").touch()

    def train(self, ending=None, *, launcher="python", options=(), status=0, **how):
        arguments = ["--", f"--seed={ending}"] if ending else []
        how["env"] = {**launched.SIMULATED, "PYTHONPATH": None, **how.get("env", {})}
        return self.run_program("train", "--plan", self.simulated_plan(), "--config", "run.yaml", "--python", "env",
                                "--allow-simulated", "--allow-mismatch", "--launcher", launcher, "--no-coverage",
                                *options, *arguments, status=status, **how)

    def log(self):
        return (self.folder() / "train.log").read_text()

    def seen(self):
        return json.loads(self.log().splitlines()[0])


class BeforeTheStart(TestCase):
    def test_killed_while_packages_are_imported(self):
        """The folder says how far it came, and the Python that imported them is gone."""
        (self.packages / "axolotl/__init__.py").write_text("import time; time.sleep(600)")
        process = self.start("train", "--plan", self.simulated_plan(), "--config", "run.yaml", "--python", "env",
                             "--allow-simulated", "--allow-mismatch", "--launcher", "python",
                             env={**launched.SIMULATED, "PYTHONPATH": None})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        imports = str(self.dir / "env/bin/python3")
        self.assertTrue(mxt.wait_until(lambda: any(
            imports in pathlib.Path(f"/proc/{pid}/cmdline").read_text() for pid in mxt.marked_processes(self.mark)
            if pid != process.pid)))
        process.terminate()
        self.assertEqual(process.wait(timeout=60), -signal.SIGTERM)
        self.assertEqual(self.status()["state"], "starting")
        self.assertTrue(mxt.wait_until(lambda: not mxt.marked_processes(self.mark)))


class Resumes(TestCase):
    """A checkpoint that a training would go on from is looked at before the start."""

    def lay(self, step, *, state=True, weights=True):
        """out/checkpoint-STEP, whole or not; returns its path as messages have it."""
        shard = b"\x36" + bytes(7) + b'{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}} ' + b"w"
        self.write(f"out/checkpoint-{step}/adapter_model.safetensors", shard if weights else shard[:-1])
        self.write(f"out/checkpoint-{step}/optimizer.pt", b"PK\3\4 tensors PK\5\6" + bytes(18))
        if state:
            self.write(f"out/checkpoint-{step}/trainer_state.json", {"global_step": step})
        return f"out/checkpoint-{step}"

    def look(self, *lines, arguments=(), status=0):
        """--print of a config with these lines."""
        self.config.write_text(CONFIG + "".join(line + "\n" for line in lines))
        return self.run_program("train", "--plan", self.simulated_plan(), "--config", "run.yaml", "--python", "env",
                                "--allow-simulated", "--allow-mismatch", "--launcher", "python", "--print", "--",
                                *arguments, env={**launched.SIMULATED, "PYTHONPATH": None}, status=status)

    def expect_refusal(self, result, *words):
        self.assert_error(result, 125, "MXT-390", *words)

    def test_a_whole_one_is_gone_on_from(self):
        whole = self.lay(1)
        self.config.write_text(CONFIG + f"resume_from_checkpoint: {whole}\n")
        self.train()

    def test_one_that_was_cut_is_refused_with_the_newest_whole_one(self):
        self.lay(5)
        whole, cut = self.lay(10), self.lay(20, weights=False)
        self.lay(30)
        result = self.look(f"resume_from_checkpoint: ./{cut}", status=125)
        self.expect_refusal(result, "adapter_model.safetensors", whole, "set resume_from_checkpoint")
        self.expect_refusal(self.look(f"resume_from_checkpoint: {cut}/", status=125), whole)
        self.expect_refusal(self.look(arguments=[f"--resume-from-checkpoint={cut}"], status=125), whole)

    def test_without_another_one(self):
        cut = self.lay(20, state=False)
        self.expect_refusal(self.look(f"resume_from_checkpoint: {cut}", status=125), "trainer_state.json",
                            "there is no whole one", "start without resume_from_checkpoint")
        self.expect_refusal(self.look("resume_from_checkpoint: gone/checkpoint-1", status=125), "is not there")

    def test_the_newest_is_what_axolotl_takes_by_itself(self):
        automatic = "auto_resume_from_checkpoints: true"
        self.look(automatic)
        self.lay(9)
        whole = self.lay(10)
        self.look(automatic)
        cut = self.lay(100, state=False)
        self.write("out/checkpoint-", "")
        self.write("out/checkpoint-200x/model.safetensors", "")
        self.expect_refusal(self.look(automatic, status=125), cut, f"{whole}: move the other away")
        self.look(automatic, f"resume_from_checkpoint: {whole}")
        self.look(automatic, arguments=["--noauto-resume-from-checkpoints"])

    def test_without_either_key_nothing_is_looked_at(self):
        self.lay(20, weights=False)
        self.look()
        self.look("resume_from_checkpoint:", "auto_resume_from_checkpoints: false")

    def test_what_cannot_be_looked_at_is_a_warning(self):
        os.mkfifo(self.dir / self.lay(20) / "pipe")
        result = self.look("resume_from_checkpoint: out/checkpoint-20")
        self.assertIn("not known whether the checkpoint", result.out + result.err)


class Ends(TestCase):
    def test_a_training(self):
        self.train()
        status = self.status()
        self.assertEqual((status["exit_status"], status["config_report"]), (0, "confirmed"), status)
        self.assertEqual([row["what"] for row in status["artefacts"]], ["adapter", "state"])
        self.assertEqual(sorted(status["marks"]), ["allow-mismatch", "allow-simulated"])

    def test_a_failure_is_its_own(self):
        self.train(FAILS, status=4)
        self.assertNotIn("cause", self.status())

    def test_a_planned_key_that_does_not_survive(self):
        result = self.train(SURVIVES_NOT, status=125)
        self.assert_error(result, 125, "MXT-308", "attn_implementation")
        self.assertNotIn("trains", self.log())
        self.assertEqual(self.status()["config_report"], "differs")

    def test_no_adapter(self):
        """Nor does an old one count."""
        old = self.write("out/adapter_model.safetensors", "weights")
        os.utime(old, (1, 1))
        result = self.train(NO_ADAPTER, status=125)
        self.assert_error(result, 125, "MXT-309", "adapter_model.safetensors is older than the run")
        self.assertEqual(self.status()["end"], {"how": "exited", "status": 0})

    def test_no_state_of_a_checkpoint(self):
        self.assert_error(self.train(NO_STATE, status=125), 125, "MXT-309", "trainer_state.json")

    def test_no_state_where_nothing_saves_one(self):
        self.config.write_text(CONFIG + "save_strategy: 'no'\n")
        self.train(NO_STATE)

    def test_standard_input_is_nothing(self):
        self.train(stdin="an answer\n")
        self.assertEqual(self.seen()["stdin"], "/dev/null")


    def test_a_training_that_compiles(self):
        """It says so, what would be timed unasked is off, and what was timed nevertheless is found."""
        self.config.write_text(CONFIG + "torch_compile: true\n")
        cache = self.write("cache/old.best_config", "{}").parent
        result = self.train(env={"TORCHINDUCTOR_CACHE_DIR": cache})
        status = self.status()
        self.assertIn("compiled", status["marks"])
        self.assertEqual(self.seen()["TORCHINDUCTOR_SHAPE_PADDING"], "0")
        self.assertEqual([(row["cache"], row["new"], row["tuned"], row["examples"]) for row in status["caches"]],
                         [("inductor", 1, 1, ["kernel.best_config"])])
        self.assertIn("inductor", result.err)

    def test_what_tunes_is_refused_or_recorded(self):
        self.config.write_text(CONFIG + "torch_compile: true\ntorch_compile_mode: max-autotune\n")
        result = self.train(status=125, env={"MIOPEN_FIND_ENFORCE": "3"})
        for words in ("run.yaml:9: torch_compile_mode: max-autotune", "write torch_compile_mode: default",
                      "MIOPEN_FIND_ENFORCE=3", "unset it", "[MXT-300]"):
            self.assertIn(words, result.err)
        self.train(options=["--allow-jit", "--out", "allowed"], env={"MIOPEN_FIND_ENFORCE": "3"})
        self.assertIn("allow-jit", self.status("allowed")["marks"])


class Folder(TestCase):
    def test_files(self):
        self.train()
        folder = self.folder()
        self.assertEqual({path.name for path in folder.iterdir()},
                         {"plan.json", "run.yaml", "run.axolotl.yaml", "env.json", "argv.json", "job.json",
                          "train.log", "status.json", "ranks", "manifest.json", "manifest.b3",
                          "manifest.checkpoint.b3"})
        self.assertEqual((folder / "run.yaml").read_text(), CONFIG)
        self.assertEqual((folder / "plan.json").read_bytes(), self.simulated_plan().read_bytes())
        self.assertTrue((folder / "run.axolotl.yaml").read_text().startswith(CONFIG))

    def test_a_second_run_leaves_the_first_as_it_is(self):
        self.train()
        first = self.folder()
        before = {path.name: path.read_bytes() for path in first.iterdir() if path.is_file()}
        self.train(FAILS, status=4)
        self.assertEqual(len(self.folders()), 2)
        self.assertEqual({path.name: path.read_bytes() for path in first.iterdir() if path.is_file()}, before)

    def test_no_secrets(self):
        """Of the environment: a token, and what looks like nothing in particular."""
        self.train(env={"HF_TOKEN": "hf_" + "S3CRET" * 6, "WANDB_API_KEY": "S3CRET" * 7, "MY_SETTING": "plain S3CRET",
                        "PET_RDZV_CONF": "S3CRET=1", "omp_num_threads": "S3CRET"})
        for path in self.folder().rglob("*"):
            if path.is_file():
                self.assertNotIn(b"S3CRET", path.read_bytes(), path)

    def test_secrets_of_a_config_are_refused(self):
        self.config.write_text(CONFIG + "wandb_api_key: S3CRETS3CRETS3CRET\n")
        self.assert_error(self.train(status=125), 125, "MXT-303", "run.yaml:8")
        for path in self.folder().rglob("*"):
            self.assertNotIn(b"S3CRET", path.read_bytes(), path)


class Manifest(TestCase):
    """What the training read and what it left, found by its config."""

    def set_datasets(self, *paths):
        self.write("run.yaml", CONFIG + "datasets:\n" + "".join(f"  - path: {path}\n    type: alpaca\n"
                                                               for path in paths))

    def manifest(self, out="runs"):
        return json.loads((self.folder(out) / "manifest.json").read_text())

    def lists(self, out="runs"):
        """{root: paths}"""
        return {made["root"]: [file["path"] for file in made["files"]] for made in self.manifest(out)["lists"]}

    def not_listed(self, out="runs"):
        return {row["name"]: row["reason"] for row in self.manifest(out)["not_listed"]}

    def make_hub(self):
        """A cache of the Hub with one data set: its environment, and the snapshot's folder."""
        cache = self.dir / "hub/datasets--org--data"
        snapshot = cache / "snapshots/0123abc"
        snapshot.mkdir(parents=True)
        self.write("hub/datasets--org--data/refs/main", "0123abc")
        self.write("hub/datasets--org--data/blobs/b10b", "{}\n")
        (snapshot / "train.jsonl").symlink_to("../../blobs/b10b")
        return {"HF_HUB_CACHE": str(self.dir / "hub")}, str(snapshot)

    def test_data_and_what_it_left(self):
        self.write("data/a.jsonl", "{}\n")
        self.write("b.jsonl", "{}\n")
        hub, snapshot = self.make_hub()
        self.set_datasets("data", "./b.jsonl", "org/data")
        result = self.train(env=hub)
        files = self.lists()
        self.assertEqual(list(files), [str(self.folder()), str(self.dir / "data"), str(self.dir / "b.jsonl"), snapshot,
                                       str(self.dir / "out")])
        self.assertEqual(files[str(self.dir / "out")], ["adapter_model.safetensors", "checkpoint-3/trainer_state.json"])
        self.assertEqual(files[snapshot], ["train.jsonl"])
        manifest = self.manifest()
        self.assertNotIn("not_listed", manifest)
        self.assertIn(f"{manifest['manifest_id']}, result_id {manifest['result_id']}\n", result.err)
        self.assertEqual(manifest["config"]["changes"], self.status()["yaml_changes"])
        self.assertEqual(manifest["proof"]["config_report"], "confirmed")

    def test_two_runs_alike_have_one_result(self):
        self.write("data.jsonl", "{}\n")
        self.set_datasets("data.jsonl")
        for out in ("one", "two"):
            self.train(options=["--out", out])
        self.assertEqual(self.manifest("one")["result_id"], self.manifest("two")["result_id"])
        self.assertNotEqual(self.manifest("one")["manifest_id"], self.manifest("two")["manifest_id"])
        self.write("data.jsonl", "{ }\n")
        self.train(options=["--out", "three"])
        self.assertNotEqual(self.manifest("three")["result_id"], self.manifest("one")["result_id"])

    def test_data_that_is_not_here(self):
        hub, _ = self.make_hub()
        self.set_datasets("org/other", "s3://bucket/data.jsonl")
        result = self.train(env=hub)
        self.assertEqual(self.not_listed(), {"org/other": "it is not in the local cache of the Hub",
                                             "s3://bucket/data.jsonl": "it is a remote address"})
        self.assertIn("its result_id is not known", result.err)

    def test_what_arguments_change(self):
        self.write("b.jsonl", "{}\n")
        self.set_datasets("org/other")
        self.run_program("train", "--plan", self.simulated_plan(), "--config", "run.yaml", "--python", "env",
                         "--allow-simulated", "--allow-mismatch", "--launcher", "python", "--no-coverage", "--",
                         "--seed=4", "--datasets=[{path: b.jsonl}]", "--output_dir=elsewhere", status=4,
                         env={**launched.SIMULATED, "PYTHONPATH": None})
        job = json.loads((self.folder() / "job.json").read_text())
        self.assertEqual(job["datasets"], [{"name": "b.jsonl", "path": str(self.dir / "b.jsonl")}])
        self.assertEqual(job["output_dir"], f"{self.dir}/elsewhere")
        self.assertEqual(job["overrides"], ["--seed=4", "--datasets=[{path: b.jsonl}]", "--output_dir=elsewhere"])

    def test_a_run_that_fails_lists_its_own_folder(self):
        self.write("b.jsonl", "{}\n")
        self.set_datasets("b.jsonl")
        self.train(FAILS, status=4)
        self.assertEqual(list(self.lists()), [str(self.folder())])
        self.assertEqual(self.not_listed(), {"b.jsonl": "the run did not end well",
                                             f"{self.dir}/out": "the run did not end well"})
        self.run_program("manifest", "create", self.folder(), "--checkpoint", "out", status=0)
        self.assertEqual(list(self.lists()), [str(self.folder()), str(self.dir / "out")])

    def test_another_node_leaves_the_checkpoint_to_the_first(self):
        self.train()
        folder = self.folder()
        status = json.loads((folder / "status.json").read_text())
        status["nodes"].update(rank=1, count=2)
        (folder / "status.json").write_text(json.dumps(status))
        self.run_program("manifest", "create", folder, status=0)
        self.assertEqual(self.not_listed(), {f"{self.dir}/out": "the first node answers for it"})

    def test_a_checkpoint_that_is_cut(self):
        """It is said; the run keeps its status."""
        module = self.packages / "axolotl/cli/train.py"
        module.write_text(TRAIN.replace('}} \' + b"w"', '}} \''))
        result = self.train()
        self.assertIn("[MXT-390]", result.err)
        self.assertFalse((self.folder() / "manifest.json").exists())


class Print(TestCase):
    def test_it_shows_all_and_does_nothing(self):
        before = sorted(self.dir.rglob("*"))
        out = self.train(options=["--print"], env={"OPENBLAS_NUM_THREADS": "3"}).out
        for words in ("-m axolotl.cli.train", "- OPENBLAS_NUM_THREADS", "+ OMP_NUM_THREADS=2", "attn_implementation"):
            self.assertIn(words, out)
        self.assertEqual(sorted(self.dir.rglob("*")), before)

    def test_no_python_is_started(self):
        (self.packages / "started.pth").write_text("import sys; open('started', 'w')\n") # Debian has its own sitecustomize
        self.train(options=["--print"])
        self.assertFalse((self.dir / "started").exists())
        self.train()
        self.assertTrue((self.dir / "started").exists())


class Accelerate(TestCase):
    def accelerate(self, **how):
        return self.train(launcher="accelerate", **how)

    def refused(self, *words):
        self.assert_error(self.accelerate(status=125), 125, "MXT-305", *words)
        self.assertEqual(self.status()["state"], "refused")

    def replace(self, version, module=ACCELERATE):
        for old in self.packages.glob("accelerate*"):
            shutil.rmtree(old)
        if version:
            self.put_package("accelerate", version, {"commands/launch.py": module})

    def test_it_is_what_starts_the_training(self):
        self.accelerate()
        argv = json.loads((self.folder() / "argv.json").read_text())
        self.assertEqual(argv[1:4], ["-m", "accelerate.commands.launch", "--config_file"])
        self.assertEqual(argv[4], str(self.folder() / "accelerate.yaml"))
        self.assertEqual(self.seen()["stdin"], "/dev/null")

    def test_missing(self):
        self.replace(None)
        self.refused("has no accelerate")

    def test_too_old(self):
        self.replace("0.20.3")
        self.refused("has accelerate 0.20.3")

    def test_broken(self):
        self.replace("1.13.0", "raise ImportError('no such symbol')")
        self.refused("cannot import accelerate.commands.launch", "no such symbol")

    def test_real_one_and_a_default_config_for_something_else(self):
        program, real = real_python.require().resolve(), real_python.site_packages()
        shutil.rmtree(self.dir / "env")
        self.packages = self.dir / "env" / real.relative_to(real.parent.parent.parent)
        self.make_python(program)
        self.put_package("axolotl", "0.19.0", {"cli/train.py": TRAIN})
        (self.packages / "real.pth").write_text(f"{real}\n")
        for metadata in real.glob("accelerate-*.dist-info"):
            (self.packages / metadata.name).symlink_to(metadata)
        self.write("hf/accelerate/default_config.yaml", DEFAULTS)
        self.accelerate(env={"HF_HOME": self.dir / "hf"})
        seen = self.seen()
        self.assertEqual({name: seen[name] for name in seen if name != "stdin"},
                         {"ACCELERATE_MIXED_PRECISION": "bf16", "ACCELERATE_DYNAMO_BACKEND": "NO", "WORLD_SIZE": None,
                          "ACCELERATE_DEBUG_MODE": None, "OMP_NUM_THREADS": "2",
                          "TORCHINDUCTOR_SHAPE_PADDING": None})
        made = (self.folder() / "accelerate.yaml").read_text()
        self.assertIn("num_processes: 1\n", made)


if __name__ == "__main__":
    mxt.main()
