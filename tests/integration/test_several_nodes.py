#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training on two nodes of eight MI300X each, on stand-ins: the plan that one node makes for both, what each of them
starts under it, and the folders of their runs. That two nodes meet is shown by test_launchers.py."""

import functools
import json
import os
import shlex
import sys

import mxt
import mxt_plans
import sim_hip
import sim_rocm

GPUS = 8
NODES = 2
CONFIG = """\
base_model: model
sequence_len: 64
pad_to_sequence_len: true
micro_batch_size: 1
gradient_accumulation_steps: 1
num_epochs: 1
learning_rate: 0.0002
adapter: lora
lora_r: 4
lora_alpha: 8
lora_target_linear: true
bf16: true
attn_implementation: sdpa
datasets:
  - path: data.jsonl
    type: completion
output_dir: out
save_strategy: "no"
"""

SLURM = {"SLURM_JOB_ID": "4242", "SLURM_STEP_ID": "0", "SLURM_NNODES": "2", "SLURM_STEP_NUM_NODES": "2",
         "SLURM_STEP_NODELIST": "gpu[07-08]", "SLURM_STEP_TASKS_PER_NODE": "1(x2)"}
# As the operator of PyTorchJobs sets it: RANK is the pod's.
KUBEFLOW = {"PET_NNODES": "2", "PET_NPROC_PER_NODE": "8", "PET_MASTER_ADDR": "job-master-0", "PET_MASTER_PORT": "23456",
            "MASTER_ADDR": "job-master-0", "MASTER_PORT": "23456", "WORLD_SIZE": "16"}
# Nobody's scheduler: this test may run under one.
ALONE = {name: None for name in os.environ if name.startswith(("SLURM_", "PET_", "OMPI_", "PMI_", "TORCHELASTIC_"))}
ALONE.update(dict.fromkeys(("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")))

# In place of accelerate: the first process of the training leaves weights, and no other process does.
LAUNCH = """
import json, pathlib, sys
if __name__ == "__main__":
    print(json.dumps(sys.argv[1:]), flush=True)
    if sys.argv[sys.argv.index("--machine_rank") + 1] == "0":
        path = pathlib.Path("out/adapter_model.safetensors")
        path.parent.mkdir()
        path.write_bytes(b"weights")
