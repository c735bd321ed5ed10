#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain run`: what the command gets, how its end becomes ours, and what the run's folder holds."""

import json
import os
import stat

import launched
import mxt
import mxt_plans

TOKEN = "hf_abcdefghijklmnopqrstuvwxyz0123456789"


class Ends(launched.TestCase):
    def test_statuses_are_the_commands(self):
        for number in (0, 1, 3, 125, 255):
            with self.subTest(number):
                result = self.launch("sh", "-c", f"exit {number}")
                self.assertEqual(result.status, number, result)

    def test_killed_by_a_signal(self):
        result = self.launch("sh", "-c", "kill -9 $$", status=137)
        self.assertIn("signal 9", result.err)
        self.assertEqual(self.status()["end"], {"how": "killed", "signal": 9})

    def test_not_found(self):
        result = self.launch("no-such-command-anywhere")
        self.assert_error(result, 127, "MXT-306", "no-such-command-anywhere")
        self.assertEqual(self.status()["exit_status"], 127)

    def test_not_executable(self):
        path = self.write("plain.txt", "text")
        self.assert_error(self.launch(path), 126, "MXT-306", "plain.txt")

    def test_output_that_has_no_place(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = self.launch("echo", "hello", stdout=full, status=0)
        self.assertIn("6 bytes of the output were not shown", result.err)
        self.assertEqual((self.folder() / "train.log").read_text(), "hello\n")

    def test_wrong_command_lines(self):
        plan = self.simulated_plan()
        for args, word in (((), "--plan"), (("--plan", plan), "say what to run"), (("--plan", plan, "--bogus"), "bogus"),
                           (("--plan", plan, "--grace", "x", "--", "true"), "grace")):
            with self.subTest(args):
                self.assert_error(self.run_program("run", *args), 125, "MXT-110", word)
        self.assertEqual(self.folders(), [])


class Refusals(launched.TestCase):
    def refused(self, error_id, *words, plan=None, options=()):
        result = self.run_program("run", "--plan", plan or self.simulated_plan(), *options, "--", "touch", "ran",
                                  env=launched.SIMULATED)
        self.assert_error(result, 125, error_id, *words)
        self.assertFalse((self.dir / "ran").exists())
        status = self.status()
        self.assertEqual((status["state"], status["exit_status"]), ("refused", 125))
        self.assertEqual(status["cause"]["id"], error_id)

    def test_simulated_plan(self):
        self.refused("MXT-131", "simulated", "--allow-simulated")

    def test_absent_plan(self):
        self.refused("MXT-180", plan=self.dir / "none.json")

    def test_edited_plan(self):
        plan = json.loads(self.simulated_plan().read_text())
        plan["decision"]["env"]["MINDXTRAIN_CPU_BLAS"] = "openblas"
        self.refused("MXT-124", plan=self.write("edited.json", plan), options=["--allow-simulated"])

    def test_self_test(self):
        plan = self.write("self-test.json", mxt_plans.text(mxt_plans.plan()))
        self.refused("MXT-130", "self-test", "--allow-mismatch", plan=plan)

    def test_another_machine(self):
        plan = self.changed_plan(lambda decision: decision["platform"].update(memory_gib=9))
        self.refused("MXT-129", "memory_gib", plan=plan, options=["--allow-simulated"])

    def test_another_machine_allowed(self):
        plan = self.changed_plan(lambda decision: decision["platform"].update(memory_gib=9))
        result = self.launch("true", plan=plan, options=["--allow-mismatch"], status=0)
        self.assertIn("allowed", result.err)
        self.assertEqual(self.status()["marks"], ["allow-simulated", "allow-mismatch"])

    def test_output_folder_that_is_a_file(self):
        self.write("runs", "")
        result = self.launch("true")
        self.assert_error(result, 125, "MXT-307", "runs")


class Environment(launched.TestCase):
    def environment_of_run(self, **env):
        result = self.launch("env", "-0", status=0, env=env)
        return dict(item.split("=", 1) for item in result.out.split("\0") if item)

    def test_plan_is_in_force(self):
        seen = self.environment_of_run(OPENBLAS_NUM_THREADS="1", HF_TOKEN=TOKEN)
        self.assertEqual(seen["MINDXTRAIN_CPU_BLAS"], "blis")
        self.assertEqual(seen["MINDXTRAIN_CPU_ATTENTION"], "flash")
        self.assertNotIn("OPENBLAS_NUM_THREADS", seen)
        self.assertEqual(seen["HF_TOKEN"], TOKEN)

    def test_record_shows_changes_and_hides_the_rest(self):
        self.environment_of_run(OPENBLAS_NUM_THREADS="1", HF_TOKEN=TOKEN)
        run = self.folder()
        for path in run.rglob("*"):
            if path.is_file() and path.name != "train.log":
                self.assertNotIn(TOKEN.encode(), path.read_bytes(), path)
        record = (run / "env.json").read_text()
        for word in ("HF_TOKEN", "OPENBLAS_NUM_THREADS", "MINDXTRAIN_CPU_BLAS", "blis"):
            self.assertIn(word, record)

    def test_folders_whose_names_are_no_text(self):
        out = os.fsdecode(b"runs-\xff")
        result = self.launch("sh", "-c", 'test -d "$MXT_LAUNCH_DIR" && echo "$PYTHONPATH" | od -An -c', status=0,
                             options=["--out", out], env={"PYTHONPATH": os.fsdecode(b"/lib-\xfe")})
        self.assertIn("376", result.out.split())

    def test_tuning_at_run_time_is_refused(self):
        result = self.launch("true", env={"PYTORCH_TUNABLEOP_ENABLED": "1"})
        self.assert_error(result, 125, "MXT-300", "PYTORCH_TUNABLEOP", "--allow-jit")
        self.launch("true", env={"PYTORCH_TUNABLEOP_ENABLED": "1"}, options=["--allow-jit"], status=0)


class Folder(launched.TestCase):
    def test_content(self):
        self.launch("sh", "-c", "echo out; echo err >&2; printf 'no newline'", status=0)
        run = self.folder()
        log = (run / "train.log").read_text()
        for word in ("out\n", "err\n", "no newline"):
            self.assertIn(word, log)
        self.assertEqual((run / "plan.json").read_bytes(), self.simulated_plan().read_bytes())
        self.assertEqual(json.loads((run / "argv.json").read_text())[0], "sh")
        status = self.status()
        self.assertEqual((status["schema"], status["state"], status["exit_status"]), ("mindxtrain.status/1", "ended", 0))
        self.assertEqual(status["log"], {"bytes": len(log), "complete": True})
        self.assertEqual(stat.S_IMODE(run.stat().st_mode), 0o700)

    def test_output_is_shown(self):
        result = self.launch("sh", "-c", "echo to out; echo to err >&2", status=0)
        self.assertEqual(result.out, "to out\n")
        self.assertIn("to err\n", result.err)

    def test_a_second_run_has_its_own(self):
        for _ in range(3):
            self.launch("true", status=0)
        self.assertEqual(len(self.folders()), 3)

    def test_secrets_of_the_command_are_masked(self):
        self.launch("true", "--hub_token", TOKEN, f"--api-key={TOKEN}", status=0)
        self.assertNotIn(TOKEN, (self.folder() / "argv.json").read_text())

    def test_nothing_is_said_of_what_was_not_asked(self):
        self.launch("true", options=["--no-coverage"], status=0)
        self.assertNotIn("coverage", self.status())

    def test_elsewhere(self):
        self.launch("true", options=["--out", "a/b"], status=0)
        self.assertTrue(self.folder("a/b").is_dir())

    def test_standard_input_is_the_commands(self):
        result = self.launch("cat", stdin="typed\n", status=0)
        self.assertEqual(result.out, "typed\n")


class Print(launched.TestCase):
    def test_shows_all_and_does_nothing(self):
        result = self.launch("touch", "a b", options=["--print"], env={"OPENBLAS_NUM_THREADS": "1"}, status=0)
        for word in ("touch 'a b'", "MINDXTRAIN_CPU_BLAS", "OPENBLAS_NUM_THREADS", "simulated)"):
            self.assertIn(word, result.out)
        self.assertEqual(os.listdir(self.dir), [])

    def test_status_says_whether_it_would_start(self):
        result = self.run_program("run", "--plan", self.simulated_plan(), "--print", "--", "true",
                                  env=launched.SIMULATED)
        self.assert_error(result, 125, "MXT-131")
        self.assertIn("MINDXTRAIN_CPU_BLAS", result.out)


if __name__ == "__main__":
    mxt.main()
