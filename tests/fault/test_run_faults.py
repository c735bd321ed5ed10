#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain run` when something breaks around it: the exit status, and what the run's folder says of it. How the tree
of processes is ended is shown in more detail by test_supervise_*.py."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import launched
import mxt
import supervised
from supervised import RANK

COUNTER = "trap 'n=x$n; echo interrupt $n; [ $n = xx ] && exit 0' INT; echo up; while :; do sleep 0.05; done"


class Faults(launched.TestCase):
    def begin(self, script, *options, lines=1, grace=1, **popen):
        process = self.start("run", "--plan", self.simulated_plan(), "--allow-simulated", "--grace", grace, *options,
                             "--", "sh", "-c", script, env=launched.SIMULATED, **popen)
        self.addCleanup(self.stop, process)
        for _ in range(lines):
            self.assertNotEqual(process.stdout.readline(), "", "it did not start")
        if lines:  # what it writes may be shown before we have written down that it runs
            self.assertTrue(mxt.wait_until(lambda: self.stated(process)), "no status.json")
        return process

    def stated(self, process):
        """Whether the run's folder says what it runs, or said so."""
        stated = [json.loads(path.read_text())["state"] for path in self.dir.glob("runs*/*/status.json")]
        return process.poll() is not None or (stated and "starting" not in stated)

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def end(self, process, status):
        out, err = process.communicate(timeout=supervised.LIMIT_S)
        self.assertEqual(process.returncode, status, (out, err))
        return out, err

    def guardian(self, process):
        return supervised.children(process.pid)[0]

    def log(self):
        return (self.folder() / "train.log").read_bytes()

    def test_the_launcher_is_killed(self):
        process = self.begin(RANK.format("exec sleep 100") + RANK.format("exec sleep 100") + "wait", lines=2)
        os.kill(self.status()["pid"], signal.SIGKILL)
        self.end(process, 137)
        status = self.status()
        self.assertEqual((status["end"], status["swept"]), ({"how": "killed", "signal": 9}, 2))

    def test_the_run_is_killed(self):
        process = self.begin(RANK.format("exec sleep 100") + "trap '' TERM; while :; do sleep 9; done")
        process.kill()
        process.wait()
        self.assertTrue(mxt.wait_until(lambda: not mxt.marked_processes(self.mark)))
        self.assertEqual(self.status()["state"], "running")  # nobody was left to say otherwise

    def test_the_guardian_is_killed(self):
        process = self.begin(RANK.format("exec sleep 100") + "wait")
        os.kill(self.guardian(process), signal.SIGKILL)
        _, err = self.end(process, 125)
        self.assertIn("[MXT-313]", err)
        self.assertEqual(self.status()["cause"]["id"], "MXT-313")

    def test_interrupted_once_and_twice(self):
        for many, out in ((1, "up\ninterrupt x\n"), (2, "up\ninterrupt x\ninterrupt xx\n")):
            with self.subTest(many):
                process = self.begin(COUNTER, "--out", f"runs-{many}", grace=30 if many == 2 else 1)
                for _ in range(many):
                    process.send_signal(signal.SIGINT)
                    process.stdout.readline()
                    time.sleep(0.2)  # what comes sooner counts as the same
                self.end(process, 130)
                status = self.status(f"runs-{many}")
                self.assertEqual((status["signal"], status["exit_status"]), (signal.SIGINT, 130))
                self.assertEqual((self.folder(f"runs-{many}") / "train.log").read_text(), out)

    def test_the_log_fills_its_disk(self):
        """The limit also stops what we write ourselves; so it is one that only the log reaches."""
        limit = 1_000_000
        process = self.begin("head -c 3000000 /dev/zero; echo end; exit 3", lines=0, stdout=subprocess.DEVNULL,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.end(process, 3)
        log = self.status()["log"]
        self.assertEqual((log["bytes"], log["complete"]), (limit, False))
        self.assertEqual(len(self.log()), limit)

    def test_the_log_fills_the_disk(self):
        """On which status.json has a place all the same: how it ended is told."""
        disk = self.dir / "disk"
        disk.mkdir()
        enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        mount = f"mount -t tmpfs -o size=256k none {disk}"
        if subprocess.run([*enter, mount], capture_output=True, check=False).returncode != 0:
            self.skipTest("nothing can be mounted here")
        inner = " ".join([mxt.PROGRAM, "run", "--plan", str(self.simulated_plan()), "--allow-simulated", "--out",
                          str(disk), "--", "sh -c 'head -c 1000000 /dev/zero; exit 3'", ">/dev/null;", "echo $?;",
                          f"cat {disk}/*/status.json"])
        result = self.run_program(*enter[1:], f"{mount} && {inner}", program=enter[0], env=launched.SIMULATED)
        code, text = result.out.splitlines()
        status = json.loads(text)
        self.assertEqual((code, status["state"], status["exit_status"]), ("3", "ended", 3), result)
        self.assertFalse(status["log"]["complete"])

    def test_the_folder_is_removed(self):
        """How the command failed is told before that it cannot be written down."""
        for number, status in ((3, 3), (0, 125)):
            result = self.launch("sh", "-c", f'until rm -r "${{MXT_LAUNCH_DIR%/ranks}}"; do :; done; exit {number}')
            self.assert_error(result, status, "MXT-102", "status.json")

    def test_something_takes_the_place_of_its_files(self):
        """It is neither waited for nor written to."""
        precious = self.write("precious", "text")
        for make in ("mkfifo", f"ln -s {precious}", f"ln {precious}"):
            with self.subTest(make):
                out = make.split()[0] + make[3:5].strip()
                self.launch("sh", "-c", f'sleep 0.2; cd "$MXT_LAUNCH_DIR/.."; {make} .status.json.new',
                            options=["--out", out], status=0)
                self.assertEqual(self.status(out)["state"], "ended")
                self.assertEqual(precious.read_text(), "text")

    def test_nobody_reads_what_it_shows(self):
        reader, writer = os.pipe()
        os.close(reader)
        process = self.begin("echo out; sleep 0.1; echo more; exit 4", lines=0, stdout=writer)
        os.close(writer)
        self.end(process, 4)
        self.assertEqual(self.log(), b"out\nmore\n")

    def test_it_has_no_streams(self):
        process = self.begin("echo out; echo err >&2; exit 5", lines=0, stdin=None, stdout=None, stderr=None,
                             preexec_fn=lambda: os.closerange(0, 3))
        self.end(process, 5)
        self.assertEqual(sorted(self.log().split()), [b"err", b"out"])

    def test_what_it_opens_is_not_the_commands(self):
        """Neither the run's folder nor its log."""
        result = self.launch("ls", "-l", "/proc/self/fd", status=0)
        targets = {line.split(" -> ")[1] for line in result.out.splitlines() if " -> " in line}
        self.assertFalse([target for target in targets if str(self.dir) in target], result.out)

    def test_a_rank_of_python_is_ended_with_the_rest(self):
        program = "import subprocess,sys; subprocess.Popen(['sleep','100'], start_new_session=True); print('up', flush=True)"
        result = self.launch(sys.executable, "-c", program, status=0)
        self.assertEqual(result.out, "up\n")
        self.assertEqual(self.status()["swept"], 1)


if __name__ == "__main__":
    mxt.main()