"""


def on_slurm(node):
    return {**SLURM, "SLURM_NODEID": str(node)}


def on_kubeflow(node):
    return {**KUBEFLOW, "PET_NODE_RANK": str(node), "RANK": str(node)}


class Case(sim_hip.TestCase):
    def setUp(self):
        super().setUp()
        self.write("model/config.json", sim_hip.MODEL)
        self.write("run.yaml", CONFIG)
        self.torch.dist_info("axolotl", "0.19.0")
        self.torch.dist_info("accelerate", "1.15.0")

    def command_here(self, *args):
        return (*args, "--config", "run.yaml", "--python", self.torch.folder)

    def environment_here(self, env=None):
        return {**ALONE, **self.variables({}, sim_rocm.machine(GPUS)), **(env or {})}

    def run_here(self, *args, env=None, **how):
        return self.run_program(*self.command_here(*args), env=self.environment_here(env), **how)


@functools.lru_cache(maxsize=None)
def made():
    """A plan for two nodes and what autotune said; made once."""
    case = Case()
    case.setUp()
    try:
        result = case.run_here("autotune", "--device", "hip", "--gpus", GPUS, "--nodes", NODES, "--seed", 1, status=0)
        return case.plan(), result.out
    finally:
        case.doCleanups()


class Plan(Case):
    def test_what_is_decided(self):
        decision = made()[0]["decision"]
        training = decision["workload"]["training"]
        self.assertEqual((training["gpus"], training["nodes"], training["strategy"]), (GPUS, NODES, "ddp"))
        self.assertEqual(decision["platform"]["link"], "xgmi")
        self.assertIn("attention", decision)
        self.assertIn("gemm", decision)

    def test_collectives_are_not_planned(self):
        plan, out = made()
        decision = plan["decision"]
        self.assertNotIn("collective", decision)
        for name in ("NCCL_MIN_NCHANNELS", "TORCH_NCCL_HIGH_PRIORITY"):
            self.assertNotIn(name, decision.get("env", {}))
            self.assertNotIn(name, decision["unset"])
        row, = (row for row in plan["evidence"]["choices"] if row["probe"] == "collective")
        self.assertEqual((row["winner"], row["source"]), ("bare", "unresolved"))
        self.assertNotIn("not_measured", row)
        for words in ("collectives of 2 nodes are neither measured nor planned", "RCCL takes 64 channels at most"):
            self.assertIn(words, row["rule"])
            self.assertIn(words, out)
        self.assertIn(", 2 nodes\n", out)


class TrainCase(Case):
    def setUp(self):
        super().setUp()
        self.plan_file(lambda decision: None)

    def plan_file(self, change):
        """The plan as real hardware would have left it: its marks are no part of its id."""
        decision = json.loads(json.dumps(made()[0]["decision"]))
        change(decision)
        evidence = {name: value for name, value in made()[0]["evidence"].items() if name != "simulated"}
        self.write("plan.json", mxt_plans.text(mxt_plans.seal(decision, evidence)))

    def train(self, *options, env=None, **how):
        return self.run_here("train", "--plan", "plan.json", *options, env=env, **how)


class Print(TrainCase):
    """What each node would start; nothing is made."""

    def argv(self, *options, env):
        """The command, and what is printed around it."""
        out = self.train("--print", *options, env=env, status=0).out
        plan_id, = (line.split()[1] for line in out.splitlines() if line.startswith("plan "))
        self.assertEqual(plan_id, made()[0]["plan_id"])
        lines = out.splitlines()
        argv = shlex.split(lines[lines.index("command") + 1])
        self.assertEqual(argv[0], str(self.torch.python))
        self.assertEqual(argv[-3:], ["-m", "axolotl.cli.train", str(self.dir / "runs/RUN/run.axolotl.yaml")])
        self.assertFalse((self.dir / "runs").exists())
        return argv[1:-3], out

    def assert_words(self, argv, *words):
        """They are there, one after the other."""
        at = argv.index(words[0])
        self.assertEqual(argv[at:at + len(words)], list(words))

    def test_slurm_under_accelerate(self):
        ports = set()
        for node in range(NODES):
            argv, out = self.argv(env=on_slurm(node))
            self.assertEqual(argv[:2], ["-m", "accelerate.commands.launch"])
            self.assert_words(argv, "--multi_gpu", "--num_processes", "16", "--num_machines", "2", "--machine_rank",
                              str(node), "--main_process_ip", "gpu07", "--main_process_port")
            ports.add(argv[argv.index("--main_process_port") + 1])
            for line in ("num_machines: 2", "num_processes: 16", f"machine_rank: {node}", "main_process_ip: 'gpu07'"):
                self.assertIn(f"\n{line}\n", out)
        self.assertEqual(len(ports), 1)

    def test_slurm_under_torchrun(self):
        for node in range(NODES):
            argv, _ = self.argv("--launcher", "torchrun", env=on_slurm(node))
            self.assertEqual(argv[:2], ["-m", "torch.distributed.run"])
            for word in ("--nnodes=2", "--nproc_per_node=8", f"--node_rank={node}", "--master_addr=gpu07"):
                self.assertIn(word, argv)

    def test_kubeflow(self):
        for node in range(NODES):
            argv, out = self.argv("--launcher", "torchrun", env=on_kubeflow(node))
            for word in ("--nnodes=2", "--nproc_per_node=8", f"--node_rank={node}", "--master_addr=job-master-0",
                         "--master_port=23456"):
                self.assertIn(word, argv)
            self.assertIn("\n- PET_NNODES", out)  # torchrun would take it for an option
            argv, _ = self.argv(env=on_kubeflow(node))
            self.assert_words(argv, "--machine_rank", str(node), "--main_process_ip", "job-master-0",
                              "--main_process_port", "23456")

    def test_command_line(self):
        argv, _ = self.argv("--nodes", 2, "--node-rank", 1, "--main-address", "node0", env={})
        self.assert_words(argv, "--machine_rank", "1", "--main_process_ip", "node0", "--main_process_port", "29500")


class Refusals(TrainCase):
    def refused(self, *words, env=None, options=()):
        for allowed in ((), ("--allow-mismatch",)):
            self.assert_error(self.train("--print", *options, *allowed, env=env), 125, "MXT-312", *words)

    def test_one_node(self):
        self.refused("the plan is for 2 nodes, and 1 takes part")

    def test_three(self):
        three = {"SLURM_NNODES": "3", "SLURM_STEP_NUM_NODES": "3", "SLURM_STEP_NODELIST": "gpu[07-09]",
                 "SLURM_STEP_TASKS_PER_NODE": "1(x3)"}
        self.refused("for 2 nodes, and 3 take part", env={**on_slurm(2), **three})
        self.refused("for 2 nodes, and 3 take part", env={**on_kubeflow(2), "PET_NNODES": "3", "WORLD_SIZE": "24"})

    def test_a_plan_for_one(self):
        self.plan_file(lambda decision: decision["workload"]["training"].pop("nodes"))
        self.refused("for 1 node, and 2 take part", env=on_slurm(1))

    def test_run(self):
        result = self.run_program("run", "--plan", "plan.json", "--python", self.torch.folder, "--", "true",
                                  env=self.environment_here())
        self.assert_error(result, 125, "MXT-312", "for 2 nodes, and 1 takes part")

    def test_a_node_that_lacks_a_card(self):
        """Each node is held against the plan."""
        seven = sim_rocm.install(self.dir / "seven", sim_rocm.machine(7))
        result = self.train("--print", env={**on_slurm(1), **seven})
        self.assert_error(result, 125, "MXT-246", "8 GPUs are asked for", "shows 7")


class Folders(TrainCase):
    """Two nodes that share their files and begin at once."""

    def setUp(self):
        super().setUp()
        self.torch.write(self.torch.site / "axolotl/cli/train.py", "")
        self.torch.write(self.torch.site / "accelerate/commands/launch.py", LAUNCH)
        interpreter = os.path.realpath(sys.executable)
        self.torch.python.unlink()
        self.torch.python.symlink_to(interpreter)
        self.torch.write("pyvenv.cfg", f"home = {os.path.dirname(interpreter)}\nversion = 3.11.2\n")

    def train_both(self, status=0):
        """What each of them said, and the folder of its run."""
        here = self.environment_here({"PYTHONPATH": self.torch.site})
        started = [self.start(*self.command_here("train", "--plan", "plan.json"), env={**here, **on_slurm(node)})
                   for node in range(NODES)]
        said = [process.communicate(timeout=120) for process in started]
        self.assertEqual([process.returncode for process in started], [status] * NODES, said)
        runs = sorted((self.dir / "runs").iterdir(), key=lambda run: "-node" in run.name)
        self.assertEqual(len(runs), NODES, runs)
        for run, suffix in zip(runs, ("", "-node1")):
            self.assertRegex(run.name, rf"^\d{{8}}-\d{{6}}-{self.plan()['plan_id'][:8]}{suffix}$")
        return [err for _, err in said], runs

    def test_each_has_its_own(self):
        _, runs = self.train_both()
        for node, run in enumerate(runs):
            status = json.loads((run / "status.json").read_text())
            self.assertEqual((status["run"], status["plan_id"]), (run.name, made()[0]["plan_id"]))
            self.assertEqual(status["nodes"], {"count": 2, "rank": node, "found_by": "Slurm", "address": "gpu07"})
            self.assertEqual((run / "plan.json").read_bytes(), (self.dir / "plan.json").read_bytes())
            argv = json.loads((run / "argv.json").read_text())
            self.assertEqual(argv[argv.index("--machine_rank") + 1], str(node))
            self.assertIn(str(run / "accelerate.yaml"), argv)
            self.assertEqual(json.loads((run / "train.log").read_text()), argv[3:])

    def test_the_first_answers_for_what_is_left(self):
        """Weights, and Axolotl's report, which did not come here, are the first process's."""
        (first, second), runs = self.train_both()
        found = [json.loads((run / "status.json").read_text())["artefacts"] for run in runs]
        self.assertEqual([row["path"] for row in found[0]], ["out/adapter_model.safetensors"])
        self.assertIn("Axolotl's report of its config was not seen", first)
        self.assertNotIn("Axolotl's report", second)

    def test_a_refusal_of_each(self):
        self.plan_file(lambda decision: decision["platform"].update(units=38))
        errs, runs = self.train_both(125)
        for err, run in zip(errs, runs):
            self.assertIn("platform.units: 38, here 304", err)
            self.assertEqual(json.loads((run / "status.json").read_text())["state"], "refused")


if __name__ == "__main__":
    mxt.main()
