#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain plan`: good plans, and every kind of bad one."""

import json
import os
import shutil
import subprocess

import mxt
import mxt_plans

GOLDEN = mxt.SOURCE_ROOT / "tests" / "golden" / "plan"
GPU = {
    "platform": {"vendor": "AMD", "arch": "gfx942", "units": 304, "memory_gib": 192, "link": "xgmi"},
    "stack": {"torch": "2.11.0", "hip": "7.2", "rccl": "2.27.7", "capabilities": ["ck_gemm", "ck_sdpa"]},
    "workload.training.gpus": 8,
    "workload.training.strategy": "fsdp",
    "workload.scaled": None,
    "attention": {"backend": "ck", "backward": "aotriton"},
    "gemm": {"library": "hipblaslt", "mode": "pinned", "pins": [
        {"problem": {"op": "gemm", "m": 4096, "n": 4096, "k": 4096, "dtype": "bfloat16", "trans_b": True},
         "solution": 4711}],
        "built": {"arch": "gfx942:sramecc+:xnack-", "hip": "702", "hipblaslt": "100202-dabb6df2b9",
                  "rocblas": "5.2.0.dabb6df2b9"}},
    "collective": {"config": "8gpu_xgmi", "table": [
        {"collective": "allgather", "max_bytes": 1048576, "algorithm": "ring", "protocol": "ll128", "channels": 32}]},
    "env": {"NCCL_TUNER_CONFIG_FILE": "@file:collectives.csv@", "PYTORCH_TUNABLEOP_ENABLED": "1",
            "PYTORCH_TUNABLEOP_FILENAME": "@file:tunableop.csv@", "PYTORCH_TUNABLEOP_TUNING": "0",
            "TORCH_ROCM_FA_PREFER_CK": "1"},
    "contract": None,
}
SIMULATED = dict(mxt_plans.EVIDENCE, simulated=True)
EXAMPLES = {
    "cpu": mxt_plans.plan(),
    "simulated": mxt_plans.plan(GPU, SIMULATED),
    "bare": mxt_plans.plan({"env": None, "unset": None, "contract": None, "attention": None, "gemm": None},
                           {"version": 1}),
    "newer": mxt_plans.plan(evidence={"version": 2, "samples": {"elsewhere": True}}),
}


class Examples(mxt.TestCase):
    """What is printed, against files."""

    def golden(self, name, text):
        path = GOLDEN / name
        if os.environ.get("MXT_UPDATE_GOLDEN") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.assertEqual(path.read_text(), text, f"{path} (MXT_UPDATE_GOLDEN=1 writes it anew)")

    def test_golden(self):
        for name, document in EXAMPLES.items():
            with self.subTest(name):
                self.golden(f"{name}.json", mxt_plans.text(document))
                path = self.write(f"{name}.json", mxt_plans.text(document))
                for verb in ("show", "canonical", "id"):
                    self.golden(f"{name}.{verb}", self.run_program("plan", verb, path, status=0).out)

    def test_golden_env(self):
        path = self.write("cpu.json", mxt_plans.text(EXAMPLES["cpu"]))
        for form, suffix in (("sh", "env-sh"), ("json", "env-json"), ("env-file", "env-file")):
            self.golden(f"cpu.{suffix}", self.run_program("plan", "env", path, "--format", form, status=0).out)

    def test_canonical_hashes_to_the_id(self):
        for name, document in EXAMPLES.items():
            path = self.write(f"{name}.json", json.dumps(document, indent=8, ensure_ascii=True))
            out = self.run_program("plan", "canonical", path, status=0).out
            self.assertEqual(mxt_plans.blake3(out.encode()), document["plan_id"])
            self.assertEqual(self.run_program("plan", "id", path, status=0).out, document["plan_id"] + "\n")

    def test_standard_input(self):
        text = mxt_plans.text(EXAMPLES["cpu"])
        self.assertEqual(self.run_program("plan", "id", "-", stdin=text, status=0).out.strip(),
                         EXAMPLES["cpu"]["plan_id"])
        self.assert_error(self.run_program("plan", "id", "-", stdin=""), 3, "MXT-120", "standard input")

    def test_show_json(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["simulated"]))
        event = self.run_program("plan", "show", "--json", path, status=0).json()
        self.assertEqual((event["event"], event["v"], event["simulated"], event["self_test"]), ("plan", 1, True, False))
        self.assertEqual(event["plan"], EXAMPLES["simulated"])

    def test_simulated_times_say_so(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["simulated"]))
        out = self.run_program("plan", "show", path, status=0).out
        for line in out.splitlines():
            if " ms" in line or " %" in line or " s " in line + " ":
                self.assertIn("simulated", line)
        self.assertIn("simulated", out)
        self.assertNotIn("self-test", out)

    def test_show_does_not_reorder(self):
        """Strings of evidence come from anywhere."""
        evidence = dict(mxt_plans.EVIDENCE, tool="x\u202egpj.exe")
        path = self.write("p.json", mxt_plans.text(mxt_plans.plan(evidence=evidence)))
        self.assertIn("by x?gpj.exe", self.run_program("plan", "show", path, status=0).out)

    def test_many_samples(self):
        evidence = dict(mxt_plans.EVIDENCE, samples=mxt_plans.EVIDENCE["samples"] * 2000)
        path = self.write("p.json", mxt_plans.text(mxt_plans.plan(evidence=evidence)))
        out = self.run_program("plan", "show", path, status=0, timeout=20).out
        self.assertIn("and 9500 more", out)


