#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The environment that `run` gives to a command, what it records of it, and what it says about it."""

import json
import os

import launched
import mxt
import real_python

SECRET = "S3cretS3cretS3cretS3cret"

# What people really have: nothing of it may change what the plan says, and no value may be told.
CLUTTER = {
    "HF_TOKEN": SECRET, "WANDB_API_KEY": SECRET, "MY_PASSWORD": SECRET, "http_proxy": f"http://u:{SECRET}@proxy",
    "HTTP_PROXY": "http://proxy", "NCCL_SOCKET_IFNAME": "eth0", "RCCL_DEBUG": "INFO", "NCCL_NTHREAD": SECRET,
    "OPENBLAS_NUM_THREADS": "1", "openblas_num_threads": "3", "hf_token": SECRET, "RANK": "0", "WORLD_SIZE": "1",
    "PET_NNODES": "1", "PYTHONPATH": f"/opt/{SECRET}", "PYTORCH_TUNABLEOP_TUNING": "1", "NCCL_WHATEVER": SECRET,
}


class Given(launched.TestCase):
    def seen(self, *command, **env):
        """What a command sees, and the record of its run."""
        result = self.launch(*(command or ("env", "-0")), status=0, env=env)
        environment = dict(item.split("=", 1) for item in result.out.split("\0") if item)
        return environment, json.loads((self.folder() / "env.json").read_text()), result.err

    def test_record_is_true(self):
        environment, record, _ = self.seen(**CLUTTER)
        changes = record["changes"]
        self.assertFalse(set(changes) & set(record["kept"]))
        for name, change in changes.items():
            self.assertEqual(environment.get(name), change.get("to"), name)
            self.assertIn(change["by"], ("plan", "launch", "policy"))
        ours = {name for name, change in changes.items() if "to" in change}
        self.assertEqual(set(environment), set(record["kept"]) | ours)
        before = {**os.environ, **CLUTTER}
        for name in record["kept"]:
            if name in before:
                self.assertEqual(environment[name], before[name])
        self.assertEqual(changes["OPENBLAS_NUM_THREADS"], {"by": "plan", "from": "1"})
        self.assertEqual(environment["TORCHINDUCTOR_SHAPE_PADDING"], "0")  # nobody knows whether the command compiles
        for name in ("RANK", "PET_NNODES", "openblas_num_threads"):  # `run` does not know what its command is
            self.assertEqual(environment[name], CLUTTER[name])

    def test_no_value_is_told(self):
        _, _, err = self.seen(**CLUTTER)
        self.assertNotIn(SECRET, err)
        for path in self.folder().iterdir():
            if path.is_file() and path.name not in ("train.log", "env.json"):
                self.assertNotIn(SECRET, path.read_text(errors="replace"), path)
        record = json.loads((self.folder() / "env.json").read_text())
        record["changes"].get("PYTHONPATH", {}).pop("to", None)  # ours: the hook in front of what was there
        self.assertNotIn(SECRET, json.dumps(record))

    def test_print_tells_the_same(self):
        result = self.launch("true", options=["--print"], env=CLUTTER, status=0)
        self.assertIn("- OPENBLAS_NUM_THREADS  (plan, was 1)\n", result.out)
        self.assertIn("+ MINDXTRAIN_CPU_BLAS=blis  (plan)\n", result.out)
        self.assertIn("+ TORCHINDUCTOR_SHAPE_PADDING=0  (policy)\n", result.out)

    def test_remarks(self):
        _, _, err = self.seen(**CLUTTER)
        for words in ("RCCL_DEBUG is set: no effect", "NCCL_NTHREAD is set: no known reader", "NCCL_WHATEVER",
                      "RANK, WORLD_SIZE", "openblas_num_threads is set"):
            if words.startswith("RANK"):
                self.assertRegex(err, "(RANK|WORLD_SIZE|PET_NNODES), (RANK|WORLD_SIZE|PET_NNODES)")
            else:
                self.assertIn(words, err)
        self.assertNotIn("NCCL_SOCKET_IFNAME", err)
        self.assertEqual([remark["id"] for remark in self.status()["remarks"] if "id" in remark],
                         ["MXT-131"])  # allowed: the plan is simulated

    def test_names_in_capital_letters(self):
        script = self.write("accelerate", "#!/bin/sh\nexec env -0\n")
        script.chmod(0o755)
        environment, record, err = self.seen(script, **CLUTTER)
        self.assertNotIn("openblas_num_threads", environment)
        self.assertNotIn("hf_token", environment)
        self.assertEqual(environment["http_proxy"], CLUTTER["http_proxy"])
        self.assertEqual(record["changes"]["openblas_num_threads"]["by"], "launch")
        self.assertIn("http_proxy and HTTP_PROXY differ", err)
        self.assertNotIn(SECRET, err)


class RealAccelerate(launched.TestCase):
    def test_what_the_plan_removes_does_not_come_back_in_capital_letters(self):
        python = real_python.require()
        script = self.write("seen.py", "import os\n"
                            "names = ('RANK', 'OPENBLAS_NUM_THREADS', 'MINDXTRAIN_CPU_BLAS', 'MY_OWN')\n"
                            "os.write(1, (' '.join(str(os.environ.get(name)) for name in names) + '\\n').encode())\n")
        command = [python, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines",
                   "1", "--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0", script]
        caller = {"openblas_num_threads": "3", "my_own": "kept", "HF_HOME": self.dir / "hf"}
        result = self.launch(*command, options=["--no-coverage"], status=0, env=caller)
        self.assertEqual(sorted(result.out.splitlines()), ["0 None blis kept", "1 None blis kept"])
        self.assertIn("accelerate would make OPENBLAS_NUM_THREADS of it", result.err)


class Refused(launched.TestCase):
    def refused(self, *words, status=125, options=(), **env):
        result = self.launch("true", options=options, env=env)
        self.assertEqual(result.status, status, result)
        for word in words:
            self.assertIn(word, result.err)

    def test_what_tunes(self):
        for name, value in (("HIPBLASLT_TUNING_MODE", "tune"), ("MIOPEN_FIND_MODE", "NORMAL"), ("CCE_AUTOTUNE", "1"),
                            ("TRITON_CACHE_AUTOTUNING", "1"), ("TORCHINDUCTOR_MAX_AUTOTUNE", "1")):
            with self.subTest(name):
                self.refused(f"{name}={value}", "MXT-300", **{name: value})
        self.refused(status=0, PYTORCH_TUNABLEOP_ENABLED="1", PYTORCH_TUNABLEOP_TUNING="0")

    def test_what_makes_a_gpu_another_one(self):
        """A plan holds what was in force when it was made, and this was not."""
        name = "HSA_OVERRIDE_GFX_VERSION"
        self.refused(name, "MXT-129", **{name: "11.0.0"})
        self.refused(name, status=0, options=["--allow-mismatch"], **{name: "11.0.0"})

    def test_what_tunes_may_be_allowed(self):
        self.refused("CCE_AUTOTUNE=1", status=0, options=["--allow-jit"], CCE_AUTOTUNE="1")
        self.assertIn("allow-jit", self.status()["marks"])
        record = json.loads((self.folder() / "env.json").read_text())
        self.assertIn("CCE_AUTOTUNE", record["kept"])


if __name__ == "__main__":
    mxt.main()
