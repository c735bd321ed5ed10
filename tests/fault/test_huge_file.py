#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file of 50 GiB that is one hole: larger than 32 bits can count, and than what memory holds."""

import json

import mxt

SIZE = 50 << 30
HASH = "8660845552f88ba4fd9411b315755a02917922e8b9f4659f91e7128041f5a00f"  # what b3sum 1.2.0 says


class Huge(mxt.TestCase):
    def test_it(self):
        run = self.dir / "run"
        run.mkdir()
        with open(run / "hole", "wb") as file:
            file.truncate(SIZE)
        self.run_program("manifest", "create", run, status=0, timeout=600)
        files = json.loads((run / "manifest.json").read_text())["lists"][0]["files"]
        self.assertEqual(files, [{"path": "hole", "size": SIZE, "blake3": HASH}])


if __name__ == "__main__":
    mxt.main()
