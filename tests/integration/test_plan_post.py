#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain plan show --format post`: what was measured, as a post; nothing invented, nothing that was simulated."""

import copy
import json
import os
import re

import mxt
import mxt_plans
import sim_nvidia
import sim_torch

GOLDEN = mxt.SOURCE_ROOT / "tests" / "golden" / "plan"
# Made on an H200, without what the post does not show.
REAL = json.loads((mxt.FIXTURES / "plans" / "h200-qwen3-8b.json").read_text())


class TestCase(mxt.TestCase):
    def post(self, document, **how):
        path = self.write("plan.json", mxt_plans.text(document))
        return self.run_program("plan", "show", "--format", "post", path, **how)

    def changed(self, change):
        """The post of the real plan after a change to its evidence, which its id does not cover."""
        document = copy.deepcopy(REAL)
        change(document["evidence"])
        return self.post(document, status=0).out


def rows(text, title):
    """The cells of the table below a title."""
    part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


class Post(TestCase):
    def test_golden(self):
        out, path = self.post(REAL, status=0).out, GOLDEN / "h200-qwen3-8b.post"
        if os.environ.get("MXT_UPDATE_GOLDEN") == "1":
            path.write_text(out)
        self.assertEqual(path.read_text(), out, f"{path} (MXT_UPDATE_GOLDEN=1 writes it anew)")

    def test_numbers_are_those_of_the_plan(self):
        """Computed anew here: TFLOP/s, the share of 132 x 1980 MHz x 4096, the lead."""
        out = self.post(REAL, status=0).out
        medians = {(s["candidate"], s["problem"]["direction"]): s["median_ns"] for s in REAL["evidence"]["samples"]
                   if s["problem"].get("batch") == 8 and s["problem"].get("seq") == 4096}
        first, second = rows(out, "Attention")[:2]
        forward = medians["bare", "forward"]
        rate = 4 * 8 * 32 * 4096 ** 2 * 128 / 2 / forward / 1e3
        self.assertEqual(first[:5], ["(8, 4096, 32/8, 128) causal bfloat16", "`cudnn`", f"{forward / 1e6:.3f}",
                                     f"{rate:.0f} TFLOP/s", f"{rate / (132 * 1980e6 * 4096 / 1e12) * 100:.0f} %"])
        both = {name: medians[name, "forward"] + medians[name, "backward"] for name in ("bare", "flash")}
        self.assertEqual((first[8], second[8]), (f"{(both['flash'] / both['bare'] - 1) * 100:.1f} %", ""))

    def test_the_command_gives_the_workload(self):
        out = self.post(REAL, status=0).out
        command = re.search(r"^    mindxtrain autotune --model (.*) --device cuda$", out, re.MULTILINE)[1]
        shown = self.run_program("autotune", "--device", "self-test", "--print-workload", "--model", *command.split(),
                                 status=0).out
        self.assertIn("36 layers, hidden 4096, 32 heads of 128 (8 for keys and values), FFN 12288", shown)
        self.assertIn("micro-batch 8 of 4096 tokens (lengths vary), LoRA of rank 16, bfloat16, with checkpointing", shown)

    def test_a_model_without_a_preset(self):
        for change, words in ((("model", "layers", 7), "--model config.json --seq-len 4096"),
                              (("training", "nodes", 2), "--config run.yaml --device cuda"),
                              (("training", "adapter", "qlora"), "--config run.yaml --device cuda")):
            decision = copy.deepcopy(REAL["decision"])
            decision["workload"][change[0]][change[1]] = change[2]
            out = self.post(mxt_plans.seal(decision, REAL["evidence"]), status=0).out
            self.assertIn("mindxtrain autotune " + words, out)

    def test_an_amd_gpu(self):
        """Its libraries by their names, its peak from its clock; without that none is claimed."""
        decision, evidence = copy.deepcopy(REAL["decision"]), copy.deepcopy(REAL["evidence"])
        decision["platform"] = {"vendor": "amd", "arch": "gfx942", "units": 304, "memory_gib": 192}
        decision["stack"] = {"torch": "2.9.1", "hip": "7.2.53211", "hipblaslt": "1.2.70201", "rocblas": "5.2.70201"}
        evidence["devices"] = [{"ordinal": 0, "name": "AMD Instinct MI300X", "memory_bytes": 206141652992,
                                "driver": "6.16.6"}]
        self.assertIn("| peak | not known |", self.post(mxt_plans.seal(decision, evidence), status=0).out)
        evidence["devices"][0]["max_mhz"] = 2100
        out = self.post(mxt_plans.seal(decision, evidence), status=0).out
        self.assertEqual([["device", "`AMD Instinct MI300X`"], ["architecture", "`gfx942`"], ["memory", "192.0 GiB"],
                          ["driver", "`6.16.6`"], ["torch", "`2.9.1`"], ["HIP", "`7.2.53211`"],
                          ["hipBLASLt", "`1.2.70201`"], ["rocBLAS", "`5.2.70201`"], ["peak", f"{304 * 2100e6 * 2048 / 1e12:.0f} TFLOP/s in bfloat16, dense: 304 compute units at 2100 MHz"]],
                         rows(out, "Machine"))

    def test_a_host_with_amds_processor(self):
        """Its maker makes GPUs, too, but this is none."""
        decision, evidence = copy.deepcopy(REAL["decision"]), copy.deepcopy(REAL["evidence"])
        decision["platform"] = {"vendor": "amd", "arch": "x86_64-v4", "family": 26, "model": 2, "units": 2,
                                "memory_gib": 24}
        decision["stack"] = {"torch": "2.11.0"}
        evidence["devices"] = [{"name": "AMD EPYC 9654", "max_mhz": 3700}]
        out = self.post(mxt_plans.seal(decision, evidence), status=0).out
        self.assertEqual([["device", "`AMD EPYC 9654`"], ["architecture", "`x86_64-v4`"], ["memory", "not recorded"],
                          ["torch", "`2.11.0`"], ["peak", "not known"]], rows(out, "Machine"))

    def test_several_gpus(self):
        decision = copy.deepcopy(REAL["decision"])
        decision["platform"]["link"] = "nvlink"
        decision["collective"]["config"] = "nvlink"
        decision["workload"]["training"].update(gpus=8, strategy="ddp")
        out = self.post(mxt_plans.seal(decision, REAL["evidence"]), status=0).out
        self.assertIn(" --checkpointing on --gpus 8 --nodes 1 --device cuda\n", out)

    def test_locale_changes_nothing(self):
        self.assertEqual(self.post(REAL, env={"LC_ALL": "fr_FR.UTF-8"}, status=0).out, self.post(REAL, status=0).out)

    def test_standard_output_that_is_full(self):
        path = self.write("plan.json", mxt_plans.text(REAL))
        with open("/dev/full", "w") as full:
            self.run_program("plan", "show", "--format", "post", path, stdout=full, status=1)


