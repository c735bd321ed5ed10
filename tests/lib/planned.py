# SPDX-License-Identifier: Apache-2.0
"""Tests that make one plan, plan.json, in their folder by a method tune(), and look into it."""

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

    def incumbent_refused(self, *words, status=6, error_id="MXT-241", **scenario):
        """What the job does today cannot be measured under the scenario of tune(), and a plan that is there stays."""
        old = self.write("plan.json", "the old plan")
        result = self.tune(status=status, **scenario)
        self.assert_error(result, status, error_id, *words)
        self.assertEqual(old.read_text(), "the old plan")

    def torch_refused(self, *words, status=4, error_id="MXT-244"):
        """Nothing can be measured with the torch of tune(), and there is no plan."""
        self.assert_error(self.tune(status=status), status, error_id, *words)
        self.assertFalse((self.dir / "plan.json").exists())
