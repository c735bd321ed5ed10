# SPDX-License-Identifier: Apache-2.0
"""Folders of runs of which only the result matters: a plan, a config, a dataset, a checkpoint, and the manifest."""

import json

import mxt
import mxt_plans

DIFFERS = "MXT-385"

CONFIG = """\
base_model: org/model
datasets:
  - path: {data}
    type: alpaca
adapter: lora
learning_rate: 2e-4
seed: {seed}
output_dir: {out}
"""


class TestCase(mxt.TestCase):
    def make_run(self, name, seed=1, data=b"{}\n", checkpoint=None, plan=None, out=None):
        """The folder of a run that lies in a folder of its own, with its manifest."""
        home = self.dir / name
        run, out, file = home / "runs" / f"run-{name}", out or home / f"out-{name}", home / f"data-{name}.jsonl"
        run.mkdir(parents=True)
        file.write_bytes(data)
        if checkpoint is not None:
            out.mkdir()
            for path, content in checkpoint.items():
                (out / path).write_bytes(content)
        text = plan or mxt_plans.text(mxt_plans.seal(mxt_plans.CPU_DECISION, mxt_plans.EVIDENCE))
        (run / "plan.json").write_text(text)
        status = {"schema": "mindxtrain.status/1", "state": "ended", "exit_status": 0,
                  "plan_id": json.loads(text)["plan_id"], "end": {"how": "exited", "status": 0}}
        (run / "status.json").write_text(json.dumps(status))
        config = CONFIG.format(data=file, seed=seed, out=out)
        (run / "run.yaml").write_text(config)
        (run / "run.axolotl.yaml").write_text(f"# {name}\n{config}")
        self.run_program("manifest", "create", run, "--dataset", file, "--checkpoint", out, status=0)
        return run

    def manifest(self, run):
        return json.loads((run / "manifest.json").read_text())

    def compare(self, *args, status=0, **how):
        return self.run_program("verify", "--same-result", *args, status=status, **how)

    def expect_difference(self, a, b, *words):
        result = self.compare(a, b, status=7)
        self.assertIn(DIFFERS, result.err)
        for word in words:
            self.assertIn(word, result.err)
