#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heuristic check, on the stand-ins of torch, CUDA and cuBLASLt: what is found, and what goes wrong."""

import json

import mxt
import sim_nvidia
import sim_torch

SELECTORS = ("CUBLASLT_WORKSPACE_SIZE", "CUBLAS_WORKSPACE_CONFIG", "DISABLE_ADDMM_CUDA_LT", "TORCH_BLAS_PREFER_CUBLASLT",
             "TORCH_CUBLASLT_UNIFIED_WORKSPACE", "TORCH_CUDNN_SDPA_DEPRIORITIZED", "PYTORCH_TUNABLEOP_ENABLED")
MODEL = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "vocab_size": 128,
    "max_position_embeddings": 512, "torch_dtype": "bfloat16", "tie_word_embeddings": False, "rms_norm_eps": 1e-06,
    "hidden_act": "silu",
}
# Every call takes about as long, and launches are single calls: little is computed.
MM = {"fixed_ns": 1.3e6, "flops_per_s": 1e16}
ATTENTION = {"forward": {"fixed_ns": 1.5e6, "flops_per_s": 1e16}, "backward": {"fixed_ns": 3e6, "flops_per_s": 1e16}}
SCENARIO = {
    "seed": 1, "noise": {"sigma": 0.002}, "device": {"l2_bytes": 65536}, "mm": {"cublas": MM, "cublaslt": MM},
    "attention": {"cudnn": ATTENTION, "flash": ATTENTION},
}


