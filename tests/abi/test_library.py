#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libmindxtrain as a stranger meets it: its symbols, its header, and a program built against what is installed."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import mxt

LIBRARY = pathlib.Path(os.environ["MXT_LIBRARY"])
MAP = mxt.SOURCE_ROOT / "src" / "lib" / "libmindxtrain.map"
HEADER = mxt.SOURCE_ROOT / "include" / "mindxtrain" / "mindxtrain.h"
PLAN = mxt.SOURCE_ROOT / "tests" / "golden" / "plan" / "cpu.json"
SANITIZED = os.environ["MXT_SANITIZE"] != "none"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILERS = {"c": ["cc", "-std=c17", *STRICT, "-Wstrict-prototypes"], "c++": ["c++", "-std=c++17", *STRICT]}


def output(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **how).stdout


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


class Symbols(unittest.TestCase):
    def exported(self):
        rows = [line.split() for line in output("nm", "-D", "--defined-only", LIBRARY).splitlines()]
        return {row[2] for row in rows if row[1] != "A"}

    def mapped(self):
        body = without_comments(MAP.read_text()).split("global:")[1].split("local:")[0]
        return {name + "@@MINDXTRAIN_0" for name in re.findall(r"\w+", body)}

    def declared(self):
        return {name + "@@MINDXTRAIN_0" for name in re.findall(r"\b(mxt_\w+)\(", without_comments(HEADER.read_text()))}

    def test_map_header_and_library_agree(self):
        self.assertTrue(self.exported())
        self.assertEqual(self.exported(), self.mapped())
        self.assertEqual(self.exported(), self.declared())

    def test_soname(self):
        self.assertIn("Library soname: [libmindxtrain.so.0]", output("readelf", "-d", LIBRARY))

    def test_header_shows_no_foreign_types(self):
        includes = re.findall(r"#include\s+(\S+)", HEADER.read_text())
        self.assertEqual(sorted(includes), ["<stdbool.h>", "<stddef.h>", "<stdint.h>"])


class Header(mxt.TestCase):
    def test_compiles_alone(self):
        for language, compiler in COMPILERS.items():
            source = "#include <mindxtrain/mindxtrain.h>\n" * 2 + "int mxt_test_unused(void);\n"
            subprocess.run([*compiler, "-fsyntax-only", "-I", mxt.SOURCE_ROOT / "include", "-x", language, "-"],
                           input=source, text=True, check=True)


@unittest.skipIf(SANITIZED, "a sanitizer's library needs its own start-up")
class Consumer(mxt.TestCase):
    """Installed into a folder, found by pkg-config, used from C and C++."""

    def setUp(self):
        super().setUp()
        self.root = self.dir / "root"
        output(os.environ["MXT_MESON"], "install", "--no-rebuild", "--destdir", self.root, "-C", mxt.BUILD_ROOT)
        pc = next(self.root.rglob("mindxtrain.pc"))
        self.pkg_config = self.environment({"PKG_CONFIG_PATH": pc.parent, "PKG_CONFIG_SYSROOT_DIR": self.root})
        self.run_env = self.environment({"LD_LIBRARY_PATH": pc.parent.parent})

    def flags(self, *what):
        return output("pkg-config", *what, "mindxtrain", env=self.pkg_config).split()

    def build(self, language):
        program = self.dir / f"consumer-{language}"
        source = mxt.SOURCE_ROOT / "tests" / "abi" / "consumer.c"
        output(*COMPILERS[language], *self.flags("--cflags"), "-x", language, source, "-x", "none", "-o", program,
               *self.flags("--libs"), cwd=self.dir)
        return program

    def run_consumer(self, language, *args):
        return subprocess.run([self.build(language), *args], env=self.run_env, capture_output=True, text=True,
                              check=False)

    def test_reads_a_plan(self):
        expected = (PLAN.parent / "cpu.id").read_text()
        for language in COMPILERS:
            run = self.run_consumer(language, PLAN)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stdout, expected + "self-test\nbackend flash\nunits 2\nrun no, train MXT-130\n"
                             "MINDXTRAIN_CPU_ATTENTION=flash\nOPENBLAS_CORETYPE=Haswell\n"
                             "unset BLIS_NUM_THREADS\nunset OMP_NUM_THREADS\n")

    def test_verifies_a_run(self):
        run, data = self.dir / "run", self.dir / "data"
        run.mkdir()
        data.mkdir()
        (run / "log").write_text("done\n")
        (run / "latest").symlink_to("log")
        (data / "rows").write_text("1\n2\n")
        made = self.run_program("manifest", "create", run, "--dataset", data)
        self.assertEqual(made.status, 0, made)
        moved = self.dir / "moved"
        data.rename(moved)
        manifest = json.loads((run / "manifest.json").read_text())
        digests = {entry["path"]: entry["blake3"] for part in manifest["lists"] for entry in part["files"]
                   if "blake3" in entry}
        ends = {path: digest[:2] + digest[-2:] for path, digest in digests.items()}
        head = (f"{manifest['manifest_id']}\nmindxtrain.manifest/1\nplan no, result no\nrun {run}\nlatest -1 -> log\n"
                f"log 5 {ends['log']}\ndataset {data}\nrows 4 {ends['rows']}\n")
        for language in COMPILERS:
            whole = self.run_consumer(language, run / "manifest.json", run, moved)
            self.assertEqual((whole.returncode, whole.stderr), (0, ""))
            self.assertEqual(whole.stdout, head + "9 bytes hashed\n0 with extra files allowed\n")
        (moved / "rows").write_text("1\n3\n")
        (run / "latest").unlink()
        (run / "more").write_text("")
        changed = self.run_consumer("c", run / "manifest.json", run, moved)
        self.assertEqual(changed.stdout, head + "0 missing latest, nothing found\n0 extra more, nothing expected\n"
                         "1 content rows\n9 bytes hashed\n2 with extra files allowed\n")
        lost = self.run_consumer("c", run / "manifest.json", run)
        self.assertIn(f"1 root {data}", lost.stdout)

    def test_finds_a_checkpoint_and_a_plan_elsewhere(self):
        run, out = self.dir / "run", self.dir / "out"
        run.mkdir()
        out.mkdir()
        (out / "notes.txt").write_text("weights\n")
        self.run_program("manifest", "create", run, "--checkpoint", out, status=0)
        moved = self.dir / "moved"
        out.rename(moved)
        found = self.run_consumer("c", run / "manifest.json", run, f"checkpoint={moved}")
        self.assertIn("8 bytes hashed\n0 with extra files allowed\n", found.stdout)
        unplanned = self.run_consumer("c", run / "manifest.json", run, f"plan={PLAN}")
        self.assertEqual(unplanned.returncode, 1)
        self.assertIn("MXT-38", unplanned.stderr)

    def test_refuses_a_changed_manifest(self):
        run = self.dir / "run"
        run.mkdir()
        self.assertEqual(self.run_program("manifest", "create", run).status, 0)
        path = run / "manifest.json"
        path.chmod(0o644)
        path.write_text(path.read_text().replace('"created":1', '"created":2'))
        refused = self.run_consumer("c", path, run)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("MXT-371: ", refused.stderr)

    def test_says_what_is_wrong(self):
        run = self.run_consumer("c", self.write("bad.json", "{}"))
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("MXT-123: ", run.stderr)
        self.assertIn("bad.json: schema", run.stderr)

    def test_version(self):
        self.assertEqual(self.flags("--modversion"), self.run_consumer("c").stdout.split())


if __name__ == "__main__":
    mxt.main()
