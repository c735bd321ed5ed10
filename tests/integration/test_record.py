#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`record` runs commands and real trainings, and `autotune --shapes` takes what it wrote. Counts are compared with
those of torch's profiler."""

import collections
import json
import os
import signal
import subprocess
import sys

import jsonschema

import mxt
import real_python

TRAININGS = mxt.FIXTURES / "trainings"
SCHEMA = json.loads((mxt.SOURCE_ROOT / "docs" / "recording.schema.json").read_text())


class Commands(mxt.TestCase):
    """What needs no torch."""

    def record(self, *command, options=(), **how):
        return self.run_program("record", *options, "--", *command, **how)

    def test_usage(self):
        self.assert_error(self.run_program("record"), 2, "MXT-110", "mindxtrain record -- axolotl")
        self.assert_error(self.record("true", options=("--steps", "0")), 2, "MXT-110", "--steps")
        self.assert_error(self.record("true", options=("--out", "-")), 2, "MXT-110", "--out")

    def test_out_is_looked_at_before_anything_runs(self):
        result = self.record("touch", "ran", options=("--out", "no/such/folder.json"))
        self.assertEqual(result.status, 1, result)
        self.assertFalse((self.dir / "ran").exists())

    def test_no_such_command(self):
        self.assert_error(self.record("no-such-command"), 3, "MXT-242", "no-such-command")

    def test_command_without_torch(self):
        result = self.record("sh", "-c", "exit 3")
        self.assert_error(result, 6, "MXT-248", "exited with status 3", "torch")

    def test_command_killed(self):
        self.assert_error(self.record("sh", "-c", "kill -9 $$"), 6, "MXT-248", "signal 9")

    def test_streams_are_the_commands(self):
        result = self.record("sh", "-c", "cat; echo to-err >&2", stdin="to-out\n")
        self.assertEqual(result.out, "to-out\n")
        self.assertIn("to-err\n", result.err)

    def test_timeout_ends_everything(self):
        script = "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 300' & wait"
        result = self.record("sh", "-c", script, options=("--timeout", "1"), timeout=60)
        self.assert_error(result, 6, "MXT-248", "--timeout")

    def test_signal_is_passed_on(self):
        process = self.start("record", "--", "sh", "-c", "trap 'echo got; exit 0' TERM; touch on; while :; do sleep 0.1; done")
        self.assertTrue(mxt.wait_until(lambda: (self.dir / "on").exists()))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertIn("got", out)

    def test_folder_is_removed(self):
        (self.dir / "odd [name]").mkdir()
        self.record("sh", "-c", "ls -d $MXT_RECORD_DIR; touch $MXT_RECORD_DIR/left", env={"TMPDIR": self.dir / "odd [name]"})
        self.assertEqual(os.listdir(self.dir / "odd [name]"), [])


