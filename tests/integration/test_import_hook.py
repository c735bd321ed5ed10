#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a module is waited for before it is there (recorder_hook.when_imported), in a Python of its own."""

import subprocess
import sys

import mxt

PRELUDE = """
import importlib.util, sys, threading
sys.path[:0] = [{python!r}, {folder!r}]
from mindxtrain_plan.recorder_hook import when_imported
seen = []
before = list(sys.meta_path)
when_imported("awaited", lambda module: seen.append(module.VALUE))
"""


class ImportHook(mxt.TestCase):
    def setUp(self):
        super().setUp()
        self.write("awaited/__init__.py", "VALUE = 7\n")
        self.write("awaited/part.py", "from awaited import VALUE\n")

    def python(self, program):
        prelude = PRELUDE.format(python=str(mxt.SOURCE_ROOT / "python"), folder=str(self.dir))
        result = subprocess.run([sys.executable, "-I", "-c", prelude + program], env=self.environment(),
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_import(self):
        out = self.python("import awaited.part\n"
                          "loader = type(awaited.__spec__.loader).__name__\n"
                          "print(seen, loader, sys.meta_path == before)\n")
        self.assertEqual(out, ["[7]", "SourceFileLoader", "True"])

    def test_asked_for_first(self):
        """transformers asks whether torch is there before it imports it."""
        out = self.python("found = [importlib.util.find_spec('awaited') is not None for _ in range(2)]\n"
                          "print(seen)\n"
                          "import awaited\n"
                          "print(all(found), seen, sys.meta_path == before)\n")
        self.assertEqual(out, ["[]", "True", "[7]", "True"])

    def test_there_already(self):
        out = self.python("import awaited\nwhen_imported('awaited', lambda module: seen.append(8))\nprint(*seen)\n")
        self.assertEqual(out, ["7", "8"])

    def test_missing(self):
        (self.dir / "awaited" / "__init__.py").unlink()
        (self.dir / "awaited" / "part.py").unlink()
        (self.dir / "awaited").rmdir()
        out = self.python("print(importlib.util.find_spec('awaited'), seen)\n"
                          "try:\n\timport awaited\nexcept ModuleNotFoundError as error:\n\tprint(error.name)\n")
        self.assertEqual(out, ["None", "[]", "awaited"])

    def test_import_that_fails(self):
        """Who imports it once more is seen then."""
        self.write("awaited/__init__.py", "import os\nVALUE = int(os.environ['VALUE'])\n")
        out = self.python("import os\n"
                          "try:\n\timport awaited\nexcept KeyError:\n\tos.environ['VALUE'] = '9'\n"
                          "import awaited\nprint(seen, sys.meta_path == before)\n")
        self.assertEqual(out, ["[9]", "True"])


if __name__ == "__main__":
    mxt.main()
