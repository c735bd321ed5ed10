# SPDX-License-Identifier: Apache-2.0
"""A real Python that could train: MXT_TEST_PYTHON, else the one that scripts/fetch-python.sh keeps. A test that needs
one is skipped where there is none."""

import functools
import os
import pathlib
import subprocess
import unittest

import mxt

FETCH = mxt.SOURCE_ROOT / "scripts" / "fetch-python.sh"


@functools.lru_cache(maxsize=None)
def interpreter():
    """The interpreter's path, whether or not it is there."""
    named = os.environ.get("MXT_TEST_PYTHON")
    if named:
        return pathlib.Path(named)
    where = subprocess.run([FETCH, "--where"], check=True, capture_output=True, text=True).stdout.strip()
    return pathlib.Path(where) / "bin" / "python3"


def require():
    """The interpreter, which has torch, transformers, peft, accelerate, pyarrow and datasets; skips the calling test
    when it is not there."""
    python = interpreter()
    if not os.access(python, os.X_OK):
        raise unittest.SkipTest(f"no {python} (scripts/fetch-python.sh, or MXT_TEST_PYTHON)")
    return python


def site_packages():
    """The folder with its packages."""
    found = sorted(require().parent.parent.glob("lib/python3*/site-packages"))
    if not found:
        raise unittest.SkipTest(f"{interpreter()} is in no virtual environment")
    return found[0]
