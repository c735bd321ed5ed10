# SPDX-License-Identifier: Apache-2.0
"""Tests that run something under a plan. The plan is made once for a test class, on the simulated device, since nothing
of it is looked at but the environment that it stands for.
"""

import json
import pathlib
import shutil
import tempfile

import mxt
import mxt_plans

SCENARIO = mxt.FIXTURES / "scenarios" / "clear_winner.json"
SIMULATED = {"MINDXTRAIN_FAKE_SCENARIO": SCENARIO}


class TestCase(mxt.TestCase):
    made = None

    @classmethod
    def setUpClass(cls):
        """A plan in a folder of the class's own."""
        super().setUpClass()
        cls.plans = pathlib.Path(tempfile.mkdtemp(prefix="mxt-plans-"))
        cls.addClassCleanup(shutil.rmtree, cls.plans, ignore_errors=True)

    def simulated_plan(self):
        """The path of a plan that chose flash attention and BLIS."""
        path = self.plans / "plan.json"
        if not path.exists():
            self.run_program("autotune", "--model", "instella-3b", "--seq-len", 512, "--device", "fake", "--out", path,
                             env=SIMULATED, status=0)
        return path

    def changed_plan(self, change):
        """Another plan, sealed again after change(decision)."""
        plan = json.loads(self.simulated_plan().read_text())
        change(plan["decision"])
        return self.write("changed.json", mxt_plans.text(mxt_plans.seal(plan["decision"], plan["evidence"])))

    def launch(self, *command, options=(), plan=None, env=None, **how):
        """`run` of a command, under the simulated plan."""
        return self.run_program("run", "--plan", plan or self.simulated_plan(), "--allow-simulated", *options, "--",
                                *command, env={**SIMULATED, **(env or {})}, **how)

    def folders(self, out="runs"):
        """Folders of runs, the oldest first."""
        path = self.dir / out
        return sorted(path.iterdir(), key=lambda run: run.stat().st_mtime_ns) if path.exists() else []

    def folder(self, out="runs"):
        """That of the only run."""
        runs = self.folders(out)
        self.assertEqual(len(runs), 1, runs)
        return runs[0]

    def status(self, out="runs"):
        """Its status.json."""
        return json.loads((self.folder(out) / "status.json").read_text())
