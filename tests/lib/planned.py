# SPDX-License-Identifier: Apache-2.0
"""Tests that make one plan, plan.json, in their folder, and look into it."""

import json

import mxt


class TestCase(mxt.TestCase):
    def plan(self):
        return json.loads((self.dir / "plan.json").read_text())

    def choice(self, probe):
        """The last word on a probe in the evidence."""
        return [row for row in self.plan()["evidence"]["choices"] if row["probe"] == probe][-1]

    def samples(self, **wanted):
        return [row for row in self.plan()["evidence"]["samples"]
                if all(row.get(key) == value for key, value in wanted.items())]
