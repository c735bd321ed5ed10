# SPDX-License-Identifier: Apache-2.0
"""What goes wrong during a run costs what it must and nothing else: no process left, no torn file, a reason given."""

import fcntl
import json
import os
import pathlib
import random
import resource
import signal
import stat
import subprocess
import time

import autotune
import mxt

# Scenario, and a word that its reason must hold; flash attention must win all the same.
WORKER_FAULTS = (
    ("fault_crash", "signal"), ("fault_crash_at_start", "signal"), ("fault_exit", "status"), ("fault_fail", ""),
    ("fault_garbage", "garbage"), ("fault_hang", "answer"), ("fault_ignore_term", "answer"),
    ("fault_killed", "signal 9"), ("fault_leave_child", ""), ("fault_no_memory", "memory"),
    ("fault_no_time", "0 ns"), ("fault_not_a_number", "not a number"), ("fault_oversize", ""),
    ("fault_pass_descriptor", "descriptor"), ("fault_too_fast", "needs at least"), ("fault_truncated", ""),
    ("fault_unsupported", ""), ("fault_wrong_result", "wrong result"), ("fault_close_socket", ""),
    ("fault_absent", ""), ("fault_stop", "answer"),
)


class Workers(autotune.TestCase):
    def test_a_fault_costs_its_candidate_and_nothing_else(self):
        for scenario, word in WORKER_FAULTS:
            with self.subTest(scenario):
                self.simulate(scenario, budget=60)
                plan = self.plan()
                self.assertEqual(plan["decision"]["env"], {"MINDXTRAIN_CPU_ATTENTION": "flash"})
                rows = self.samples(plan, candidate="blas=blis", probe="gemm")
                self.assertTrue(rows)
                for row in rows:
                    self.assertIn(row["status"], ("failed", "timeout", "unsupported"))
                    self.assertIn(word, row["reason"])

    def test_output_of_a_worker_breaks_nothing(self):
        """Megabytes at every call: the candidate may run out of time, the others must not notice."""
        self.simulate("fault_print")
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "flash")

    def test_a_failed_incumbent_fails_the_run(self):
        result = self.simulate("bare_crashes", status=6)
        self.assert_error(result, 6, "MXT-241", "bare", "signal")
        self.assertFalse((self.dir / "plan.json").exists())

    def test_bare_is_blamed_where_it_fails_beside_yours(self):
        result = self.simulate("bare_crashes", status=6, env={"OPENBLAS_NUM_THREADS": "1"})
        self.assert_error(result, 6, "MXT-241", "bare", "signal")

    def test_a_preload_that_prints(self):
        source = self.write("noisy.c", '#include <stdio.h>\n'
                            'static void __attribute__((constructor)) hello(void)\n'
                            '{ for (int i = 0; i < 3000; i++) { puts("preloaded"); fputs("preloaded\\n", stderr); }\n'
                            '  fflush(stdout); }\n')
        library = self.dir / "noisy.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        result = self.simulate("clear_winner", "--json", env={"LD_PRELOAD": library})
        self.assertEqual(self.plan()["decision"]["gemm"]["library"], "blis")
        self.assertEqual([line for line in result.out.splitlines() if "preloaded" not in line and line[0] != "{"], [])


