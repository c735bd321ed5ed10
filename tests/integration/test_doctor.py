#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain doctor`: recorded machines against golden outputs, this machine, terminals, hostile input.

MXT_UPDATE_GOLDEN=1 rewrites the golden files instead of comparing with them.
"""

import fcntl
import json
import os
import pathlib
import pty
import shutil
import stat
import struct
import subprocess
import termios
import unicodedata
import unittest

import mxt

HOSTS = mxt.FIXTURES / "hosts"
GOLDEN = mxt.SOURCE_ROOT / "tests" / "golden" / "doctor"
NAMES = sorted(path.name for path in HOSTS.iterdir())
STATUSES = ["ok", "note", "warn", "fail"]
UPDATE = os.environ.get("MXT_UPDATE_GOLDEN") == "1"
# All that the test's own environment must not change.
CLEAN = {"NO_COLOR": None, "VIRTUAL_ENV": None, "CONDA_PREFIX": None, "PYTHONPATH": None}


def canonical(value):
    """RFC 8785 for what doctor writes: no floats, ASCII keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def facts_of(report):
    return {check["id"]: check["facts"] for check in report["checks"]}


def findings_of(report):
    return [(check["id"], finding) for check in report["checks"] for finding in check["findings"]]


def fits(line, columns):
    """A word that is longer than the room beside the titles stands alone, unbroken: it is a path to be copied."""
    return len(line) <= columns or len(line.split()[-1]) > columns - 20


class Doctor(mxt.TestCase):
    def doctor(self, *args, **how):
        how.setdefault("env", CLEAN)
        return self.run_program("doctor", *args, **how)

    def report(self, *args, **how):
        result = self.doctor("--json", *args, **how)
        self.assertEqual(result.err, "")
        lines = result.out.splitlines()
        self.assertEqual(len(lines), 1, result)
        return json.loads(lines[0])


