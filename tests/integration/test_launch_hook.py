#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hook that `run` and `train` put into the command's Pythons: it sees what torch does, sets what it is told to, and
neither changes what a training computes nor stays in its way. All on a real torch."""

import json
import subprocess

import launched
import mxt
import real_python

TRAINING = mxt.FIXTURES / "trainings" / "attention.py"
PYTHON = mxt.SOURCE_ROOT / "python"
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
ACCELERATE = ("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1",
              "--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0")


class Hooked(mxt.TestCase):
    unhooked = {}  # of all classes: the same trainings

    def setUp(self):
        super().setUp()
        self.python = real_python.require()
        self.ranks = self.dir / "ranks"
        self.ranks.mkdir()

    def command(self, *command, env=None):
        """(standard output, standard error) of a Python."""
        process = subprocess.run([str(word) for word in (self.python, *command)], cwd=self.dir, check=False,
                                 env=self.environment({"OMP_NUM_THREADS": "1", **(env or {})}), capture_output=True,
                                 text=True, timeout=180)
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout, process.stderr

    def hooked(self, what, *launcher, records=True, env=None, before="", script=TRAINING):
        """The last object that a training prints; with several processes, one of theirs. It is quiet."""
        path = f"{before}{PYTHON / 'hook'}:{PYTHON}"
        out, err = self.command(*launcher, script, what, env={
            "PYTHONPATH": path, "MXT_LAUNCH_DIR": self.ranks, "MXT_LAUNCH_STEPS": "2" if records else None, **(env or {})})
        self.assertNotIn("mindxtrain", err)
        return json.loads([line for line in out.splitlines() if line.startswith("{")][-1])

    def plain(self, what):
        """What a training says without a hook; each is asked once."""
        if what not in self.unhooked:
            self.unhooked[what] = self.command(TRAINING, what)[0]
        return json.loads(self.unhooked[what])

    def witnesses(self):
        """Sorted by rank."""
        files = [json.loads(path.read_text()) for path in self.ranks.glob("witness-*.json")]
        self.assertEqual(list(self.ranks.glob("*.new")), [])
        return sorted(files, key=lambda file: file["rank"])

    def witness(self):
        files = self.witnesses()
        self.assertEqual(len(files), 1)
        self.assertEqual(files[0]["schema"], "mindxtrain.witness/1")
        return files[0]

    def parts(self):
        return [path.name for path in self.ranks.glob("part-*.json")]

    def assert_gone(self, found):
        """Nothing of the hook is left in a process."""
        self.assertTrue(found["function"])
        self.assertEqual((found["modes"], found["hooks"]), (0, 0))


class Witness(Hooked):
    def test_one_process(self):
        found = self.hooked("plain")
        self.assert_gone(found)
        self.assertEqual(found, self.plain("plain"))
        witness = self.witness()
        self.assertEqual([(kind["backend"], kind["calls"], kind["grad"]) for kind in witness["kinds"]], [("flash", 3, True)])
        self.assertEqual((witness["steps"], witness["notes"], witness["applied"]), (3, [], []))
        self.assertEqual(witness["kinds"][0]["kv_heads"], 2)
        self.assertEqual(len(self.parts()), 1)

    def test_not_called(self):
        self.assert_gone(self.hooked("eager", records=False))
        self.assertEqual((self.witness()["calls"], self.witness()["unread"], self.parts()), (0, 0, []))

    def test_calls_that_do_not_train_are_apart(self):
        self.hooked("masked", records=False)
        kinds = {(kind.get("mask", False), kind.get("grad", False)) for kind in self.witness()["kinds"]}
        self.assertEqual(kinds, {(True, False), (False, True)})

    def test_nothing_trained(self):
        self.hooked("never")
        self.assertEqual(list(self.ranks.iterdir()), [])

    def test_what_is_compiled_is_let_through(self):
        found = self.hooked("compiled")
        self.assertEqual(found["graphs"], 1)  # a function that came and went would have made more
        self.assertEqual((found["modes"], found["hooks"]), (0, 0))
        witness = self.witness()
        self.assertEqual((witness["compiled"], witness["calls"]), (1, 0))
        self.assertIn("compiled", witness["not_recorded"])

    def test_scripts_and_forks(self):
        self.assert_gone(self.hooked("scripted", records=False))
        self.assert_gone(self.hooked("forks", records=False))
        self.assertEqual(len(self.witnesses()), 2)

    def test_functions_that_were_taken_before(self):
        self.assertEqual(self.hooked("bound", records=False), self.plain("bound"))
        self.assertEqual(self.witness()["calls"], 3)

    def test_modes_of_others(self):
        self.assertEqual(self.hooked("mode-between")["modes"], 1)
        self.assertIn("dispatch mode", self.witness()["not_recorded"])
        self.assertEqual(self.parts(), [])


class Failures(Hooked):
    def test_what_it_relies_on_is_gone(self):
        found = self.hooked("broken")
        self.assert_gone(found)
        self.assertEqual(found["losses"], self.plain("plain")["losses"])
        witness = self.witness()
        self.assertGreater(witness["unread"], 0)
        self.assertIn("could not be read", witness["notes"][0])

    def test_errors_are_the_trainings(self):
        self.assert_gone(self.hooked("refused"))
        self.assertEqual([kind["backend"] for kind in self.witness()["kinds"]], ["flash"])

    def test_folder_goes(self):
        self.assert_gone(self.hooked("folder-goes"))
        self.assertFalse(self.ranks.exists())

    def test_folder_cannot_be_written(self):
        out, err = self.command(TRAINING, "plain", env={
            "PYTHONPATH": f"{PYTHON / 'hook'}:{PYTHON}", "MXT_LAUNCH_DIR": "/proc/self/task", "MXT_LAUNCH_STEPS": "2"})
        self.assertEqual(json.loads(out)["losses"], self.plain("plain")["losses"])
        self.assertIn("cannot be written", err)


class Launchers(Hooked):
    def two_ranks(self, launcher):
        self.assert_gone(self.hooked("distributed", *launcher))
        self.assertEqual([file["rank"] for file in self.witnesses()], [0, 1])
        self.assertTrue(all(file["kinds"][0]["backend"] == "flash" for file in self.witnesses()))
        self.assertEqual(len(self.parts()), 1)
        self.assertTrue(self.parts()[0].startswith("part-00000-"))

    def test_torchrun(self):
        self.two_ranks(TORCHRUN)

    def test_accelerate(self):
        self.two_ranks(ACCELERATE)

    def test_sitecustomize_of_the_user(self):
        site = self.write("site/sitecustomize.py", "import os\nos.environ['USER_SITE_RAN'] = 'yes'\n").parent
        found = self.hooked("plain", records=False, env={"PYTHONPATH": f"{PYTHON / 'hook'}:{PYTHON}:{site}"})
        self.assertEqual(found["user"], "yes")
        self.assertEqual(self.witness()["calls"], 3)


class Settings(Hooked):
    def test_kernels_that_no_variable_leads_to(self):
        self.hooked("plain", records=False, env={"MXT_LAUNCH_SDPA": "math"})
        witness = self.witness()
        self.assertEqual({kind["backend"] for kind in witness["kinds"]}, {"math"})
        self.assertEqual(witness["settings"]["flash"], "off")
        self.assertIn("flash off", witness["applied"])

    def test_deterministic(self):
        self.assertTrue(self.hooked("plain", records=False, env={"MXT_LAUNCH_DETERMINISTIC": "1"})["deterministic"])
        self.assertEqual(self.witness()["settings"]["deterministic"], "on")

    def test_unknown_kernels(self):
        self.assert_gone(self.hooked("plain", records=False, env={"MXT_LAUNCH_SDPA": "no-such"}))
        self.assertIn("not set", self.witness()["notes"][0])

    def test_order_of_kernels(self):
        """Where cuDNN has to come first, torch is asked once, and the training goes on as it was."""
        found = self.hooked("plain", records=False, env={"MXT_LAUNCH_SDPA": "cudnn"})
        self.assertEqual(found["losses"], self.plain("plain")["losses"])
        self.assertEqual(self.witness()["applied"], ["cudnn first"])


class Plugin(Hooked):
    """A stand-in for Axolotl's base class, and a sitecustomize that hides ours."""

    def setUp(self):
        super().setUp()
        self.write("site/sitecustomize.py", "")
        self.write("site/axolotl/integrations/base.py", "class BasePlugin:\n    def register(self, cfg): pass\n"
                   "    def pre_model_load(self, cfg): pass\n")
        self.script = self.write("train.py", "import runpy, sys\n"
                                 "from mindxtrain_plan.axolotl_plugin import PlanPlugin\n"
                                 "plugin = PlanPlugin()\nplugin.register({})\nplugin.pre_model_load({})\n"
                                 f"runpy.run_path({str(TRAINING)!r})\n")

    def train(self, **env):
        return self.hooked("plain", records=False, before=f"{self.dir / 'site'}:", script=self.script, env=env)

    def test_it_sets_and_watches(self):
        self.assert_gone(self.train(MXT_LAUNCH_SDPA="math", MXT_LAUNCH_DETERMINISTIC="1"))
        witness = self.witness()
        self.assertEqual({kind["backend"] for kind in witness["kinds"]}, {"math"})
        self.assertEqual(witness["settings"]["deterministic"], "on")
        self.assertEqual(witness["applied"], ["cudnn off", "flash off", "mem_efficient off", "deterministic algorithms"])

    def test_it_does_nothing_elsewhere(self):
        self.assert_gone(self.train(MXT_LAUNCH_DIR=""))
        self.assertEqual(list(self.ranks.iterdir()), [])