class Signals(autotune.TestCase):
    def interrupted(self, number, delay_s):
        variables = {**autotune.NO_SELECTORS,
                     "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "real_time.json"}
        process = self.start("autotune", "--device", "fake", "--model", "instella-3b", "--budget", 30, env=variables)
        time.sleep(delay_s)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        return mxt.Result((), process.returncode, out, err)

    def test_each_signal_stops_the_run_in_order(self):
        old = self.write("plan.json", "the old plan")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number):
                result = self.interrupted(number, 0.7)
                self.assertEqual(result.status, 128 + number, result)
                self.assertIn("MXT-103", result.err)
                self.assertEqual(old.read_text(), "the old plan")

    def test_an_ignored_signal_stays_ignored(self):
        variables = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "calm.json"}
        process = self.start("autotune", "--device", "fake", "--model", "instella-3b", env=variables,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.1)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)

    def test_random_kills_leave_nothing(self):
        """SIGKILL, or a signal to stop, at any moment: the old plan or a new one, no process, no temporary file."""
        rounds = int(os.environ.get("MXT_KILLS", "60"))
        rng = random.Random(20261130)
        variables = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "clear_winner.json"}
        old = self.write("plan.json", "{}")
        finished = 0
        for _ in range(rounds):
            process = self.start("autotune", "--device", "fake", "--model", "instella-3b", env=variables,
                                 stdout=subprocess.DEVNULL)
            try:
                process.wait(timeout=rng.random() ** 2 * 2.5)
                finished += 1
            except subprocess.TimeoutExpired:
                process.send_signal(rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)))
            process.communicate(timeout=30)
            text = old.read_text()
            if text != "{}":
                self.assertEqual(json.loads(text)["schema"], "mindxtrain.plan/1")
            self.assertTrue(mxt.wait_until(lambda: not mxt.marked_processes(self.mark), 5.0), "a process is left")
        left = [name for name in os.listdir(self.dir) if name.startswith(".mindxtrain-")]
        # a SIGKILL between the creation of the temporary file and its rename leaves it; nothing may read it
        self.assertLessEqual(len(left), rounds // 10)


class Files(autotune.TestCase):
    def test_out_that_is_no_file(self):
        (self.dir / "folder").mkdir()
        os.mkfifo(self.dir / "fifo")
        for out, error in (("folder", "MXT-104"), ("fifo", "MXT-104"), ("/dev/null", "MXT-104"),
                           ("missing/plan.json", "MXT-102")):
            with self.subTest(out):
                result = self.simulate("calm", "--out", out, status=1)
                self.assert_error(result, 1, error)
                self.assertEqual(result.out, "")  # refused before anything is measured

    def test_out_through_a_symlink(self):
        target = self.write("real.json", "old")
        (self.dir / "link.json").symlink_to("real.json")
        self.simulate("calm", "--out", "link.json")
        self.assertTrue((self.dir / "link.json").is_symlink())
        self.assertEqual(json.loads(target.read_text())["schema"], "mindxtrain.plan/1")

    def test_mode_is_kept(self):
        path = self.write("plan.json", "old")
        path.chmod(0o640)
        self.simulate("calm")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)

    @mxt.needs_root
    def test_read_only_folder(self):
        folder = self.dir / "ro"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", folder], check=False).returncode:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", folder], check=False)
        self.assert_error(self.simulate("calm", "--out", "ro/plan.json", status=1), 1, "MXT-102", "Read-only")

    @mxt.needs_root
    def test_full_disk_keeps_the_old_plan(self):
        folder = self.dir / "small"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12k", "none", folder], check=False).returncode:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", folder], check=False)
        (folder / "plan.json").write_text("old")
        result = self.simulate("clear_winner", "--out", "small/plan.json", status=1)
        self.assert_error(result, 1, "MXT-102", "No space")
        self.assertEqual((folder / "plan.json").read_text(), "old")
        self.assertEqual(os.listdir(folder), ["plan.json"])

    def test_limit_of_file_sizes(self):
        """The signal that comes with it kills nobody and leaves nothing behind."""
        (self.dir / "plan.json").write_text("old")
        result = self.simulate("calm", status=1, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8)))
        self.assert_error(result, 1, "MXT-102", "File too large")
        self.assertEqual([path.name for path in self.dir.iterdir()], ["plan.json"])
        self.assertEqual((self.dir / "plan.json").read_text(), "old")

    def test_standard_output_closed(self):
        result = self.simulate("calm", status=None, preexec_fn=lambda: os.close(1), stdout=None)
        self.assertIn(result.status, (0, 1))
        self.assertEqual(self.plan()["schema"], "mindxtrain.plan/1")

    def test_standard_output_full(self):
        with open("/dev/full", "w") as full:
            result = self.simulate("calm", status=None, stdout=full)
        self.assertEqual(result.status, 1)
        self.assertIn("standard output", result.err)

    def test_reader_that_goes_away(self):
        variables = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "calm.json"}
        process = self.start("autotune", "--device", "fake", "--model", "instella-3b", env=variables)
        process.stdout.close()
        process.wait(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("standard output", process.stderr.read())
        process.stderr.close()


class Hosts(autotune.TestCase):
    def test_another_run_is_waited_for(self):
        """It is said while it lasts; the lock is that of the CPUs, which a simulated device does not take."""
        lock = pathlib.Path("/sys/devices/system/cpu/possible")
        if not lock.exists():
            self.skipTest("this system has no file to lock")
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            result = self.run_program("autotune", "--model", "instella-3b", "--device", "self-test", "--budget", 1,
                                      env=autotune.NO_SELECTORS)
        self.assert_error(result, 6, "MXT-243", "another run")
        self.assertIn("note: another run measures on this device", result.out)

    @mxt.needs_root
    def test_as_a_user_without_rights(self):
        self.dir.chmod(0o777)
        variables = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "clear_winner.json"}
        for path in (pathlib.Path(mxt.PROGRAM), autotune.SCENARIOS):
            if any(not parent.stat().st_mode & 1 for parent in path.resolve().parents):
                self.skipTest(f"{path} cannot be reached by other users")
        process = self.start("autotune", "--device", "fake", "--model", "instella-3b", env=variables,
                             user=65534, group=65534, extra_groups=[])
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.plan()["decision"]["gemm"]["library"], "blis")

    def test_few_descriptors_and_processes(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))
        result = self.simulate("calm", status=None, preexec_fn=limit)
        self.assertIn(result.status, (0, 1, 6))
        if result.status:
            self.assertIn("MXT-", result.err)

    def test_no_environment_at_all(self):
        result = self.run_program("autotune", "--device", "fake", "--model", "instella-3b", clean=True)
        self.assertNotEqual(result.status, 0)
        self.assertIn("MINDXTRAIN_FAKE_SCENARIO", result.err)


if __name__ == "__main__":
    mxt.main()