class Shapes(mxt.TestCase):
    """autotune on a recording that was made before."""

    recording = mxt.FIXTURES / "recordings" / "lora_accumulated.json"

    def autotune(self, *options, **how):
        return self.run_program("autotune", "--shapes", self.recording, "--device", "self-test", *options, **how)

    def test_plan(self):
        result = self.autotune("--budget", 20, "--json", "--out", "plan.json", status=0)
        plan = json.loads((self.dir / "plan.json").read_text())
        workload = plan["decision"]["workload"]
        self.assertRegex(workload["recorded"], "^[0-9a-f]{64}$")
        attention = next(row for row in plan["evidence"]["choices"] if row["probe"] == "attention")
        self.assertNotIn("new_lengths", attention)  # both steps had one length
        self.assertNotIn("model", workload)
        notes = [event["text"] for event in result.events() if event["event"] == "note"]
        self.assertTrue(any("recorded: 2 steps of 1 process," in note for note in notes), notes)
        self.run_program("plan", "canonical", "plan.json", status=0)
        self.assertIn(workload["recorded"], self.run_program("plan", "show", "plan.json", status=0).out)
        coverage = [sys.executable, mxt.SOURCE_ROOT / "bench" / "coverage.py", mxt.PROGRAM, self.recording, "plan.json",
                    "--least", "100", "--", "--device", "self-test"]
        for options, status in ((("--shapes", self.recording), 0), (("--model", "qwen3-8b"), 1)):
            done = subprocess.run([*map(str, coverage), *map(str, options)], cwd=self.dir, env=self.environment(),
                                  check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done)

    def test_check(self):
        """A plan is held against a recording by its digest."""
        self.autotune("--budget", 20, "--out", "plan.json", status=0)
        check = ("plan", "check", "plan.json", "--shapes")
        self.assertIn("and this recording", self.run_program(*check, self.recording, status=0).out)
        document = json.loads(self.recording.read_text())
        document["calls"][0]["counts"] = [count + 1 for count in document["calls"][0]["counts"]]
        other = self.write("other.json", document)
        result = self.run_program(*check, other, status=5)
        self.assert_error(result, 5, "MXT-129", "workload.recorded", "does not fit this recording")
        self.assertEqual(self.run_program("plan", "check", "plan.json", status=0).err, "")
        plan = json.loads((self.dir / "plan.json").read_text())["decision"]["workload"]
        event = self.run_program(*check, other, "--json", status=5).json()
        self.assertEqual([row["path"] for row in event["differences"]], ["workload.recorded"])
        self.assertEqual(event["differences"][0]["left"], plan["recorded"])
        self.assert_error(self.run_program(*check, "nothing.json", status=3), 3, "MXT-180", "nothing.json")

    def test_with_a_model(self):
        result = self.autotune("--model", "qwen3-8b", "--print-workload", status=0)
        self.assertRegex(result.out, r"from the config alone 0 % .* 0 of 12 attention calls")
        shown = self.autotune("--print-workload", "--json", status=0).json()
        self.assertEqual(shown["workload"], {})
        self.assertEqual(len(shown["problems"]), 27)

    def test_errors(self):
        for option, value in (("--seq-len", 512), ("--steps", 5), ("--distinct-lengths", 5), ("--lengths", 300),
                              ("--dataset", self.dir)):
            self.assert_error(self.autotune(option, value), 2, "MXT-110", f"{option} goes with --config or --model")
        result = self.autotune("--model", "qwen3-8b", "--lengths", "300:100")
        self.assert_error(result, 2, "MXT-110", "MEDIAN <= P90")
        self.recording = self.write("bad.json", {"schema": "mindxtrain.recording/1"})
        self.assert_error(self.autotune(), 3, "MXT-247", "the key is missing")
        self.recording = "no-such-file"
        self.assert_error(self.autotune(), 3, "MXT-180", "no-such-file")


