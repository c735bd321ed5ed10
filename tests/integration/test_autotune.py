# SPDX-License-Identifier: Apache-2.0
"""From a model to a plan on the simulated device: what is chosen, what is said about it, what stays equal."""

import json
import re

import autotune
import mxt


class Choosing(autotune.TestCase):
    def test_clear_winners_ship(self):
        self.simulate("clear_winner")
        plan = self.plan()
        decision = plan["decision"]
        self.assertEqual(decision["attention"]["backend"], "flash")
        self.assertEqual(decision["gemm"]["library"], "blis")
        self.assertEqual(decision["env"], {"MINDXTRAIN_CPU_ATTENTION": "flash", "MINDXTRAIN_CPU_BLAS": "blis"})
        self.assertIn("OPENBLAS_NUM_THREADS", decision["unset"])
        self.assertTrue(plan["evidence"]["simulated"])
        gemm = self.choice(plan, "gemm")
        self.assertEqual((gemm["winner"], gemm["incumbent"], gemm["source"]), ("blas=blis", "bare", "measured"))
        self.assertAlmostEqual(gemm["gain_ppm"], 200_000, delta=10_000)
        self.assertLess(gemm["bound_ppm"], gemm["gain_ppm"])
        self.assertEqual(self.choice(plan, "confirm")["winner"], "plan")

    def test_no_true_gain_keeps_bare(self):
        for scenario in ("calm", "small_gain", "all_slower", "no_candidates"):
            with self.subTest(scenario):
                self.simulate(scenario)
                plan = self.plan()
                self.assertNotIn("env", plan["decision"])
                self.assertEqual(self.choice(plan, "gemm")["winner"], "bare")

    def test_only_what_wins_is_changed(self):
        self.simulate("one_winner")
        self.assertEqual(self.plan()["decision"]["env"], {"MINDXTRAIN_CPU_BLAS": "blis"})
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "math")

    def test_a_floor_above_the_margin_is_unresolved(self):
        self.simulate("unsteady_processes", "--seed", 4)
        plan = self.plan()
        rows = [self.choice(plan, probe) for probe in ("gemm", "attention")]
        for row in rows:
            if row["floor_ppm"] > 30_000:
                self.assertEqual(row["winner"], "bare", row)
        self.assertTrue(any(row["floor_ppm"] > 30_000 and row["source"] == "unresolved" for row in rows), rows)

    def test_drift_crowns_nobody_but_the_faster(self):
        self.simulate("drift")
        self.assertEqual(self.plan()["decision"]["env"], {"MINDXTRAIN_CPU_ATTENTION": "flash"})

    def test_what_cannot_run_is_listed(self):
        self.simulate("skipped")
        skipped = self.plan()["evidence"]["budget"]["skipped"]
        self.assertTrue(skipped and all(": " in text for text in skipped), skipped)

    def test_margin_is_the_users(self):
        self.simulate("one_winner", "--margin", 15)
        self.assertNotIn("env", self.plan()["decision"])

    def test_a_stage_takes_from_the_next_rather_than_try_nothing(self):
        """Preparing takes so long that the products' share of the budget is over before anybody but the incumbents is
        prepared; attention needs next to nothing."""
        scenario = json.loads((autotune.SCENARIOS / "one_winner.json").read_text())
        scenario["bare"]["gemm"]["faults"] = [{"fault": "slow", "at": "prepare", "ms": 1400}]
        self.simulate(self.write("slow.json", scenario), budget=12)
        self.assertEqual(self.choice(self.plan(), "gemm")["winner"], "blas=blis")