class Recorded(Doctor):
    """Every machine under tests/fixtures/hosts."""

    def compare(self, name, text):
        path = GOLDEN / name
        if UPDATE:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.assertEqual(text, path.read_text(), f"{path}: run again with MXT_UPDATE_GOLDEN=1 when this is meant")

    def test_text_is_as_recorded(self):
        for name in NAMES:
            with self.subTest(host=name):
                self.compare(f"{name}.txt", self.doctor("--sysroot", HOSTS / name).out)

    def test_json_is_as_recorded(self):
        for name in NAMES:
            with self.subTest(host=name):
                report = self.report("--sysroot", HOSTS / name)
                self.compare(f"{name}.json", json.dumps(report, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

    def test_no_golden_file_is_left_over(self):
        expected = {f"{name}.{kind}" for name in NAMES for kind in ("txt", "json")}
        self.assertEqual({path.name for path in GOLDEN.iterdir()}, expected)

    def test_status_is_4_where_nothing_can_be_measured(self):
        for name in NAMES:
            expected = 4 if name == "no-blas" else 0
            self.doctor("--sysroot", HOSTS / name, status=expected)
            self.doctor("--json", "--sysroot", HOSTS / name, status=expected)

    def test_a_torch_needs_no_blas_beside_it(self):
        root = self.dir / "host"
        shutil.copytree(HOSTS / "mi300x-8", root, symlinks=True)
        for library in root.rglob("libopenblas*"):
            library.unlink()
        out = self.doctor("--sysroot", root, status=0).out
        self.assertIn("note  no BLAS library", out)
        self.assertIn("This machine can be measured.", out)
        shutil.rmtree(root / "opt")
        self.assertIn("fail  no BLAS library", self.doctor("--sysroot", root, status=4).out)

    def test_what_reads_devices_and_files_behind_the_environment(self):
        root = self.dir / "host"
        shutil.copytree(HOSTS / "mi300x-8", root, symlinks=True)
        (root / "environ").write_text("HOME=/home/train\nROCR_VISIBLE_DEVICES=0,1\nHIP_VISIBLE_DEVICES=2\n"
                                      "PYTORCH_TUNABLEOP_ENABLED=1\n")
        self.write(root / "etc/rccl.conf", "NCCL_ALGO=not-to-be-shown\n")
        self.write(root / "home/train/.nccl.conf", "NCCL_PROTO=LL\n")  # of the other library
        findings = {finding["what"]: finding["wrong"] for check, finding in findings_of(self.report("--sysroot", root))
                    if check == "variables" and finding["status"] == "warn"}
        self.assertIn("names number 2", findings["ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES"])
        self.assertIn("it sets NCCL_ALGO", findings["/etc/rccl.conf"])
        self.assertIn("`train` refuse what", findings["PYTORCH_TUNABLEOP_ENABLED=1"])
        self.assertEqual(len(findings), 3, findings)
        self.assertNotIn("not-to-be-shown", self.doctor("--sysroot", root).out)

    def test_only_what_is_timed_is_said_to_be(self):
        findings = {finding["what"].split("=")[0]: finding.get("wrong")
                    for check, finding in findings_of(self.report("--sysroot", HOSTS / "mi300x-8"))
                    if check == "variables"}
        self.assertIn("autotune measures", findings["GPU_MAX_HW_QUEUES"])
        for name in ("NCCL_MIN_NCHANNELS", "NVTE_CK_USES_BWD_V3"):
            self.assertEqual(findings[name], "autotune does not measure what it changes")

    def test_json_is_canonical_and_consistent(self):
        for name in NAMES:
            with self.subTest(host=name):
                line = self.doctor("--json", "--sysroot", HOSTS / name).out
                report = json.loads(line, parse_float=self.fail, parse_constant=self.fail)
                self.assertEqual(line, canonical(report) + "\n")
                self.assertEqual((report["event"], report["v"], report["recorded"]), ("doctor", 1, True))
                for check in report["checks"]:
                    self.assertFalse(set(check["facts"]) & set(check["not_reported"]), check)
                    self.assertTrue(check["findings"], check)
                    worst = max(check["findings"], key=lambda finding: STATUSES.index(finding["status"]))
                    self.assertEqual(check["status"], worst["status"])
                worst = max(report["checks"], key=lambda check: STATUSES.index(check["status"]))
                self.assertEqual(report["status"], worst["status"])

    def test_whatever_is_wrong_is_explained(self):
        for name in NAMES:
            for check, finding in findings_of(self.report("--sysroot", HOSTS / name)):
                with self.subTest(host=name, check=check, what=finding["what"]):
                    self.assertEqual("wrong" in finding, finding["status"] != "ok")
                    if finding["status"] in ("warn", "fail"):
                        self.assertTrue(finding.get("todo"))

    def test_lines_fit_80_columns(self):
        for name in NAMES:
            for line in self.doctor("--sysroot", HOSTS / name).out.splitlines():
                self.assertTrue(fits(line, 80), f"{name}: {line}")
                self.assertEqual(line, line.rstrip())

    def test_nothing_of_the_machine_reaches_the_terminal_raw(self):
        for name in NAMES:
            out = self.doctor("--sysroot", HOSTS / name).out
            strange = [c for c in out if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")]
            self.assertEqual(strange, [], name)

    def test_secrets_are_not_shown(self):
        for name in ("hostile", "epyc-2s-mi300x"):
            self.assertIn(b"hf_not_to_be_shown", (HOSTS / name / "environ").read_bytes())
            for args in ((), ("--json",)):
                self.assertNotIn("hf_not", self.doctor("--sysroot", HOSTS / name, *args).out)

    def test_the_environment_is_the_recorded_one(self):
        env = dict(CLEAN, NCCL_ALGO="Ring", OMP_NUM_THREADS="3", LD_LIBRARY_PATH="/nowhere")
        for name in NAMES:
            self.assertEqual(self.doctor("--sysroot", HOSTS / name, env=env).out,
                             self.doctor("--sysroot", HOSTS / name).out)

    def test_environ_may_be_lines(self):
        root = self.dir / "host"
        shutil.copytree(HOSTS / "no-blas", root, symlinks=True)
        (root / "environ").write_text("NCCL_ALGO=Ring\nnot an entry\nOMP_NUM_THREADS=2\n")
        facts = facts_of(self.report("--sysroot", root))
        self.assertEqual(facts["variables"]["set"], {"NCCL_ALGO": "Ring", "OMP_NUM_THREADS": "2"})

    def test_python_can_be_named(self):
        for named in ("/opt/train", "/opt/train/bin/python3", "opt/train", "python3"):
            facts = facts_of(self.report("--sysroot", HOSTS / "epyc-2s-mi300x", "--python", named))
            self.assertEqual(facts["python"]["found_by"], "--python")
            self.assertEqual(facts["python"]["interpreter"], "/opt/train/bin/python3")
            self.assertEqual(facts["torch"]["hip"], "7.2.53211")
        facts = facts_of(self.report("--sysroot", HOSTS / "epyc-2s-mi300x", "--python", "/usr/bin/python3"))
        self.assertEqual(facts["torch"]["installations"], 0)

    def test_links_do_not_lead_out_of_the_record(self):
        root = self.dir / "host"
        shutil.copytree(HOSTS / "no-proc", root, symlinks=True)
        outside = self.dir / "outside" / "bin"
        outside.mkdir(parents=True)
        (outside / "python3").write_bytes(b"\x7fELF")
        (root / "opt").mkdir()
        (root / "opt" / "env").symlink_to(outside.parent)
        result = self.doctor("--sysroot", root, "--python", "/opt/env")
        self.assert_error(result, 3, "MXT-231", "/opt/env")


class Refused(Doctor):
    def test_no_such_machine(self):
        file = self.write("file", "x")
        empty = self.dir / "empty"
        empty.mkdir()
        for sysroot, words in ((self.dir / "none", "No such file"), (file, "not a folder"), (empty, "neither proc nor sys")):
            self.assert_error(self.doctor("--sysroot", sysroot), 3, "MXT-230", str(sysroot), words, "record-host.sh")

    def test_empty_name(self):
        self.assert_error(self.doctor("--sysroot", ""), 2, "MXT-110", "--sysroot")

    def test_operand(self):
        self.assert_error(self.doctor("plan.json"), 2, "MXT-110", "plan.json")

    def test_no_such_python(self):
        for named in ("/none/python3", "./none", "python-that-is-not-there"):
            self.assert_error(self.doctor("--python", named), 3, "MXT-231", named)

    def test_fifo_in_the_place_of_a_file(self):
        root = self.dir / "host"
        (root / "proc").mkdir(parents=True)
        for name in ("cpuinfo", "meminfo"):
            os.mkfifo(root / "proc" / name)
        self.doctor("--sysroot", root, timeout=20)


class Here(Doctor):
    """The machine that runs the tests; whatever it is, doctor must not fail on it."""

    def test_live(self):
        report = self.report()
        self.assertFalse(report["recorded"])
        facts = facts_of(report)
        self.assertEqual(facts["limits"]["affinity_threads"], len(os.sched_getaffinity(0)))
        page = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self.assertAlmostEqual(facts["memory"]["total_bytes"] / page, 1.0, delta=0.01)
        self.assertEqual(facts["system"]["kernel"], os.uname().release)

    def test_limits_are_those_of_the_process(self):
        command = ["sh", "-c", 'ulimit -n 321; exec "$0" doctor --json', mxt.PROGRAM]
        out = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        self.assertEqual(facts_of(json.loads(out))["limits"]["open_files"], 321)

    def test_variables_of_the_caller(self):
        env = dict(CLEAN, NCCL_ALGO="Ring", RCCL_DEBUG="INFO", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="2")
        report = self.report(env=env)
        self.assertEqual(facts_of(report)["variables"]["set"].get("NCCL_ALGO"), "Ring")
        texts = [finding["what"] for check, finding in findings_of(report) if check == "variables"]
        self.assertTrue(any("RCCL_DEBUG" in text for text in texts), texts)
        self.assertIn("OMP_NUM_THREADS=1, OPENBLAS_NUM_THREADS=2", texts)

    def test_a_torch_in_a_virtual_environment(self):
        site = self.dir / "venv" / "lib" / "python3.11" / "site-packages"
        self.write("venv/bin/python3", b"\x7fELF")
        self.write("venv/pyvenv.cfg", "home = /usr/bin\nversion_info = 3.11.7.final.0\n")
        self.write(site / "torch" / "version.py", "__version__ = '2.15.0+cu130'\ncuda: Optional[str] = '13.0'\nhip = None\n")
        facts = facts_of(self.report(env=dict(CLEAN, VIRTUAL_ENV=self.dir / "venv")))
        self.assertEqual(facts["python"]["version"], "3.11.7")
        self.assertEqual(facts["torch"]["version"], "2.15.0+cu130")
        self.assertEqual(facts["torch"]["cuda"], "13.0")
        self.assertEqual(facts["torch"]["folder"], str(site))
        facts = facts_of(self.report("--python", "venv"))  # relative to the current directory
        self.assertEqual(facts["torch"]["version"], "2.15.0+cu130")

    def test_a_torch_that_cannot_be_measured(self):
        site = self.dir / "venv" / "lib" / "python3.11" / "site-packages"
        self.write("venv/bin/python3", b"\x7fELF")
        self.write("venv/pyvenv.cfg", "version = 3.11.7\n")
        self.write(site / "torch" / "version.py", "__version__ = '2.7.1'\n")
        library = site / "torch" / "lib" / "libtorch_cpu.so"
        program = pathlib.Path(mxt.PROGRAM).read_bytes()
        other = bytearray(program)
        other[18] ^= 0xff
        cases = {"is missing": None, "is empty": b"", "is no library": b"text" * 99, "is cut short": program[:-1000],
                 "is for another processor": bytes(other), "": program}
        for fault, content in cases.items():
            with self.subTest(fault):
                if content is not None:
                    self.write(library, content)
                report = self.report("--python", "venv")
                said = [finding["what"] for check, finding in findings_of(report) if check == "torch"]
                self.assertIn("torch 2.7.1 cannot be measured", said)
                wanted = [f"torch/lib/libtorch_cpu.so {fault}"] if fault else []
                self.assertEqual([what for what in said if "libtorch_cpu.so" in what], wanted)

    @mxt.needs_root
    def test_without_privileges(self):
        as_root = facts_of(self.report())
        if not shutil.which("setpriv"):
            self.skipTest("setpriv is not installed")
        program = self.dir / "mindxtrain"
        shutil.copy(mxt.PROGRAM, program)
        os.chmod(self.dir, 0o755)
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", program, "doctor", "--json"]
        run = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False,
                             env={"PATH": "/usr/bin:/bin"})
        self.assertEqual(run.stderr, "")
        self.assertIn(run.returncode, (0, 4))
        as_nobody = facts_of(json.loads(run.stdout))
        for check in ("cpu", "blas", "gpu", "time"):
            as_root[check].pop("steal_ppm", None)
            as_nobody[check].pop("steal_ppm", None)
            self.assertEqual(as_nobody[check], as_root[check])

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = self.doctor(stdout=full)
        self.assert_error(result, 1, "MXT-102", "standard output")

    def test_other_locale(self):
        self.assertEqual(self.doctor("--sysroot", HOSTS / "cgroup-v1", env=dict(CLEAN, LC_ALL="fr_FR.UTF-8")).out,
                         (GOLDEN / "cgroup-v1.txt").read_text())


class Terminal(Doctor):
    def on_terminal(self, columns, env=None):
        """What doctor writes to a terminal of so many columns."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        attributes = termios.tcgetattr(slave)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        process = self.start("doctor", "--sysroot", HOSTS / "cgroup-v1", env=env or CLEAN, stdout=slave)
        os.close(slave)
        chunks = []
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # Linux: EIO at the end
                break
            if not chunk:
                break
            chunks.append(chunk)
        os.close(master)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        return b"".join(chunks).decode()

    @staticmethod
    def plain(text):
        for code in ("0", "32", "36", "33", "1;31"):
            text = text.replace(f"\033[{code}m", "")
        return text

    def test_colours(self):
        out = self.on_terminal(80)
        self.assertIn("\033[33mwarn\033[0m", out)
        self.assertEqual(self.plain(out), (GOLDEN / "cgroup-v1.txt").read_text())

    def test_no_color(self):
        self.assertNotIn("\033", self.on_terminal(80, dict(CLEAN, NO_COLOR="1")))
        self.assertIn("\033", self.on_terminal(80, dict(CLEAN, NO_COLOR="")))

    def test_widths(self):
        for columns, most in ((40, 40), (60, 60), (200, 100), (7, 40)):
            lines = self.plain(self.on_terminal(columns)).splitlines()
            for line in lines:
                self.assertTrue(fits(line, most), line)
            self.assertGreater(max(map(len, lines)), most - 10)


class Record(Doctor):
    """scripts/record-host.sh."""

    SCRIPT = mxt.SOURCE_ROOT / "scripts" / "record-host.sh"

    def record(self, root, **env):
        return subprocess.run([self.SCRIPT, root], capture_output=True, text=True, check=False, cwd=self.dir,
                              env=dict(os.environ, **env))

    def setUp(self):
        super().setUp()
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")

    def test_a_record_says_what_the_machine_says(self):
        self.write("venv/bin/python3", b"\x7fELF")
        os.chmod(self.dir / "venv/bin/python3", 0o755)
        self.write("venv/pyvenv.cfg", "version = 3.11.7\n")
        self.write("venv/lib/python3.11/site-packages/torch/version.py", "__version__ = '2.15.0'\nhip = '7.2'\n")
        self.write("venv/lib/python3.11/site-packages/torch-2.15.0.dist-info/METADATA",
                   "Name: torch\nVersion: 2.15.0\n\nThe description.\n")
        env = {"VIRTUAL_ENV": str(self.dir / "venv"), "OMP_NUM_THREADS": "1", "NCCL_ALGO": "Ring"}
        root = self.dir / "record"
        self.assertEqual(self.record(root, **env).returncode, 0)
        live, recorded = facts_of(self.report(env=env)), facts_of(self.report("--sysroot", root))
        for check in ("cpu", "memory", "limits"):  # what changes from one moment to the next
            for key in ("steal_ppm", "available_bytes", "swap_used_bytes", "memory_used_bytes", "hugepages_free"):
                live[check].pop(key, None)
                recorded[check].pop(key, None)
        for report in (live, recorded):
            report.pop("storage")
            # A version that is only inside a library is not recorded.
            for library in report["blas"]["libraries"]:
                library.pop("version", None)
        self.maxDiff = None
        self.assertEqual(recorded, live)

    def test_no_secrets(self):
        secrets = {name: f"secret-{i}" for i, name in enumerate(
            ("HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "NCCL_SECRET", "OMP_UNKNOWN", "hostname"))}
        root = self.dir / "record"
        self.assertEqual(self.record(root, **secrets, NCCL_ALGO="Tree").returncode, 0)
        everything = b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file() and not path.is_symlink())
        self.assertNotIn(b"secret-", everything)
        self.assertIn(b"NCCL_ALGO=Tree\0", everything)

    def test_links_stay_inside(self):
        root = self.dir / "record"
        self.assertEqual(self.record(root).returncode, 0)
        for path in root.rglob("*"):
            if path.is_symlink():
                self.assertFalse(os.readlink(path).startswith("/"), path)
                self.assertTrue(os.path.normpath(path.parent / os.readlink(path)).startswith(str(root)), path)

    def test_refusals(self):
        self.assertEqual(self.record(self.dir).returncode, 1)
        self.assertEqual(subprocess.run([self.SCRIPT], capture_output=True, check=False).returncode, 2)


class Fixtures(unittest.TestCase):
    def test_small(self):
        for name in NAMES:
            total = sum(path.lstat().st_size for path in (HOSTS / name).rglob("*") if not path.is_dir())
            self.assertLess(total, 40960, name)

    def test_plain_files_only(self):
        for path in HOSTS.rglob("*"):
            mode = path.lstat().st_mode
            self.assertTrue(stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode), path)


if __name__ == "__main__":
    mxt.main()
