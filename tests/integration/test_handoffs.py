#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that a plan hands to other tools: what is in them, who may write them, and changes that are noticed."""

import json
import os
import stat

import launched
import mxt
import mxt_plans

GOLDEN = mxt.SOURCE_ROOT / "tests" / "golden" / "handoff"
PROBLEMS = [
    {"op": "gemm", "m": 32768, "n": 4096, "k": 4096, "dtype": "bfloat16", "trans_b": True},
    {"op": "gemm", "m": 32768, "n": 6144, "k": 4096, "dtype": "bfloat16", "trans_b": True, "bias": True},
    {"op": "gemm", "m": 4096, "n": 16, "k": 32768, "dtype": "bfloat16", "trans_a": True},
    {"op": "gemm", "m": 32768, "n": 2560, "k": 6912, "dtype": "bfloat16", "lda": 13824},
    {"op": "gemm", "m": 4096, "n": 4096, "k": 80, "dtype": "bfloat16", "trans_b": True, "batch": 256},
]
TUNABLEOP = {"PYTORCH_TUNABLEOP_ENABLED": "1", "PYTORCH_TUNABLEOP_TUNING": "0",
             "PYTORCH_TUNABLEOP_FILENAME": "@file:tunableop.csv@"}
OVERRIDE = {"HIPBLASLT_TUNING_OVERRIDE_FILE": "@file:hipblaslt.txt@"}
ARCH = "gfx942:sramecc+:xnack-"
# Golden file: torch, the libraries, the environment, the file.
FORMS = {
    "tunableop-2.9.csv": ("2.9.1+rocm7.2.1", {"hip": "702", "hipblaslt": "100202-dabb6df2b9",
                                              "rocblas": "5.2.0.dabb6df2b9"}, TUNABLEOP, "tunableop0.csv"),
    "hipblaslt-1.0.txt": ("2.8.0+rocm7.0", {"hipblaslt": "100000-f1c5e53b"}, OVERRIDE, "hipblaslt.txt"),
    "hipblaslt-0.12.txt": ("2.8.0+rocm6.4", {"hipblaslt": "1200-a1b2c3d4"}, OVERRIDE, "hipblaslt.txt"),
}


def pinned(torch, built, env, gpus=1):
    """A plan whose products are pinned: solutions 1000, 1001, …"""
    pins = sorted(({"problem": problem, "solution": 1000 + i} for i, problem in enumerate(PROBLEMS)),
                  key=lambda pin: mxt_plans.canonical(pin["problem"]))
    changes = {"platform": {"vendor": "amd", "arch": "gfx942", "units": 304, "memory_gib": 192},
               "stack": {"torch": torch}, "workload.scaled": None, "attention": None, "contract": None, "unset": None,
               "env": env, "gemm": {"library": "hipblaslt", "mode": "pinned", "pins": pins,
                                    "built": dict(built, arch=ARCH)}}
    if gpus > 1:
        changes |= {"workload.training.gpus": gpus, "workload.training.strategy": "ddp"}
    return mxt_plans.plan(changes)


