#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command lines that start Axolotl, with the real accelerate and torchrun: how many processes come of them, what
these find in their environment, and what of others' settings reaches them. A stand-in takes axolotl.cli.train's place."""

import json
import os
import socket
import subprocess
import sys
import unittest

import mxt
import real_python

DRIVER = mxt.BUILD_ROOT / "tests" / "tools" / "launch_command"

# Says who it is; where there are several, adds up their ranks with torch's own collectives.
TRAIN = """
import json, os, sys
seen = {name: os.environ.get(name) for name in (
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_PORT", "ACCELERATE_MIXED_PRECISION",
    "ACCELERATE_DYNAMO_BACKEND", "ACCELERATE_USE_CPU", "ACCELERATE_DEBUG_MODE", "CUDA_VISIBLE_DEVICES",
    "PYTHONUNBUFFERED", "OMP_NUM_THREADS")}
seen.update(argv=sys.argv[1:], python=sys.executable)
if "--meet" in sys.argv:
    import torch
    torch.distributed.init_process_group("gloo")
    total = torch.ones(1) * (torch.distributed.get_rank() + 1)
    torch.distributed.all_reduce(total)
    seen["total"] = int(total.item())
    torch.distributed.destroy_process_group()
os.write(1, (json.dumps(seen) + "\\n").encode())
if "--fail" in sys.argv:
    sys.exit(3)