class Diff(mxt.TestCase):
    def test_diff(self):
        a = self.write("a.json", mxt_plans.text(EXAMPLES["cpu"]))
        b = self.write("b.json", mxt_plans.text(mxt_plans.plan({"attention.backend": "math",
                                                                "env.MINDXTRAIN_CPU_ATTENTION": None})))
        equal = self.run_program("plan", "diff", a, a, status=0)
        self.assertIn("the decisions are equal", equal.out)
        result = self.run_program("plan", "diff", a, b, status=5)
        self.assertIn("(self-test)", result.out)
        self.assertIn("\ndecision.attention.backend: flash, right math\n", result.out)
        self.assertIn("\ndecision.env.MINDXTRAIN_CPU_ATTENTION: flash, right nothing\n", result.out)
        event = self.run_program("plan", "diff", "--json", a, b, status=5).json()
        self.assertEqual(event["differences"], [
            {"path": "decision.attention.backend", "left": "flash", "right": "math"},
            {"path": "decision.env.MINDXTRAIN_CPU_ATTENTION", "left": "flash"}])

    def test_evidence_does_not_count(self):
        a = self.write("a.json", mxt_plans.text(EXAMPLES["cpu"]))
        b = self.write("b.json", mxt_plans.text(EXAMPLES["newer"]))
        self.assertEqual(self.run_program("plan", "diff", "--json", a, b, status=0).json()["differences"], [])


