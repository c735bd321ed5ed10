# SPDX-License-Identifier: Apache-2.0
"""What a package can do to a worker in Python: none of it costs more than its candidate."""

import json

import mxt
import real_python
import worker_peer
from worker_peer import wire

STAND_INS = mxt.SOURCE_ROOT / "tests" / "sim" / "python"
PROBLEM = wire.Attention(1, 64, 4, 2, 64, dtype="bfloat16")
PRODUCT = wire.Gemm(32, 32, 32, 32, 32, 32)
SMALL = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 128,
         "intermediate_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64,
         "num_hidden_layers": 2, "vocab_size": 512, "hidden_act": "silu", "torch_dtype": "bfloat16"}


class Worker(mxt.TestCase):
    def start(self, fault):
        return worker_peer.start_python(real_python.require(), "fa2", env={
            "OMP_NUM_THREADS": "1", "PYTHONPATH": str(STAND_INS), "MXT_SIM_FLASH_ATTN": fault})

    def test_import_that_exits(self):
        with self.start("exit") as peer:
            refusal = peer.hello()
            self.assertEqual(refusal.outcome, wire.UNSUPPORTED)
            self.assertIn("ends the process", refusal.text)

    def test_import_that_ends_the_process_at_once(self):
        with self.start("abort") as peer:
            self.assertIsNone(peer.receive())
            self.assertEqual(peer.process.wait(60), 3)

    def test_call_that_raises_fails_and_the_worker_lives(self):
        with self.start("raise") as peer:
            peer.hello()
            answer = peer.ask(wire.Prepare(0, PROBLEM))
            self.assertEqual(answer.outcome, wire.FAILED)
            self.assertIn("the kernel of the stand-in fails", answer.text)
            self.assertIsInstance(peer.ask(wire.Prepare(1, PRODUCT)), wire.Prepared)

    def test_wrong_results_are_told(self):
        with self.start("wrong") as peer:
            peer.hello()
            answer = peer.ask(wire.Prepare(0, PROBLEM))
            self.assertGreater(answer.error_ppb, answer.bound_ppb)

    def test_printing_breaks_nothing(self):
        with self.start("print") as peer:
            peer.hello()
            answer = peer.ask(wire.Prepare(0, PROBLEM))
            self.assertLessEqual(answer.error_ppb, answer.bound_ppb)

    def test_a_package_cannot_stop_the_workers_clock(self):
        with self.start("lie") as peer:
            peer.hello()
            answer = peer.ask(wire.Prepare(0, PROBLEM))
            self.assertGreater(answer.first_call_ns, 0)
            self.assertGreater(peer.ask(wire.Time(1000, 1000, [(0, 0)])).ns, 0)

    def test_nonsense_from_the_supervisor_ends_it(self):
        with self.start("") as peer:
            peer.hello()
            peer.channel.send(b"nonsense")
            self.assertIsNone(peer.receive())
            self.assertEqual(peer.process.wait(60), 65)


class Race(mxt.TestCase):
    """Through the whole program: the plan is made, and names what happened."""

    def tune(self, fault, *options, budget=200):
        (self.dir / "config.json").write_text(json.dumps(SMALL))
        self.run_program("autotune", "--device", "cpu", "--python", real_python.require(), "--model",
                         self.dir / "config.json", "--seq-len", 32, "--micro-batch", 1, "--lora-rank", 4, *options,
                         "--budget", budget, status=0, timeout=300, env={
                             "PYTHONPATH": str(STAND_INS), "MXT_SIM_FLASH_ATTN": fault})
        return json.loads((self.dir / "plan.json").read_text())

    def rows(self, plan):
        return [row for row in plan["evidence"]["samples"]
                if row["probe"] == "attention" and row["candidate"] == "fa2"]

    def test_killed_in_a_call(self):
        plan = self.tune("kill,print")
        rows = self.rows(plan)
        self.assertTrue(rows)
        self.assertTrue(all(row["status"] == "failed" for row in rows))
        self.assertIn("signal 9", json.dumps(rows))

    def test_what_the_config_asks_for_never_starts(self):
        """Then nobody knows what the job would do: nothing is planned, and no difference is claimed."""
        config = self.write("run.yaml", "base_model: m\nflash_attention: true\npad_to_sequence_len: true\n")
        plan = self.tune("abort", "--config", config, budget=80)
        choice = next(row for row in plan["evidence"]["choices"] if row["probe"] == "attention")
        self.assertEqual(choice["source"], "unresolved")
        self.assertIn("did not start here", choice["rule"])
        self.assertNotIn("attention", plan["decision"])

    def test_hung_at_import(self):
        plan = self.tune("hang", budget=150)
        rows = self.rows(plan)
        self.assertTrue(all(row["status"] in ("timeout", "failed") for row in rows))


if __name__ == "__main__":
    mxt.main()