class Handoffs(mxt.TestCase):
    def files(self, *form, gpus=1):
        """Writes the plan and its files; returns the plan's path."""
        path = self.write("p.json", mxt_plans.text(pinned(*form[:3], gpus=gpus)))
        self.run_program("plan", "env", path, "--files", self.dir / "files", status=0)
        return path

    def test_golden(self):
        for name, form in FORMS.items():
            with self.subTest(name):
                self.files(*form)
                text = (self.dir / "files" / form[3]).read_text()
                if os.environ.get("MXT_UPDATE_GOLDEN") == "1":
                    GOLDEN.mkdir(exist_ok=True)
                    (GOLDEN / name).write_text(text)
                self.assertEqual((GOLDEN / name).read_text(), text, "MXT_UPDATE_GOLDEN=1 writes it anew")

    def test_one_copy_for_each_device(self):
        for _ in range(2):  # a second run finds what nobody may write
            path = self.files(*FORMS["tunableop-2.9.csv"], gpus=8)
        folder = self.dir / "files"
        self.assertEqual(sorted(os.listdir(folder)), [f"tunableop{i}.csv" for i in range(8)])
        for file in folder.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o444)
        out = self.run_program("plan", "check", path, "--files", folder, status=0).out
        self.assertIn("are those of plan", out)

    def test_a_plan_without_files_claims_nothing_of_them(self):
        path = mxt.FIXTURES / "plans" / "h200-qwen3-8b.json"
        out = self.run_program("plan", "check", path, "--files", self.dir / "nowhere", status=0).out
        self.assertIn("hands no files over; nothing was compared", out)

    def test_a_changed_byte_is_noticed(self):
        path = self.files(*FORMS["tunableop-2.9.csv"], gpus=8)
        folder = self.dir / "files"
        file = folder / "tunableop5.csv"
        content = bytearray(file.read_bytes())
        content[-2] ^= 1
        file.unlink()
        file.write_bytes(content)
        result = self.run_program("plan", "check", path, "--files", folder)
        self.assert_error(result, 7, "MXT-293", "tunableop5.csv")
        file.unlink()
        self.assert_error(self.run_program("plan", "check", path, "--files", folder, "--json"), 7, "MXT-293",
                          "tunableop5.csv")
        self.files(*FORMS["tunableop-2.9.csv"], gpus=8)
        event = self.run_program("plan", "check", path, "--files", folder, "--json", status=0).json()
        self.assertEqual((event["event"], event["dir"]), ("files", str(folder)))

    def test_what_is_in_the_way(self):
        """A link is replaced, and what it points to stays; a folder or a FIFO is refused, and nothing is exported."""
        path = self.files(*FORMS["tunableop-2.9.csv"])
        file, other = self.dir / "files" / "tunableop0.csv", self.write("other", "mine")
        file.unlink()
        file.symlink_to(other)
        self.files(*FORMS["tunableop-2.9.csv"])
        self.assertFalse(file.is_symlink())
        self.assertEqual(other.read_text(), "mine")
        for make, remove in ((os.mkdir, os.rmdir), (os.mkfifo, os.unlink)):
            file.unlink(missing_ok=True)
            make(file)
            result = self.run_program("plan", "env", path, "--files", self.dir / "files")
            self.assert_error(result, 1, "MXT-104", "tunableop0.csv")
            self.assertEqual(result.out, "")
            self.assert_error(self.run_program("plan", "check", path, "--files", self.dir / "files"), 7, "MXT-293")
            remove(file)

    def test_files_and_machine_are_two_checks(self):
        path = self.files(*FORMS["tunableop-2.9.csv"])
        for option in ("--python", "--sysroot", "--shapes"):
            result = self.run_program("plan", "check", path, "--files", self.dir / "files", option, "x")
            self.assert_error(result, 2, "MXT-110", option)


class Run(launched.TestCase):
    def run_under_pins(self, script, *options):
        """`run` of a shell script; $FILE is the hand-off file."""
        document = pinned(*FORMS["tunableop-2.9.csv"][:3])
        document["evidence"] = dict(document["evidence"], simulated=True)
        plan = self.write("p.json", mxt_plans.text(document))
        return self.launch("sh", "-c", f'FILE="$(dirname "$PYTORCH_TUNABLEOP_FILENAME")/tunableop0.csv"; {script}',
                           plan=plan, options=["--allow-mismatch", *options])

    def test_the_command_reads_them(self):
        result = self.run_under_pins('cat "$FILE"')
        self.assertEqual(result.status, 0, result)
        self.assertEqual(result.out, (GOLDEN / "tunableop-2.9.csv").read_text())
        self.assertNotIn("handoffs", self.status())

    def test_changed_while_it_ran(self):
        for script in ('rm "$FILE"', 'chmod u+w "$FILE"; echo x >> "$FILE"'):
            with self.subTest(script):
                result = self.run_under_pins(script)
                self.assertEqual(result.status, 0, result)
                self.assertIn("tunableop0.csv", result.err)
        status = json.loads((self.folders()[-1] / "status.json").read_text())
        self.assertEqual(status["handoffs"]["id"], "MXT-293")


if __name__ == "__main__":
    mxt.main()