class Heuristic(mxt.TestCase):
    def autotune(self, *args, model=None, budget=60, env=None, **scenario):
        torch = sim_torch.Environment(self.dir / "env")
        card = sim_nvidia.h200(0, l2_bytes=65536)
        variables = {name: None for name in SELECTORS}
        variables.update(sim_nvidia.install(self.dir, sim_nvidia.machine([card])))
        variables.update(torch.scenario(**{**SCENARIO, **scenario}))
        variables.update(env or {})
        config = self.write("config.json", json.dumps(model or MODEL))
        return self.run_program("autotune", "--device", "cuda", "--python", torch.python, "--model", config,
                                "--seq-len", 32, "--micro-batch", 1, "--lora-rank", 4, "--budget", budget, "--out",
                                self.dir / "plan.json", *args, env=variables)

    def evidence(self):
        return json.loads((self.dir / "plan.json").read_text())["evidence"]

    def heuristic(self):
        return self.evidence()["heuristic"]

    def test_a_faster_algorithm_is_found(self):
        result = self.autotune(algorithms={"factors": [1, 1.02, 0.97, 1.1], "workspace_bytes": 1 << 20})
        found = self.heuristic()
        self.assertEqual(found["library"], "cuBLASLt 13.1.0")
        self.assertEqual(found["ranked"], found["products"])
        self.assertEqual(found["ranked"], len(found["samples"]))
        self.assertEqual(found["share_ppm"], 1000000)
        self.assertTrue(28000 < found["gain_ppm"] < 32000, found["gain_ppm"])
        self.assertLess(found["floor_ppm"], 3000)
        for row in found["samples"]:
            self.assertEqual(row["algorithms"], 4)
            self.assertTrue(25000 < row["gain_ppm"] < 35000, row)
            self.assertLess(row["best_ns"], row["default_ns"])
        count = found["ranked"]
        figure = r"\d\.\d %"
        self.assertRegex(result.out, rf"(?m)^heuristic check: {count} of {count} products \(100\.0 % of GEMM time\): the "
                         rf"first choice is {figure} from the best found \(noise {figure}\); cuBLASLt 13\.1\.0 \[simulated\]$")
        self.assertEqual(self.evidence()["health"], [])
        shown = self.run_program("plan", "show", self.dir / "plan.json").out
        self.assertRegex(shown, rf"\n  heuristic   {count} of {count} products, 100\.0 % of their time: the first choice is "
                         rf"{figure} from the best found, noise {figure} simulated\n +cuBLASLt 13\.1\.0\n")

    def test_products_with_a_bias(self):
        model = {**MODEL, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
        self.autotune(model=model, algorithms={"factors": [1, 0.9], "workspace_bytes": 0})
        rows = self.heuristic()["samples"]
        self.assertTrue(any(row["problem"].get("bias") for row in rows))
        for row in rows:
            self.assertGreater(row["gain_ppm"], 90000, row)

    def test_equal_algorithms_gain_nothing(self):
        self.autotune(noise={"sigma": 0.02}, algorithms={"factors": [1] * 8, "workspace_bytes": 0})
        self.assertLess(abs(self.heuristic()["gain_ppm"]), 6000)

    def test_the_workspace_is_torchs(self):
        needs = {"factors": [1, 0.9], "workspace_bytes": 32 << 20}
        self.autotune(algorithms=needs)
        self.assertGreater(self.heuristic()["gain_ppm"], 90000)
        self.autotune(algorithms=needs, env={"CUBLAS_WORKSPACE_CONFIG": ":16:8"})
        self.assertEqual(self.heuristic()["gain_ppm"], 0)
        self.assertEqual({row["algorithms"] for row in self.heuristic()["samples"]}, {1})

    def test_what_computes_wrong_is_not_the_best(self):
        for kind in ("wrong", "nan"):
            self.autotune(algorithms={"factors": [1, 0.5, 0.9], "workspace_bytes": 0},
                          faults=[sim_torch.fault("cublaslt.matmul.1", kind)])
            for row in self.heuristic()["samples"]:
                self.assertEqual(row["algorithms"], 2)
                self.assertTrue(90000 < row["gain_ppm"] < 110000, row)

    def test_what_refuses_is_left_out(self):
        self.autotune(algorithms={"factors": [1, 0.5, 0.9], "workspace_bytes": 0},
                      faults=[sim_torch.fault("cublaslt.matmul.1", "error", code=14)])
        self.assertEqual({row["algorithms"] for row in self.heuristic()["samples"]}, {2})

    def test_no_ranking_for_a_product(self):
        self.autotune(faults=[sim_torch.fault("cublaslt.heuristic", "error", code=15, times=2)])
        found = self.heuristic()
        self.assertEqual(found["products"] - found["ranked"], 2)
        self.assertLess(found["share_ppm"], 1000000)
        skipped = [text for text in self.evidence()["budget"]["skipped"] if text.startswith("heuristic check of gemm ")]
        self.assertEqual(len(skipped), 2)
        self.assertIn("cuBLASLt cannot rank algorithms for this product: CUBLAS_STATUS_NOT_SUPPORTED (15)", skipped[0])

    def test_failures_fail_nothing_else(self):
        for fault, reason in ((sim_torch.fault("cublaslt.heuristic", "crash", after=3), "killed by signal 11"),
                              (sim_torch.fault("cublaslt.heuristic", "hang", after=3), "timeout: no answer within"),
                              (sim_torch.fault("cublaslt.matmul", "illegal_address", after=3), "failed: ")):
            with self.subTest(fault=fault):
                self.autotune(faults=[fault])
                evidence = self.evidence()
                self.assertEqual(len(evidence["health"]), 1, evidence["health"])
                self.assertIn("heuristic check of gemm ", evidence["health"][0])
                self.assertIn(reason, evidence["health"][0])
                self.assertEqual({row["source"] for row in evidence["choices"] if row["probe"] == "gemm"}, {"measured"})
                self.assertEqual("heuristic" in evidence, fault["at"] == "cublaslt.heuristic")

    def test_json(self):
        result = self.autotune("--json")
        rows = [event for event in result.events() if event["event"] == "heuristic"]
        self.assertEqual(len(rows), 1)
        found = self.heuristic()
        for key in ("library", "products", "ranked", "share_ppm", "gain_ppm", "floor_ppm"):
            self.assertEqual(rows[0][key], found[key])
        self.assertIs(rows[0]["simulated"], True)

    def test_a_small_budget_has_no_time_for_it(self):
        self.autotune(budget=2)
        evidence = self.evidence()
        self.assertNotIn("heuristic", evidence)
        self.assertIn("heuristic check: no time for it within the budget", evidence["budget"]["skipped"])


if __name__ == "__main__":
    mxt.main()
