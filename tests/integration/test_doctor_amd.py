#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain doctor` on machines with AMD GPUs. What it prints for each is in the golden files of test_doctor."""

import filecmp

import amd_hosts
import mxt

HOSTS = mxt.FIXTURES / "hosts"


def differences(comparison):
    """Paths in which two folders differ, however deep."""
    found = comparison.left_only + comparison.right_only + comparison.diff_files + comparison.funny_files
    for below in comparison.subdirs.values():
        found += differences(below)
    return found


class Fixtures(mxt.TestCase):
    def test_they_are_what_the_script_makes(self):
        amd_hosts.make(self.dir)
        for name in amd_hosts.HOSTS:
            found = differences(filecmp.dircmp(self.dir / name, HOSTS / name))
            self.assertEqual(found, [], f"{name}: run tests/lib/amd_hosts.py tests/fixtures/hosts")


if __name__ == "__main__":
    mxt.main()