class NotMeasured(TestCase):
    def test_no_attention(self):
        def change(evidence):
            evidence["samples"] = [s for s in evidence["samples"] if s["probe"] != "attention"]
            evidence["choices"] = [c for c in evidence["choices"] if c["probe"] != "attention"]
        out = self.changed(change)
        self.assertIn("## Attention\n\nAttention was not measured.\n\n## Matrix products", out)
        self.assertEqual(len(rows(out, "Matrix products")), 3)

    def test_nothing_at_all(self):
        out = self.changed(lambda evidence: [evidence.pop(key) for key in list(evidence) if key != "version"])
        for words in ("on `sm_90`", "| device | not recorded |", "| memory | not recorded |", "| peak | not known |",
                      "Attention was not measured.", "Matrix products were not measured."):
            self.assertIn(words, out)

    def test_a_cell(self):
        def change(evidence):
            evidence["samples"] = [s for s in evidence["samples"] if s["candidate"] != "flash"
                                   or s["problem"]["direction"] == "forward"]
        first, second = rows(self.changed(change), "Attention")[:2]
        self.assertEqual(second[5:], ["not measured", "", "", ""])
        self.assertEqual(first[8], "nothing to compare")

    def test_a_candidate_that_failed(self):
        def change(evidence):
            for sample in evidence["samples"]:
                if sample["candidate"] == "flash":
                    sample.update(status="failed", reason="killed by signal 11")
                    del sample["backend"]
        out = self.changed(change)
        self.assertEqual(rows(out, "Attention")[1][1:3], ["`flash`", "not measured"])
        self.assertEqual(out.count("- `flash` (attention): failed: `killed by signal 11`\n"), 1)

    def test_the_same_kernels_twice(self):
        """The twin's figures replace bare's only where bare has none."""
        def change(evidence):
            for sample in evidence["samples"]:
                if sample["candidate"] == "bare" and sample["probe"] == "attention":
                    sample["status"] = "timeout"
        twin = next(s for s in REAL["evidence"]["samples"] if s["candidate"] == "bare (twin)" and s["probe"] == "attention")
        self.assertEqual(rows(self.changed(change), "Attention")[0][2], f"{twin['median_ns'] / 1e6:.3f}")

    def test_a_lead_below_the_noise(self):
        def change(evidence):
            evidence["choices"][1]["floor_ppm"] = 900000
        self.assertEqual(rows(self.changed(change), "Attention")[0][8], "84.2 %, within the noise floor")

    def test_a_peak_that_is_not_known(self):
        def change(evidence):
            evidence["devices"][0]["compute_capability"] = "99.9"
        out = self.changed(change)
        self.assertIn("| peak | not known |", out)
        self.assertEqual(rows(out, "Attention")[0][4], "not known")

    def test_the_driver(self):
        self.assertIn("| driver | not recorded |", self.post(REAL, status=0).out)
        self.assertIn("| driver | `580.159.04` |",
                      self.changed(lambda evidence: evidence["devices"][0].update(driver="580.159.04")))

    def test_the_whole_plan(self):
        row = {"probe": "confirm", "incumbent": "yours", "winner": "plan", "gain_ppm": 73550, "bound_ppm": 39682,
               "blocks": 16, "rule": "not surely slower", "source": "measured"}
        self.assertIn("The whole plan: `plan` instead of `yours`; `plan` is 7.4 % faster over one layer in training "
                      "order, at least 4.0 % (measured: `not surely slower`).",
                      self.changed(lambda evidence: evidence["choices"].append(row)))