"""

# What a person may have configured once for something else.
DEFAULTS = """compute_environment: LOCAL_MACHINE
debug: true
distributed_type: 'NO'
dynamo_config: {dynamo_backend: INDUCTOR}
gpu_ids: '3'
mixed_precision: fp16
num_machines: 1
num_processes: 3
"""


class Case(mxt.TestCase):
    def stand_in(self, text=TRAIN, package="axolotl/cli/train.py"):
        """A module in a folder of modules; the folder."""
        path = self.write(f"modules/{package}", text)
        folder = path.parent
        while folder.name != "modules":
            (folder / "__init__.py").touch()
            folder = folder.parent
        return folder

    def drive(self, *args, env=None, status=0):
        settings = {"MXT_PYTHON_DIR": mxt.SOURCE_ROOT / "python", **(env or {})}
        done = subprocess.run([str(DRIVER), *map(str, args)], env=self.environment(settings), capture_output=True,
                              text=True, check=False, timeout=120, cwd=self.dir)
        self.assertEqual(done.returncode, status, done)
        return json.loads(done.stdout)


class RealLaunchers(Case):
    def setUp(self):
        super().setUp()
        self.python = real_python.require()
        self.modules = self.stand_in()

    def command(self, launcher, gpus, *extra, env=None):
        """argv, and the environment of it: what a scheduler set is not passed on, as the program sees to it."""
        made = self.drive("make", launcher, self.python, gpus, "run.yaml", self.dir / f"accelerate{len(extra)}.yaml",
                          env=env)
        settings = {"PYTHONPATH": self.modules, "HF_HOME": self.dir / "hf", **made["environment"]}
        return [*made["argv"], *extra], self.environment(settings)

    def begin(self, launcher, gpus, *extra, env=None):
        argv, environment = self.command(launcher, gpus, *extra, env=env)
        return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.dir)

    def finish(self, process, status=0):
        """What its processes said, by rank."""
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, out + err)
        said = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return sorted(said, key=lambda seen: int(seen["RANK"] or 0))

    def launch(self, *args, status=0, **how):
        return self.finish(self.begin(*args, **how), status)

    def test_accelerate_starts_one_process_whatever_the_default_config_says(self):
        self.write("hf/accelerate/default_config.yaml", DEFAULTS)
        (seen,) = self.launch("accelerate", 0, "--learning_rate=0.0001")
        self.assertEqual(seen["argv"], ["run.yaml", "--learning_rate=0.0001"])
        self.assertEqual(seen["python"], str(self.python))
        self.assertEqual(seen["ACCELERATE_MIXED_PRECISION"], "bf16")
        self.assertEqual(seen["ACCELERATE_DYNAMO_BACKEND"], "NO")
        self.assertEqual(seen["ACCELERATE_USE_CPU"], "True")
        self.assertEqual(seen["PYTHONUNBUFFERED"], "1")
        for name in ("RANK", "WORLD_SIZE", "ACCELERATE_DEBUG_MODE", "CUDA_VISIBLE_DEVICES"):
            self.assertIsNone(seen[name], name)

    def test_accelerate_starts_two_that_meet(self):
        """--multi_gpu on a host without one: accelerate starts processes, and asks for no GPU itself."""
        self.write("hf/accelerate/default_config.yaml", DEFAULTS)
        seen = self.launch("accelerate", 2, "--meet")
        self.assertEqual([one["RANK"] for one in seen], ["0", "1"])
        self.assertEqual([one["LOCAL_RANK"] for one in seen], ["0", "1"])
        self.assertEqual([one["total"] for one in seen], [3, 3])
        self.assertEqual({one["WORLD_SIZE"] for one in seen}, {"2"})
        self.assertIsNone(seen[0]["CUDA_VISIBLE_DEVICES"])

    def test_failing_ranks_fail_the_launcher(self):
        for launcher in ("accelerate", "torchrun"):
            with self.subTest(launcher):
                self.launch(launcher, 2, "--fail", status=1)

    def test_torchrun_starts_two_that_meet(self):
        seen = self.launch("torchrun", 2, "--meet")
        self.assertEqual([one["RANK"] for one in seen], ["0", "1"])
        self.assertEqual([one["total"] for one in seen], [3, 3])
        self.assertEqual({one["python"] for one in seen}, {str(self.python)})

    def two_nodes(self, launcher, envs):
        """Both nodes are this host, which each finds by its name."""
        nodes = [self.begin(launcher, 1, "--meet", *["again"] * i, env=env) for i, env in enumerate(envs)]
        seen = [one for node in nodes for one in self.finish(node)]
        self.assertEqual([one["RANK"] for one in seen], ["0", "1"])
        self.assertEqual([one["GROUP_RANK"] for one in seen], ["0", "1"])
        self.assertEqual([one["total"] for one in seen], [3, 3])
        return seen

    def own_name(self):
        name = socket.gethostname()
        try:
            socket.gethostbyname(name)
        except OSError as error:
            raise unittest.SkipTest(f"this host does not find its own name {name}") from error
        return name

    def test_two_nodes_of_slurm_under_accelerate(self):
        job = {"SLURM_JOB_ID": os.getpid(), "SLURM_STEP_ID": 0, "SLURM_NNODES": 2, "SLURM_STEP_NUM_NODES": 2,
               "SLURM_STEP_NODELIST": f"{self.own_name()},other[01]", "SLURM_STEP_TASKS_PER_NODE": "1(x2)"}
        seen = self.two_nodes("accelerate", [{**job, "SLURM_NODEID": node} for node in (0, 1)])
        self.assertEqual(seen[0]["MASTER_PORT"], seen[1]["MASTER_PORT"])

    def test_two_pods_of_kubeflow_under_torchrun(self):
        port = 61000 + os.getpid() % 4536
        job = {"PET_NNODES": 2, "PET_NPROC_PER_NODE": 1, "PET_MASTER_ADDR": self.own_name(), "PET_MASTER_PORT": port,
               "WORLD_SIZE": 2}
        seen = self.two_nodes("torchrun", [{**job, "PET_NODE_RANK": node, "RANK": node} for node in (0, 1)])
        self.assertEqual(seen[1]["MASTER_PORT"], str(port))


class Imports(Case):
    """By the Python that runs the tests, with stand-ins for all packages."""

    def check(self, *, launcher="accelerate", package=(), env=None, **modules):
        folder = self.stand_in("", "axolotl/cli/train.py")
        self.stand_in("", "accelerate/commands/launch.py")
        for name, text in modules.items():
            self.stand_in(text, name.replace("__", "/") + ".py")
        return self.drive("imports", launcher, sys.executable, *package, env={"PYTHONPATH": folder, **(env or {})})

    def refused(self, *words, **how):
        (remark,) = self.check(**how)
        self.assertEqual((remark["kind"], remark["id"]), ("refused", "MXT-305"))
        for word in words:
            self.assertIn(word, remark["text"])

    def test_all_is_there(self):
        self.assertEqual(self.check(), [])
        self.assertEqual(self.check(package=["flash_attn"], flash_attn__x=""), [])

    def test_a_package_is_missing(self):
        self.refused("cannot import flash_attn", "ModuleNotFoundError", package=["flash_attn"])
        self.refused("cannot import flash_attn_interface", package=["flash_attn_3"])

    def test_a_package_is_broken(self):
        self.refused("cannot import axolotl.cli.train", "undefined symbol: _ZN3c10",
                     axolotl__cli__train="raise ImportError('x.so: undefined\\n symbol: _ZN3c10')")

    def test_it_ends_the_process(self):
        self.refused("cannot import axolotl.cli.train", "SystemExit: 7", axolotl__cli__train="import sys; sys.exit(7)")
        self.refused("cannot import axolotl.cli.train", "crashes", axolotl__cli__train="import os; os.abort()")
        self.refused("cannot import accelerate.commands.launch", "crashes",
                     accelerate__commands__launch="import os; os._exit(0)")

    def test_the_python_is_none(self):
        (remark,) = self.drive("imports", "python", "/bin/false")
        self.assertIn("/bin/false cannot show", remark["text"])

    def test_what_is_printed_is_no_answer(self):
        self.assertEqual(self.check(axolotl__cli__train="print('bad news', flush=True); import os; os.write(2, b'end')"),
                         [])

    def test_it_is_no_process_of_the_training(self):
        self.refused("ValueError: None", env={"MXT_LAUNCH_DIR": "/tmp"},
                     axolotl__cli__train="import os; raise ValueError(os.environ.get('MXT_LAUNCH_DIR'))")

    def test_the_working_folder_comes_first_as_it_does_in_the_training(self):
        self.write("accelerate/__init__.py", "raise RuntimeError('mine')")
        self.refused("RuntimeError: mine")

    def test_modules_of_ours_hide_none(self):
        self.assertEqual(self.check(axolotl__cli__train="try:\n import wire\nexcept ImportError: pass\nelse: raise Exit"),
                         [])


if __name__ == "__main__":
    mxt.main()
