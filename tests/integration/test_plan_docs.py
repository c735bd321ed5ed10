#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is written about plans, held against the reader's own tables; and the schema against real plans."""

import copy
import json
import os
import subprocess

import jsonschema

import mxt
import mxt_plans

DOCS = mxt.SOURCE_ROOT / "docs"
GOLDEN = mxt.SOURCE_ROOT / "tests" / "golden" / "plan"
BEGIN = "<!-- fields: written by tests/tools/plan_docs.c; do not edit -->\n"
END = "<!-- end of fields -->\n"
BEGIN_PAGE = '.\\" fields: written by tests/tools/plan_docs.c; do not edit\n'
END_PAGE = '.\\" end of fields\n'
BEGIN_TABLES = "<!-- tables: written by tests/tools/plan_docs.c; do not edit -->\n"
END_TABLES = "<!-- end of tables -->\n"


def generated(part):
    return subprocess.run([os.environ["MXT_PLAN_DOCS"], part], check=True, capture_output=True, text=True).stdout


class Files(mxt.TestCase):
    def compare(self, name, text):
        path = DOCS / name
        if os.environ.get("MXT_UPDATE_GOLDEN") == "1":
            path.write_text(text)
        self.assertEqual(path.read_text(), text, f"{path} (MXT_UPDATE_GOLDEN=1 writes it anew)")

    def test_schema(self):
        self.compare("plan.schema.json", generated("schema"))

    def test_fields(self):
        text = (DOCS / "plan.md").read_text()
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        self.compare("plan.md", head + BEGIN + "\n" + generated("fields") + END + tail)

    def test_manual_page(self):
        text = (DOCS / "man" / "mindxtrain-plan.5").read_text()
        head, rest = text.split(BEGIN_PAGE)
        tail = rest.split(END_PAGE)[1]
        self.compare("man/mindxtrain-plan.5", head + BEGIN_PAGE + generated("man") + END_PAGE + tail)

    def test_variables(self):
        head = (DOCS / "variables.md").read_text().split("\n## ")[0].rstrip("\n")
        self.compare("variables.md", head + "\n\n" + generated("variables").rstrip("\n") + "\n")


    def test_environment(self):
        text = (DOCS / "environment.md").read_text()
        head, rest = text.split(BEGIN_TABLES)
        tail = rest.split(END_TABLES)[1]
        self.compare("environment.md", head + BEGIN_TABLES + "\n" + generated("environment") + END_TABLES + tail)


class Schema(mxt.TestCase):
    def setUp(self):
        super().setUp()
        schema = json.loads((DOCS / "plan.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def agree(self, document, expected):
        """Schema and reader both say `expected`."""
        errors = [error.message for error in self.validator.iter_errors(document)]
        self.assertEqual(not errors, expected, errors)
        result = self.run_program("plan", "id", self.write("p.json", mxt_plans.text(document)))
        self.assertEqual(result.status == 0, expected, result)

    def test_good_plans(self):
        plans = sorted(GOLDEN.glob("*.json"))
        self.assertTrue(plans)
        for path in plans:
            with self.subTest(path.name):
                self.agree(json.loads(path.read_text()), True)

    def test_a_plan_just_made(self):
        out = self.dir / "plan.json"
        scenario = {"seed": 1, "candidates": [
            {"name": "flash", "probe": "attention", "env": {"MINDXTRAIN_CPU_ATTENTION": "flash"}, "factor": 0.5}]}
        env = {"MINDXTRAIN_FAKE_SCENARIO": self.write("scenario.json", scenario)}
        result = self.run_program("autotune", "--device", "fake", "--model", "instella-3b", "--seq-len", "512",
                                  "--micro-batch", "1", "--budget", "30", "--out", out, env=env)
        if "unknown command" in result.err:
            self.skipTest("there is no autotune in this build")
        self.assertEqual(result.status, 0, result)
        self.agree(json.loads(out.read_text()), True)

    def test_bad_plans(self):
        for changes in ({"surprise": 1}, {"policy": None}, {"platform.units": 0}, {"platform.units": "2"},
                        {"platform.color": "red"}, {"version": 2}, {"workload.model.layers": -1},
                        {"workload.training.gpus": 1}, {"workload.training.dtype": "bfloat16"},
                        {"workload.model.gated_mlp": True}, {"workload.excluded": []}, {"attention.backend": "magic"},
                        {"env": {}}, {"env.LD_PRELOAD": "/x.so"}, {"env.PATH": "/x"}, {"env.MADE_UP": "1"},
                        {"env.OPENBLAS_NUM_THREADS": "two"}, {"env.OPENBLAS_NUM_THREADS": 2},
                        {"env.MINDXTRAIN_CPU_BLAS": "mkl"}, {"env.OPENBLAS_CORETYPE": "Z80"},
                        {"env.OMP_PLACES": "$(id)"}, {"env.GOMP_CPU_AFFINITY": "0;1"}, {"env.NCCL_PROTO": "LL,XX"},
                        {"env.CUDA_LAUNCH_BLOCKING": "1"}, {"env.NCCL_TUNER_CONFIG_FILE": "/etc/passwd"},
                        {"unset": ["PATH"]}, {"unset": []}, {"unset": ["OPENBLAS_CORETYPE"]},
                        {"contract": {"OMP_NUM_THREADS": "1"}}, {"contract": {"CUBLAS_WORKSPACE_CONFIG": "x"}},
                        {"gemm.pins": []}, {"collective.table": [{"collective": "allgather"}]}):
            with self.subTest(changes):
                self.agree(mxt_plans.plan(changes), False)

    def test_bad_documents(self):
        good = mxt_plans.plan()
        for change in ({"schema": "mindxtrain.plan/2"}, {"plan_id": "00"}, {"extra": 1}, {"evidence": {}},
                       {"evidence": {"version": 1, "samples": [1]}}, {"evidence": {"version": 1, "simulated": False}}):
            with self.subTest(change):
                self.agree(dict(copy.deepcopy(good), **change), False)

    def test_values_that_both_take(self):
        for env in ({"OPENBLAS_CORETYPE": "haswell"}, {"OMP_PLACES": "threads(4)"}, {"OMP_PLACES": "{0:4},{4:4:1}:2"},
                    {"GOMP_CPU_AFFINITY": "0-3 8,10-20:2"}, {"NCCL_PROTO": "^LL,LL128"}, {"OMP_PROC_BIND": "CLOSE"},
                    {"NCCL_TUNER_CONFIG_FILE": "@file:collectives.csv@"}, {"OPENBLAS_NUM_THREADS": "16"}):
            with self.subTest(env):
                self.agree(mxt_plans.plan({"env": env}), True)


if __name__ == "__main__":
    mxt.main()