class Hostile(TestCase):
    def test_names(self):
        """Nothing from the plan is Markdown, HTML or a mention, or ends a cell."""
        name = "# [x](http://e.com) <b>|**@all** `a` \\ \u202ed"
        out = self.changed(lambda evidence: evidence["devices"][0].update(name=name))
        self.assertIn("| device | `# [x](http://e.com) <b>\\|**@all** 'a' \\ ?d` |\n", out)
        self.assertIn("# Kernels for fine-tuning on `# [x](http://e.com) <b>|**@all** 'a' \\ ?d`\n", out)

    def test_samples(self):
        """Evidence may hold anything."""
        odd = [{"op": "attention"}, {"op": "gemm", "m": -1, "n": 1, "k": 1, "dtype": "bfloat16"}, [], 7, {"op": []},
               {"op": "attention", "batch": 2 ** 40, "seq": 1, "heads": 1, "kv_heads": 1, "head_dim": 1,
                "dtype": "bfloat16", "direction": "forward"},
               {"op": "gemm", "m": 1, "n": 1, "k": 1, "dtype": "float8"}]
        def change(evidence):
            rest = dict(evidence["samples"][0])
            evidence["samples"] += [dict(rest, problem=problem) for problem in odd]
            evidence["devices"] = [*evidence["devices"], 7]
            evidence["witnesses"] = "none"
        self.assertEqual(rows(self.changed(change), "Attention"), rows(self.post(REAL, status=0).out, "Attention"))

    def test_devices(self):
        for devices in ([7], [], {}, "none", [{"name": 7, "memory_bytes": "much", "ordinal": 0}]):
            out = self.changed(lambda evidence: evidence.update(devices=devices))
            self.assertIn("| device | not recorded |", out)
            self.assertIn("| peak | not known |", out)

    def test_times_of_nothing(self):
        def change(evidence):
            for sample in evidence["samples"]:
                sample["median_ns"] = 0
        self.assertEqual(set(row[2] for row in rows(self.changed(change), "Attention")), {"not measured"})

    def test_many_samples(self):
        def change(evidence):
            evidence["samples"] *= 60
        self.assertIn(" more samples.\n", self.changed(change))

    def test_many_backends(self):
        def change(evidence):
            sample = evidence["samples"][-1]
            evidence["samples"] += [dict(sample, backend=f"b{i}", candidate=f"c{i}") for i in range(50)]
        self.assertLess(len(rows(self.changed(change), "Attention")), 40)


class Refused(TestCase):
    def test_simulated(self):
        document = mxt_plans.seal(REAL["decision"], dict(REAL["evidence"], simulated=True))
        result = self.post(document)
        self.assert_error(result, 5, "MXT-131", "simulated")
        self.assertEqual(result.out, "")

    def test_self_test(self):
        self.assert_error(self.post(mxt_plans.plan()), 5, "MXT-130", "self-test")

    def test_newer_evidence(self):
        self.assert_error(self.post(mxt_plans.seal(REAL["decision"], {"version": 2})), 3, "MXT-123", "newer")

    def test_usage(self):
        path = self.write("plan.json", mxt_plans.text(REAL))
        for args in (["--format", "html"], ["--format", "sh"], ["--format", "post", "--json"]):
            self.assert_error(self.run_program("plan", "show", path, *args), 2, "MXT-110")
        self.assertEqual(self.run_program("plan", "show", "--format", "text", path, status=0).out,
                         self.run_program("plan", "show", path, status=0).out)


class Example(TestCase):
    def test_shapes(self):
        """The model of examples/ gives the table of a model without grouped heads, on a GPU at its real shapes."""
        torch = sim_torch.Environment(self.dir / "env")
        env = {**sim_nvidia.install(self.dir, sim_nvidia.machine([sim_nvidia.h200(0)])), **torch.scenario()}
        out = self.run_program("autotune", "--model", mxt.SOURCE_ROOT / "examples" / "llama-7b", "--seq-len", "4096",
                               "--micro-batch", "8", "--device", "cuda", "--python", torch.folder, "--print-workload",
                               env=env, status=0).out
        shapes = set(re.findall(r"attention (b\d+ s\d+ h\d+/\d+ d\d+) causal mask bfloat16", out))
        self.assertEqual(shapes, {"b8 s4096 h32/32 d128", "b8 s2048 h32/32 d128", "b1 s4096 h32/32 d128",
                                  "b1 s8192 h32/32 d128"})


if __name__ == "__main__":
    mxt.main()