class Recorded(mxt.TestCase):
    """Runs trainings of the fixtures in a real Python."""

    def setUp(self):
        super().setUp()
        self.python = real_python.require()

    def train(self, name, *arguments, options=(), status=0, launcher=(), env=None):
        """The recording, or with another status the result."""
        result = self.run_program("record", "--out", "r.json", *options, "--", self.python, *launcher, TRAININGS / name,
                                  *arguments, env={"OMP_NUM_THREADS": "1", **(env or {})}, timeout=180)
        if status != 0:
            return result
        self.assertEqual(result.status, 0, result)
        self.assertNotIn("never reached", result.out)
        document = json.loads((self.dir / "r.json").read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        self.assertNotIn(str(self.dir), json.dumps(document))
        return document


def counted(document, step=0):
    """{[operator, first two shapes]: calls} of a step, as lora.py counts them."""
    counts = collections.Counter()
    for call in document["calls"]:
        if call["kind"] == "gemm":
            tensors = [call.get(name) for name in ("c", "a", "b")]
        else:
            tensors = [call["q"], call["k"]]
            if call["direction"] == "backward":
                tensors.insert(0, call["q"])  # the gradient of the output has the shape of q
        shapes = [tensor["shape"] for tensor in tensors if tensor][:2]
        if call["counts"][step]:
            counts[json.dumps([call["op"], shapes])] += call["counts"][step]
    return counts


class Lora(Recorded):
    def agree(self, *arguments):
        document = self.train("lora.py", *arguments)
        self.assertEqual(document["steps"], 2)
        self.assertEqual(document["not_seen"], [])
        self.run_command(self.python, TRAININGS / "lora.py", *arguments, "--count", "count.json")
        wanted = json.loads((self.dir / "count.json").read_text())
        for step in (0, 1):
            self.assertEqual(counted(document, step), collections.Counter(wanted))
        order = collections.Counter(call for call, _ in document["order"])
        self.assertEqual(dict(order), {i: call["counts"][1] for i, call in enumerate(document["calls"])})
        return document

    def run_command(self, *command):
        process = subprocess.run([str(word) for word in command], cwd=self.dir, env=self.environment(), check=False,
                                     capture_output=True, text=True, timeout=180)
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_autocast_and_checkpointing(self):
        """Here recomputation stops early: the profiler sees the call at which it does, though nothing is computed."""
        arguments = ("--autocast", "--checkpointing", "plain")
        document = self.train("lora.py", *arguments)
        self.run_command(self.python, TRAININGS / "lora.py", *arguments, "--flops", "flops.json")
        flops = json.loads((self.dir / "flops.json").read_text())
        products = [call for call in document["calls"] if call["op"] == "aten::mm"]
        self.assertEqual(sum(2 * call["a"]["shape"][0] * call["a"]["shape"][1] * call["b"]["shape"][1] * call["counts"][0]
                             for call in products), flops["aten.mm"])
        self.assertEqual(document["forward_passes"], [1, 1])
        attention = [call for call in document["calls"] if call["kind"] == "attention"]
        self.assertEqual({(call["direction"], call["counts"][0]) for call in attention},
                         {("forward", 4), ("backward", 2)})
        self.assertTrue(all(call["causal"] for call in attention))

    def test_reentrant_checkpointing_and_accumulation(self):
        document = self.agree("--autocast", "--checkpointing", "reentrant", "--accumulate", "3")
        self.assertEqual(document["forward_passes"], [3, 3])

    def test_without_autocast_adapters_are_float32(self):
        document = self.agree("--workers", "2")
        dtypes = {call["a"]["dtype"] for call in document["calls"] if call["kind"] == "gemm"}
        self.assertEqual(dtypes, {"bfloat16", "float32"})

    def test_eager_attention_is_products(self):
        document = self.agree("--autocast", "--attention", "eager")
        self.assertIn("aten::bmm", {call["op"] for call in document["calls"]})
        self.assertEqual({call["kind"] for call in document["calls"]}, {"gemm"})


class Trainer(Recorded):
    def test_transformers_trainer(self):
        document = self.train("trainer.py", self.dir / "out", options=("--steps", "3"))
        self.assertEqual(document["forward_passes"], [2, 2, 2])
        backward = [call["counts"] for call in document["calls"] if call.get("direction") == "backward"]
        self.assertEqual(backward, [[4, 4, 4]])

    def test_mode_dispatches_what_the_launcher_starts(self):
        document = self.train("trainer.py", self.dir / "out",
                              launcher=("-m", "accelerate.commands.launch", "--num_processes", "1", "--num_machines", "1",
                                        "--cpu", "--mixed_precision", "no", "--dynamo_backend", "no"))
        self.assertEqual(document["ranks"], 1)


class Small(Recorded):
    def test_several_optimizers_are_one_step(self):
        document = self.train("small.py")
        self.assertEqual([call["counts"] for call in document["calls"]], [[1, 1]] * len(document["calls"]))
        self.assertIn("aten::addmm", {call["op"] for call in document["calls"]})

    def test_ranks_merge(self):
        document = self.train("small.py", "distributed",
                              launcher=("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"))
        self.assertEqual(document["ranks"], 2)
        self.assertEqual(len(document["forward_passes"]), 4)
        forward = {call["b"]["shape"][1]: call["counts"] for call in document["calls"] if call["op"] == "aten::addmm"}
        self.assertEqual(forward, {4: [1, 1, 0, 0], 5: [0, 0, 1, 1]})

    def test_command_that_fails(self):
        result = self.train("small.py", "fails", status=6)
        self.assert_error(result, 6, "MXT-248", "exited with status 7", "2 of the 3 optimizer steps")
        self.assertFalse((self.dir / "r.json").exists())

    def test_python_that_ignores_pythonpath(self):
        result = self.run_program("record", "--", self.python, "-E", TRAININGS / "small.py", timeout=180)
        self.assert_error(result, 6, "MXT-248", "-E, -I or -S", "PYTHONPATH")
        self.assertIn("at the end", result.out)

    def test_command_in_another_folder(self):
        (self.dir / "elsewhere").mkdir()
        code = "import os, sys; os.chdir('elsewhere'); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
        self.train("small.py", launcher=("-c", code), env={"TMPDIR": "."})

    def test_what_is_left_in_the_background_trains_on(self):
        script = '("$0" "$1" steps-later > log 2>&1; touch done) > /dev/null 2>&1 & until [ -e waiting ]; do sleep 0.1; done'
        result = self.run_program("record", "--", "sh", "-c", script, self.python, TRAININGS / "small.py", timeout=180)
        self.assert_error(result, 6, "MXT-248", "exited with status 0")
        self.write("go", "")
        self.assertTrue(mxt.wait_until(lambda: (self.dir / "done").exists(), 120))
        log = (self.dir / "log").read_text()
        self.assertIn("the training goes on", log)
        self.assertIn("at the end", log)

    def test_what_starts_later_is_left_alone(self):
        folder = mxt.SOURCE_ROOT / "python"
        env = {**self.environment(), "PYTHONPATH": f"{folder / 'hook'}:{folder}", "MXT_RECORD_STEPS": "2",
               "MXT_RECORD_DIR": str(self.dir / "removed")}
        done = subprocess.run([str(self.python), str(TRAININGS / "small.py")], cwd=self.dir, env=env, check=False,
                              capture_output=True, text=True, timeout=180)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("at the end", done.stdout)

    def test_command_that_never_steps(self):
        self.assert_error(self.train("small.py", "never-steps", status=6), 6, "MXT-248", "no optimizer")

    def test_command_that_hangs_at_its_end(self):
        for what in ("hangs-at-exit", "thread-stays"):
            with self.subTest(what):
                self.train("small.py", what, options=("--grace", "1"))

    def test_command_that_is_interrupted(self):
        process = self.start("record", "--grace", "5", "--", self.python, TRAININGS / "small.py", "waits")
        self.assertTrue(mxt.wait_until(lambda: (self.dir / "waiting").exists(), 120))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        self.assertIn("[MXT-103]", err)
        self.assertFalse((self.dir / "recorded.json").exists())

    def test_disk_is_full(self):
        result = self.train("small.py", "disk-is-full", status=6)
        self.assert_error(result, 6, "MXT-248", "exited with status 1", "its recording could not be written")
        self.assertIn("File too large", result.err)

    def test_shadowed_sitecustomize_is_loaded(self):
        self.write("site/sitecustomize.py", "import pathlib\npathlib.Path('shadowed').touch()\n")
        old = os.environ.get("PYTHONPATH", "")
        self.train("small.py", env={"PYTHONPATH": f"{self.dir / 'site'}:{old}"})
        self.assertTrue((self.dir / "shadowed").exists())

    def test_recorder_stays_out_of_processes_without_torch(self):
        code = "import sys; print(sorted(m for m in sys.modules if m.startswith(('torch', 'mindxtrain_plan'))))"
        result = self.run_program("record", "--", self.python, "-c", code)
        self.assertEqual(result.out.strip(), "['mindxtrain_plan', 'mindxtrain_plan.recorder_hook']")


if __name__ == "__main__":
    mxt.main()
