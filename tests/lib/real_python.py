# SPDX-License-Identifier: Apache-2.0
"""A real Python that could train: MXT_TEST_PYTHON, else the one that scripts/fetch-python.sh keeps. A test that needs
one is skipped where there is none."""

import functools
import os
import pathlib
import subprocess
import unittest

import mxt

FETCH, NAMED_BY = "fetch-python.sh", "MXT_TEST_PYTHON"


@functools.lru_cache(maxsize=None)
def fetched(script, named_by):
    """The path of the interpreter that a script of scripts/ fetches, or that the variable names; whether or not it is
    there."""
    named = os.environ.get(named_by)
    if named:
        return pathlib.Path(named)
    ask = [mxt.SOURCE_ROOT / "scripts" / script, "--where"]
    where = subprocess.run(ask, check=True, capture_output=True, text=True)
    return pathlib.Path(where.stdout.strip()) / "bin" / "python3"


def require_fetched(script, named_by):
    """The same; skips the calling test when it is not there."""
    python = fetched(script, named_by)
    if not os.access(python, os.X_OK):
        raise unittest.SkipTest(f"no {python} (scripts/{script}, or {named_by})")
    return python


def interpreter():
    """The interpreter's path, whether or not it is there."""
    return fetched(FETCH, NAMED_BY)


def require():
    """The interpreter, which has torch, transformers, peft, accelerate, pyarrow and datasets; skips the calling test
    when it is not there."""
    return require_fetched(FETCH, NAMED_BY)


def site_packages():
    """The folder with its packages."""
    found = sorted(require().parent.parent.glob("lib/python3*/site-packages"))
    if not found:
        raise unittest.SkipTest(f"{interpreter()} is in no virtual environment")
    return found[0]