class Yours(autotune.TestCase):
    """The caller's own selectors race, as what the job would do today."""

    def test_slower_selectors_are_replaced(self):
        self.simulate("clear_winner", env={"OPENBLAS_NUM_THREADS": "1"})
        plan = self.plan()
        self.assertEqual(self.choice(plan, "gemm")["incumbent"], "yours")
        self.assertEqual(plan["decision"]["env"]["MINDXTRAIN_CPU_BLAS"], "blis")
        self.assertNotIn("OPENBLAS_NUM_THREADS", plan["decision"]["env"])

    def test_faster_selectors_stay(self):
        self.simulate("clear_winner", env={"MINDXTRAIN_CPU_BLAS": "blis"})
        plan = self.plan()
        self.assertEqual(plan["decision"]["env"]["MINDXTRAIN_CPU_BLAS"], "blis")
        self.assertEqual(plan["decision"]["gemm"]["library"], "blis")

    def test_selectors_of_other_stacks_are_no_candidate(self):
        self.simulate("clear_winner", env={"NCCL_ALGO": "Ring"})
        self.assertEqual(self.choice(self.plan(), "gemm")["incumbent"], "bare")

    def test_a_value_that_no_plan_can_keep_is_refused_at_once(self):
        result = self.simulate("clear_winner", env={"OPENBLAS_NUM_THREADS": "many"}, status=3)
        self.assert_error(result, 3, "MXT-128", "OPENBLAS_NUM_THREADS", "unset")


class Identity(autotune.TestCase):
    def test_equal_decisions_have_equal_ids(self):
        ids = set()
        for run in range(4):
            self.simulate("clear_winner", "--out", f"{run}.json")
            ids.add(self.plan(f"{run}.json")["plan_id"])
        self.assertEqual(len(ids), 1)

    def test_a_seed_repeats_the_orders(self):
        self.simulate("clear_winner", "--seed", 7)
        self.assertEqual(self.plan()["evidence"]["seed"], "0x0000000000000007")

    def test_a_drawn_seed_can_be_given(self):
        shown = self.simulate("clear_winner").out.splitlines()[1]
        seed = re.search(r"seed (\d+)", shown)[1]
        self.assertIn(f"seed {seed} ", self.simulate("clear_winner", "--seed", seed).out)

    def test_one_model_however_it_is_given(self):
        self.simulate("calm", "--seq-len", 2048, "--micro-batch", 2, model="qwen3-8b")
        preset = self.plan()["plan_id"]
        config = {"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32,
                  "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288, "vocab_size": 151936,
                  "tie_word_embeddings": False, "torch_dtype": "bfloat16", "rms_norm_eps": 1e-06}
        path = self.write("model/config.json", config)
        self.simulate("calm", "--seq-len", 2048, "--micro-batch", 2, model=path)
        self.assertEqual(self.plan()["plan_id"], preset)


class NotModelled(autotune.TestCase):
    """Attention with capped scores is not modelled: it is left alone, the rest is tuned."""

    CONFIG = {"model_type": "gemma2", "hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8,
              "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216, "vocab_size": 256000,
              "attn_logit_softcapping": 50.0}

    def test_the_rest_is_tuned_and_can_be_confirmed(self):
        model = self.write("model/config.json", self.CONFIG)
        self.simulate("clear_winner", model=model)
        plan = self.plan()
        self.assertEqual(plan["decision"]["env"], {"MINDXTRAIN_CPU_BLAS": "blis"})
        attention = self.choice(plan, "attention")
        self.assertEqual((attention["source"], attention["winner"]), ("unresolved", "bare"))
        self.simulate("clear_winner", "--against", "plan.json", "--out", "second.json", model=model)
        self.assertEqual(self.plan("second.json")["plan_id"], plan["plan_id"])