class Use(mxt.TestCase):
    def test_rules(self):
        cpu = self.write("cpu.json", mxt_plans.text(EXAMPLES["cpu"]))
        simulated = self.write("simulated.json", mxt_plans.text(EXAMPLES["simulated"]))
        for use in ("train", "run"):
            self.assert_error(self.run_program("plan", "check", cpu, "--for", use), 5, "MXT-130", "self-test")
            self.assert_error(self.run_program("plan", "check", simulated, "--for", use), 5, "MXT-131",
                              "--allow-simulated")
            result = self.run_program("plan", "check", simulated, "--for", use, "--allow-simulated")
            self.assertNotIn("MXT-130", result.err)
            self.assertNotIn("MXT-131", result.err)

    def scenario(self, document):
        """A simulated device that is what the plan was made for."""
        inventory = {key: document["decision"][key] for key in ("platform", "stack")}
        return {"MINDXTRAIN_FAKE_SCENARIO": self.write("scenario.json", {"inventory": inventory})}

    def test_fits(self):
        document = EXAMPLES["simulated"]
        path = self.write("p.json", mxt_plans.text(document))
        env = self.scenario(document)
        out = self.run_program("plan", "check", path, env=env, clean=True, status=0).out
        self.assertIn(f"plan {document['plan_id']} (simulated) fits this machine", out)
        event = self.run_program("plan", "check", "--json", path, env=env, clean=True, status=0).json()
        self.assertEqual((event["event"], event["fits"], event["differences"]), ("check", True, []))

    def test_every_difference_is_named(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["simulated"]))
        other = mxt_plans.plan(dict(GPU, platform={"vendor": "AMD", "arch": "gfx950", "units": 304, "memory_gib": 192,
                                                   "link": "xgmi"},
                                    stack={"torch": "2.12.0", "hip": "7.2", "rccl": "2.27.7"}), SIMULATED)
        env = self.scenario(other)
        result = self.run_program("plan", "check", path, env=env, clean=True)
        self.assert_error(result, 5, "MXT-129", "platform.arch: gfx942, here gfx950",
                          "stack.torch: 2.11.0, here 2.12.0", "stack.capabilities:", "here nothing", "; make a plan here")
        self.assertEqual(result.out, "")
        event = self.run_program("plan", "check", "--json", path, env=env, clean=True, status=5).json()
        self.assertEqual([row["path"] for row in event["differences"]],
                         ["platform.arch", "stack.capabilities", "stack.torch"])

    def test_contract(self):
        """What was set for correctness when the plan was made is set so here; what the plan exports may be set."""
        document = mxt_plans.plan(dict(GPU, env=dict(GPU["env"], OPENBLAS_CORETYPE="Haswell"), contract={
            "CUBLAS_WORKSPACE_CONFIG": ":4096:8", "NVIDIA_TF32_OVERRIDE": "0"}), SIMULATED)
        path = self.write("p.json", mxt_plans.text(document))
        env = self.scenario(document) | document["decision"]["contract"]
        for changes in ({}, {"OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "7"}):
            self.run_program("plan", "check", path, env=env | changes, clean=True, status=0)
        changes = {"CUBLAS_WORKSPACE_CONFIG": ":16:8", "NVIDIA_TF32_OVERRIDE": None, "OPENBLAS_CORETYPE": "Zen",
                   "OPENBLAS_L2_SIZE": "no number"}
        result = self.run_program("plan", "check", path, env=env | changes, clean=True)
        self.assert_error(result, 5, "MXT-129", "contract.CUBLAS_WORKSPACE_CONFIG: :4096:8, here :16:8",
                          "contract.NVIDIA_TF32_OVERRIDE: 0, here nothing",
                          "contract.OPENBLAS_CORETYPE: nothing, here Zen",
                          "contract.OPENBLAS_L2_SIZE: nothing, here no number",
                          "set these variables as the plan has them")
        event = self.run_program("plan", "check", "--json", path, env=env | changes, clean=True, status=5).json()
        self.assertEqual([row["path"] for row in event["differences"]], sorted(f"contract.{name}" for name in changes))

    def test_this_machine(self):
        """The plan of another machine, with every difference that is named removed, fits."""
        path = self.write("p.json", mxt_plans.text(EXAMPLES["bare"]))
        event = self.run_program("plan", "check", "--json", path).json()
        self.assertEqual(event["device"], "cpu")
        changes = {"env": None, "unset": None, "contract": None}
        changes |= {row["path"]: row.get("right") for row in event["differences"]}
        changes["contract"] = {path.split(".")[1]: changes.pop(path)
                               for path in list(changes) if path.startswith("contract.")} or None
        path = self.write("here.json", mxt_plans.text(mxt_plans.plan(changes)))
        out = self.run_program("plan", "check", path, status=0).out
        self.assertIn("(self-test) fits this machine (cpu)", out)

    def test_recorded_machine(self):
        path = self.write("p.json", mxt_plans.text(mxt_plans.plan({"platform.units": 65535})))
        for host in ("epyc-guest", "graviton", "xeon-container"):
            result = self.run_program("plan", "check", path, "--sysroot", mxt.FIXTURES / "hosts" / host)
            self.assert_error(result, 5, "MXT-129", "platform.units: 65535, here ")
        self.assert_error(self.run_program("plan", "check", path, "--sysroot", ""), 2, "MXT-110", "--sysroot")
        for other in (self.dir / "nowhere", path, self.dir):
            self.assert_error(self.run_program("plan", "check", path, "--sysroot", other), 3, "MXT-230", "record-host")
        self.assertIn("contract.OPENBLAS_L2_SIZE: nothing, here 512", self.run_program(
            "plan", "check", path, "--sysroot", mxt.FIXTURES / "hosts" / "epyc-guest", clean=True).err)
        result = self.run_program("plan", "check", path, "--sysroot", mxt.FIXTURES / "hosts" / "hostile")
        self.assert_error(result, 4, "MXT-134", "the plan is sound", "mindxtrain doctor")


class Env(mxt.TestCase):
    def test_eval(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["cpu"]))
        script = ('eval "$("$0" plan env "$1")" || exit 9\n'
                  'printf "%s|%s|%s" "$OPENBLAS_CORETYPE" "$MINDXTRAIN_CPU_ATTENTION" "${OMP_NUM_THREADS-gone}"')
        for shell in ("sh", "dash", "bash"):
            if not shutil.which(shell):
                continue
            out = subprocess.run([shell, "-euc", script, mxt.PROGRAM, path], capture_output=True, text=True, check=True,
                                 env=self.environment({"OMP_NUM_THREADS": "7", "OPENBLAS_CORETYPE": "Zen"})).stdout
            self.assertEqual(out, "Haswell|flash|gone", shell)

    def test_files(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["simulated"]))
        self.assert_error(self.run_program("plan", "env", path), 3, "MXT-132", "--files DIR")
        folder = self.dir / "it's a $(folder)"
        result = self.run_program("plan", "env", path, "--files", folder.name, status=0)
        self.assertIn("simulated", result.err)
        file = folder / "collectives.csv"
        self.assertIn("\nallgather,0,1048576,ring,ll128,32,1,8\n", file.read_text())
        script = 'eval "$1" && printf %s "$NCCL_TUNER_CONFIG_FILE"'
        out = subprocess.run(["sh", "-c", script, "sh", result.out], capture_output=True, text=True, check=True).stdout
        self.assertEqual(out, str(file))

    def test_env_file_cannot_hold_everything(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["simulated"]))
        for form, status in (("env-file", 3), ("json", 3), ("sh", 0)):
            result = self.run_program("plan", "env", path, "--files", "two\nlines", "--format", form)
            self.assertEqual(result.status, status, result)
            if status:
                self.assert_error(result, 3, "MXT-133", "--format sh")

    def test_folder_that_cannot_be_made(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["simulated"]))
        self.assert_error(self.run_program("plan", "env", path, "--files", path), 1, "MXT-102")