class Run(launched.TestCase):
    """Through the program: a plan made of a recording, as if for the torch that trains, and what was recorded."""

    def simulated_plan(self):
        path = self.plans / "plan.json"
        if not path.exists():
            recorded = self.plans / "recorded.json"
            self.run_program("record", "--out", recorded, "--", real_python.require(), TRAINING, status=0)
            self.run_program("autotune", "--shapes", recorded, "--device", "fake", "--out", path, env=launched.SIMULATED,
                             status=0)
        return path

    def proof(self, attention, *options):
        """(result, status.json) of the training under the plan with another attention."""
        def change(decision):
            decision["attention"], decision["stack"] = {"backend": attention}, {"torch": "2.11.0"}

        result = self.launch(real_python.require(), TRAINING, plan=self.changed_plan(change),
                             options=["--allow-mismatch", "--require-proof", *options])
        return result, self.status()

    def test_planned_and_seen(self):
        result, status = self.proof("math")
        self.assertEqual(result.status, 0, result)
        self.assertTrue(json.loads(result.out)["function"])
        self.assertEqual([(row["what"], row["saw"], row["planned"]) for row in status["witnesses"]],
                         [("sdpa", "math", "math")])

    def test_coverage(self):
        result, status = self.proof("flash")
        self.assertEqual(result.status, 0, result)
        self.assertEqual((status["coverage"]["share_ppm"], status["coverage"]["basis"]), (1000000, "simulated times"))

    def test_contradiction(self):
        result, status = self.proof("fa2", "--no-coverage")
        self.assert_error(result, 125, "MXT-310")
        self.assertEqual(status["witnesses"][0]["saw"], "flash")


class Unplanned(launched.TestCase):
    """A plan for another job: hardly anything of what runs is in it."""

    def test_the_largest_calls_are_named(self):
        plan = self.changed_plan(lambda decision: decision.update(stack={"torch": "2.11.0"}))
        result = self.launch(real_python.require(), TRAINING, plan=plan, options=["--allow-mismatch"], status=0)
        self.assertLess(self.status()["coverage"]["share_ppm"], 800000)
        largest = [row["problem"] for row in self.status()["coverage"]["largest_unplanned"]]
        words = "mindxtrain: not in the plan: "
        named = [line[len(words):] for line in result.err.splitlines() if line.startswith(words)]
        self.assertEqual(named, largest)
        self.assertTrue(named)


if __name__ == "__main__":
    mxt.main()
