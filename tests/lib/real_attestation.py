# SPDX-License-Identifier: Apache-2.0
"""A Python with in-toto-attestation and model-signing: MXT_TEST_ATTESTATION, else the one that
scripts/fetch-attestation.sh keeps. A test that needs one is skipped where there is none."""

import os
import subprocess

import real_python


def require():
    """The interpreter; skips the calling test when it is not there."""
    return real_python.require_fetched("fetch-attestation.sh", "MXT_TEST_ATTESTATION")


def ask(script, *args):
    """Runs a script in it; what it printed. A script that fails fails the test with its own words."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([require(), "-I", "-c", script, *args], env=env, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