class Against(autotune.TestCase):
    def test_a_plan_that_holds_keeps_its_id(self):
        self.simulate("clear_winner")
        first = self.plan()
        self.simulate("clear_winner", "--against", "plan.json", "--out", "second.json")
        second = self.plan("second.json")
        self.assertEqual(second["plan_id"], first["plan_id"])
        self.assertEqual(second["decision"], first["decision"])
        self.assertEqual({row["probe"] for row in second["evidence"]["choices"]}, {"gemm", "attention", "confirm"})

    def test_a_plan_that_is_slower_here_disagrees(self):
        self.simulate("clear_winner")
        here = json.loads((autotune.SCENARIOS / "clear_winner.json").read_text())
        here["candidates"][1]["factor"] = 1.3
        path = self.write("slower.json", here)
        result = self.simulate(path, "--against", "plan.json", "--out", "second.json", status=7)
        self.assert_error(result, 7, "MXT-245", "gemm")
        self.assertNotIn("attention:", result.err)
        self.assertEqual(self.plan("second.json")["plan_id"], self.plan()["plan_id"])

    def test_another_workload_is_refused(self):
        self.simulate("calm")
        result = self.simulate("calm", "--against", "plan.json", "--lora-rank", 64, "--out", "second.json", status=5)
        self.assert_error(result, 5, "MXT-129", "lora_rank")
        self.assertFalse((self.dir / "second.json").exists())

    def test_a_broken_plan_is_refused(self):
        self.write("broken.json", "{}")
        self.simulate("calm", "--against", "broken.json", status=3)


class Output(autotune.TestCase):
    def test_json_lines(self):
        events = self.simulate("clear_winner", "--json").events()
        self.assertTrue(all(event["v"] == 1 for event in events))
        kinds = [event["event"] for event in events]
        self.assertEqual((kinds[0], kinds[-1]), ("run", "plan"))
        self.assertLess(kinds.index("problem"), kinds.index("choice"))
        self.assertEqual(events[-1]["plan_id"], self.plan()["plan_id"])

    def test_every_line_with_a_time_says_simulated(self):
        out = self.simulate("clear_winner").out
        for line in out.splitlines():
            if " ms" in line or " us" in line or "%" in line:
                self.assertIn("simulated", line)

    def test_print_workload_runs_nothing(self):
        result = self.simulate("calm", "--print-workload")
        self.assertIn("gemm", result.out)
        self.assertIn("\nattention today: ", result.out)
        self.assertFalse((self.dir / "plan.json").exists())


class Refusals(autotune.TestCase):
    def test_usage(self):
        for args, word in (((), "--model"), (("--model", "qwen3-8b", "--budget", "0"), "--budget"),
                           (("--model", "qwen3-8b", "--budget", "1e3"), "--budget"),
                           (("--model", "qwen3-8b", "--packing", "yes"), "--packing"),
                           (("--model", "qwen3-8b", "--devise", "cpu"), "--device"),
                           (("--model", "qwen3-8b", "--device", "tpu"), "tpu"),
                           (("--model", "qwen3-8b", "--out", "-"), "--out"),
                           (("--model", "qwen3-8b", "extra"), "extra")):
            with self.subTest(args):
                self.assert_error(self.run_program("autotune", *args), 2, "MXT-110", word)

    def test_more_than_one_gpu(self):
        self.assert_error(self.simulate("calm", "--gpus", 8, status=4), 4, "MXT-246", "8 GPUs")

    def test_a_scenario_that_is_no_file(self):
        for path in ("/nowhere/scenario.json", "/dev/zero"):
            self.assert_error(self.simulate(path, status=3), 3, "MXT-180", path)

    def test_a_budget_for_less_than_a_round(self):
        result = self.simulate("real_time", budget=1, status=6, model="qwen3-32b")
        self.assert_error(result, 6, "MXT-240", "--budget")
        self.assertFalse((self.dir / "plan.json").exists())


class Processes(autotune.TestCase):
    def scenario(self, seed):
        noise = {"sigma": 0.002, "process_sigma": 0.02}
        return self.write("processes.json", {"seed": seed, "bare": {"attention": {"noise": noise}, "gemm": {"noise": noise}}})

    def test_two_processes_are_no_two_plans(self):
        """Bare beside a plan that changes nothing: what two processes of one kind differ by is no objection to it."""
        self.simulate(self.scenario(1), "--out", "first.json")
        for seed in range(2, 8):
            self.simulate(self.scenario(seed), "--against", self.dir / "first.json")
            self.assertEqual(self.plan()["plan_id"], self.plan("first.json")["plan_id"])


if __name__ == "__main__":
    mxt.main()