class BadPlans(mxt.TestCase):
    """Exit status 3, the place, and what to do."""

    VERBS = ("show", "canonical", "id", "check", "env")

    def refused(self, content, error_id, *words):
        path = self.write("bad.json", content)
        for verb in self.VERBS:
            result = self.run_program("plan", verb, path)
            self.assert_error(result, 3, error_id, "bad.json", *words)
            self.assertEqual(result.out, "")

    def test_not_there(self):
        for name in ("missing.json", "missing/plan.json"):
            self.assert_error(self.run_program("plan", "show", name), 3, "MXT-180", name)
        self.assert_error(self.run_program("plan", "show", self.dir), 3, "MXT-180", "a directory")
        os.mkfifo(self.dir / "fifo")
        self.assert_error(self.run_program("plan", "show", "fifo"), 3, "MXT-180", "a FIFO")

    def test_text(self):
        good = mxt_plans.text(EXAMPLES["cpu"])
        self.refused("", "MXT-120", "empty")
        self.refused(good[:len(good) // 2], "MXT-120", "line 1, column")
        self.refused(good + "{}", "MXT-120", "line 2, column")
        self.refused(" " * (4 << 20) + good, "MXT-105", "4194304")
        self.refused(good.encode().replace(b"caf", b"\xff\xfe"), "MXT-120", "unable to decode byte 0xff")
        self.refused(good.encode("utf-16"), "MXT-120", "line 1, column 1")
        self.refused("\ufeff" + good, "MXT-120", "byte-order mark")
        self.refused("[" * 100000, "MXT-122", "line 1, column 65", "64 levels")
        self.refused('{"schema":' * 70 + "1" + "}" * 70, "MXT-122", "64 levels")
        self.refused(good.replace('"units":2', '"units":2,"units":2'), "MXT-120", "duplicate")

    def test_numbers(self):
        good = mxt_plans.text(EXAMPLES["cpu"])
        for number, error_id, words in (("2.5", "MXT-121", "decision.platform.units"),
                                        ("2e0", "MXT-121", "decision.platform.units"),
                                        ("NaN", "MXT-120", "line 1, column"),
                                        ("-Infinity", "MXT-120", "line 1, column"),
                                        ("1e400", "MXT-120", "line 1, column"),
                                        ("-0", "MXT-121", "line 1, column"),
                                        ("null", "MXT-121", "decision.platform.units"),
                                        ("9007199254740992", "MXT-121", "decision.platform.units"),
                                        ("123456789012345678901234567890", "MXT-120", "line 1, column")):
            self.refused(good.replace('"units":2', f'"units":{number}'), error_id, words)

    def test_id(self):
        good = mxt_plans.text(EXAMPLES["cpu"])
        self.refused(good.replace('"units":2', '"units":4'), "MXT-124", "plan_id", "make the plan anew")
        self.refused(good.replace(EXAMPLES["cpu"]["plan_id"], "0" * 64), "MXT-124", EXAMPLES["cpu"]["plan_id"])

    def test_schema(self):
        self.refused({}, "MXT-123", "mindxtrain autotune")
        self.refused({"architectures": ["LlamaForCausalLM"]}, "MXT-123", "this is no plan")
        self.refused(dict(EXAMPLES["cpu"], schema="mindxtrain.plan/2"), "MXT-123", "another version")
        self.refused(dict(EXAMPLES["cpu"], surprise=1), "MXT-125", "surprise: unknown key")

    def test_decision_with_a_recomputed_id(self):
        for changes, error_id, *words in (
                ({"surprise": 1}, "MXT-125", "decision.surprise: unknown key"),
                ({"platform.units": -1}, "MXT-126", "decision.platform.units: -1", "a whole number from 1 to 65535"),
                ({"platform.units": 10**15}, "MXT-126", "decision.platform.units: 1000000000000000"),
                ({"workload.model.layers": 0}, "MXT-126", "decision.workload.model.layers: 0"),
                ({"policy": None}, "MXT-126", "decision.policy: the key is missing"),
                ({"env.LD_PRELOAD": "/tmp/x.so"}, "MXT-127", "decision.env.LD_PRELOAD", "do not use this plan"),
                ({"env.PATH": "/tmp"}, "MXT-127", "decision.env.PATH"),
                ({"env.MADE_UP": "1"}, "MXT-127", "decision.env.MADE_UP", "not in the table"),
                ({"env.omp_num_threads": "1"}, "MXT-127", "did you mean OMP_NUM_THREADS?"),
                ({"unset": ["PATH"]}, "MXT-127", "decision.unset[0]"),
                ({"contract": {"LD_LIBRARY_PATH": "/x"}}, "MXT-127", "decision.contract.LD_LIBRARY_PATH"),
                ({"env.OPENBLAS_NUM_THREADS": "0"}, "MXT-128", "decision.env.OPENBLAS_NUM_THREADS: '0'",
                 "a whole number from 1 to 4096"),
                ({"env.OPENBLAS_NUM_THREADS": 1}, "MXT-128", "a string that holds a whole number"),
                ({"env.OPENBLAS_NUM_THREADS": "$(reboot)"}, "MXT-128", "decision.env.OPENBLAS_NUM_THREADS"),
                ({"env.NCCL_TUNER_CONFIG_FILE": "/etc/passwd"}, "MXT-128", "@file:NAME@"),
                ({"platform.vendor": "a\nb"}, "MXT-121", "decision.platform.vendor: the string holds a control")):
            with self.subTest(changes):
                self.refused(mxt_plans.text(mxt_plans.plan(changes)), error_id, *words)

    def test_nothing_from_the_file_reaches_the_terminal_raw(self):
        for changes in ({"\x1b[2J": 1}, {"env": {"\x1b]0;x\x07": "1"}}, {"platform.vendor": "\x1b[2J"}):
            path = self.write("bad.json", mxt_plans.text(mxt_plans.plan(changes)))
            result = self.run_program("plan", "show", path, status=3)
            self.assertNotIn("\x1b", result.err)

    def test_evidence(self):
        for change, place in (({"samples": {}}, "evidence.samples"), ({"version": 0}, "evidence.version"),
                              ({"simulated": "no"}, "evidence.simulated"), ({"choices": [1]}, "evidence.choices[0]")):
            evidence = dict(mxt_plans.EVIDENCE, **change)
            self.refused(mxt_plans.text(mxt_plans.plan(evidence=evidence)), "MXT-126", place)
        self.refused(mxt_plans.text(mxt_plans.plan(evidence=dict(mxt_plans.EVIDENCE, later=1.5))), "MXT-121",
                     "evidence.later")


class CommandLine(mxt.TestCase):
    def test_usage(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["cpu"]))
        for args, words in (([], "show, canonical"), (["sho", path], "did you mean 'show'?"), (["show"], "one file"),
                            (["show", path, path], "one file"), (["diff", path], "two files"),
                            (["show", path, "--format", "sh"], "text or post"),
                            (["id", path, "--format", "sh"], "takes no --format"),
                            (["env", path, "--format", "csv"], "env-file"),
                            (["check", path, "--for", "fun"], "train or run"),
                            (["id", path, "--jsn"], "did you mean --json?")):
            self.assert_error(self.run_program("plan", *args), 2, "MXT-110", words)

    def test_locale_changes_nothing(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["cpu"]))
        plain = self.run_program("plan", "show", path, status=0, env={"LC_ALL": "C"}).out
        for locale in ("fr_FR.UTF-8", "de_DE.UTF-8", "C.UTF-8"):
            self.assertEqual(self.run_program("plan", "show", path, status=0, env={"LC_ALL": locale}).out, plain)

    def test_full_disk(self):
        path = self.write("p.json", mxt_plans.text(EXAMPLES["cpu"]))
        with open("/dev/full", "w", encoding="utf-8") as full:
            for verb in ("show", "canonical", "id", "env"):
                self.assert_error(self.run_program("plan", verb, path, stdout=full), 1, "MXT-102", "standard output")


if __name__ == "__main__":
    mxt.main()
