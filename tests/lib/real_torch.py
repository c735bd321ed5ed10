# SPDX-License-Identifier: Apache-2.0
"""The real torches that scripts/fetch-torch.sh keeps; a test that needs one is skipped where it is not there."""

import os
import pathlib
import subprocess
import unittest

import mxt

FETCH = mxt.SOURCE_ROOT / "scripts" / "fetch-torch.sh"


def ask(option):
    return subprocess.run([FETCH, option], check=True, capture_output=True, text=True).stdout.splitlines()


# Of this machine, oldest first.
VERSIONS = ask("--list")
CACHE = pathlib.Path(ask("--where")[0])


def environment(version):
    """The folder for --python; skips the calling test when that torch is not there."""
    folder = CACHE / version
    if not os.access(folder / "contents", os.R_OK):
        raise unittest.SkipTest(f"no {folder} (scripts/fetch-torch.sh)")
    return folder


def site_packages(version):
    return environment(version) / "lib" / "python3.11" / "site-packages"
