# SPDX-License-Identifier: Apache-2.0
"""The worker in Python: its codec against the program's, its answers on a real torch, and a race against it."""

import json
import socket
import struct

import mxt
import real_python
import worker_peer
from worker_peer import wire

STAND_INS = mxt.SOURCE_ROOT / "tests" / "sim" / "python"
A, G = wire.Attention, wire.Gemm
PROBLEMS = (
    A(2, 64, 8, 2, 64, dtype="bfloat16"),
    A(1, 96, 8, 2, 64, dtype="bfloat16", backward=True, documents=(40, 16, 40)),
    A(2, 64, 4, 4, 80, dtype="float32", masked=True, backward=True),
    A(1, 64, 4, 2, 64, dtype="float16", window=16, backward=True),
    A(1, 50, 4, 4, 16, causal=False),
    G(64, 96, 128, 128, 96, 96, dtype="bfloat16"),
    G(64, 96, 128, 64, 128, 100, trans_a=True, trans_b=True, accumulate=True),
    G(64, 96, 128, 128, 96, 96, bias=True, dtype="float16"),
    G(64, 96, 128, 128, 96, 96, batch=5),
    A(2, 64, 4, 4, 80, dtype="bfloat16", masked=True, repeated=True, backward=True),
)
SMALL = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 128,
         "intermediate_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64,
         "num_hidden_layers": 2, "vocab_size": 512, "hidden_act": "silu", "torch_dtype": "bfloat16"}


class Codec(mxt.TestCase):
    """Without torch: what this module's own encoder and decoder say, and what the program's say to it."""

    def round_trip(self, message):
        self.assertEqual(wire.decode(wire.encode(message, 9)), (message, 9))

    def test_every_message_comes_back(self):
        for problem in PROBLEMS:
            self.round_trip(wire.Prepare(3, problem, 5, 250000))
        for message in (wire.Time(1, 2, [(0, 0), (wire.FILLER, 1 << 40)]), wire.Quit(), wire.Rank(1, 2),
                        wire.Hello(77), wire.Facts(b"{}"), wire.Timed(5, 6, 7), wire.Refused(2, "why é"),
                        wire.Prepared(255, 1, wire.UNKNOWN_ERROR, 3, bytes(range(32)), "fa2", True)):
            self.round_trip(message)

    def test_what_is_not_exact_is_refused(self):
        packet = wire.encode(wire.Prepare(3, PROBLEMS[1]))
        for broken in (b"", packet[:15], packet[:-1], packet + b"\0", b"x" + packet[1:],
                       packet[:4] + struct.pack("<H", 1) + packet[6:],
                       packet[:6] + struct.pack("<H", 99) + packet[8:]):
            with self.assertRaises(wire.WireError):
                wire.decode(broken)

    def test_values_out_of_range_are_refused(self):
        for problem in (A(0, 1, 1, 1, 1), A(1, 8, 3, 2, 4), A(1, 8, 4, 2, 4, repeated=True), A(1, 8, 1, 1, 4, documents=(3, 3)),
                        A(2, 8, 1, 1, 4, documents=(8,)), G(4, 4, 4, 3, 4, 4), G(4, 4, 4, 4, 4, 4, batch=-1)):
            with self.assertRaises(wire.WireError):
                wire.decode(wire.encode(wire.Prepare(0, problem)))
        with self.assertRaises(wire.WireError):
            wire.encode(wire.Facts(b"x" * wire.MESSAGE_MAX_BYTES))
        with self.assertRaises(wire.WireError):
            wire.encode(wire.Timed(-1, 1, 1))

    def test_long_reasons_are_cut_between_characters(self):
        message, _ = wire.decode(wire.encode(wire.Refused(1, "é" * 3000)))
        self.assertEqual(message.text, "é" * 1024)

    def test_the_programs_worker_understands_it(self):
        scenario = mxt.FIXTURES / "scenarios" / "calm.json"
        with worker_peer.start([mxt.PROGRAM, "worker", "--device", "fake"],
                               {"MINDXTRAIN_FAKE_SCENARIO": str(scenario)}) as peer:
            self.assertIsInstance(peer.hello(), dict)
            for number, problem in enumerate(PROBLEMS):
                answer = peer.ask(wire.Prepare(number, problem))
                self.assertIsInstance(answer, (wire.Prepared, wire.Refused))
            self.assertIsInstance(peer.ask(wire.Prepare(0, PROBLEMS[5])), wire.Prepared)
            timed = peer.ask(wire.Time(1000, 1000, [(0, 0), (wire.FILLER, 4096)]))
            self.assertGreater(timed.ns, 0)
            self.assertIsInstance(peer.ask(wire.Time(0, 0, [(200, 0)])), wire.Refused)

    def test_nobody_there_ends_it(self):
        """Its socket closed before it said a word: no traceback of a broken pipe, an exit."""
        with worker_peer.start([mxt.PROGRAM, "worker", "--device", "fake"]) as peer:
            peer.channel.shutdown(socket.SHUT_RDWR)
            self.assertIsNotNone(peer.process.wait(60))


class RealTorch(mxt.TestCase):
    def prepare_all(self, peer, problems=PROBLEMS):
        return [peer.ask(wire.Prepare(number, problem)) for number, problem in enumerate(problems)]

    def expect_right(self, answers):
        for problem, answer in zip(PROBLEMS, answers):
            with self.subTest(problem):
                self.assertIsInstance(answer, wire.Prepared)
                self.assertLessEqual(answer.error_ppb, answer.bound_ppb)
                self.assertGreater(answer.first_call_ns, 0)

    def test_sdpa_is_right_on_every_kind_of_problem(self):
        with worker_peer.start_python(real_python.require(), "sdpa", "--probe", "layer", "--switch", "OMP_NUM_THREADS",
                                      env={"OMP_NUM_THREADS": "1"}) as peer:
            facts = peer.hello()
            self.assertEqual(facts["provider"], "sdpa")
            self.assertEqual(facts["switches"], {"OMP_NUM_THREADS": "1"})
            answers = self.prepare_all(peer)
            self.expect_right(answers)
            self.assertEqual(answers[0].backend, "flash")
            steps = [(number, 0) for number in range(len(PROBLEMS))] + [(wire.FILLER, 1 << 16)]
            timed = peer.ask(wire.Time(1000000, 1000000, steps))
            self.assertGreater(timed.ns, 0)
            self.assertGreaterEqual(timed.samples, 1)
            self.assertEqual(peer.ask(wire.Rank(5, 1000)).outcome, wire.UNSUPPORTED)
            self.assertEqual(peer.ask(wire.Time(0, 0, [(99, 0)])).outcome, wire.FAILED)
            again = peer.ask(wire.Prepare(0, PROBLEMS[0]))
            self.assertEqual(again.bits, answers[0].bits)
            peer.channel.send(wire.encode(wire.Quit()))
            self.assertEqual(peer.process.wait(60), 0)

    def test_eager_is_right_and_repeats(self):
        with worker_peer.start_python(real_python.require(), "eager", "--deterministic",
                                      env={"OMP_NUM_THREADS": "1"}) as peer:
            self.assertIsInstance(peer.hello(), dict)
            answers = self.prepare_all(peer)
            self.expect_right(answers)
            self.assertTrue(all(answer.repeatable for answer in answers))
            self.assertEqual(answers[0].backend, "eager")

    def test_stand_ins_are_right_and_say_so(self):
        for provider in ("fa2", "xformers"):
            with self.subTest(provider), worker_peer.start_python(
                    real_python.require(), provider,
                    env={"OMP_NUM_THREADS": "1", "PYTHONPATH": str(STAND_INS)}) as peer:
                facts = peer.hello()
                self.assertIs(facts["stand_in"], True)
                self.assertTrue(facts["package"].endswith(" 0+standin"))
                answers = self.prepare_all(peer)
                self.expect_right([answers[0], answers[1]])
                self.assertEqual(answers[0].backend, provider)
                self.assertEqual(answers[2].outcome, wire.UNSUPPORTED)  # the mask
                self.assertIn("mask", answers[2].text)
                self.assertIsInstance(answers[5], wire.Prepared)  # products do not depend on it

    def test_what_is_not_there_is_unsupported(self):
        python = real_python.require()
        for provider, word in (("aiter", "aiter"), ("fa3", "flash_attn_interface"), ("nothing", "nothing")):
            with self.subTest(provider), worker_peer.start_python(python, provider) as peer:
                refusal = peer.hello()
                self.assertEqual(refusal.outcome, wire.UNSUPPORTED)
                self.assertIn(word, refusal.text)
                self.assertEqual(peer.process.wait(60), 0)

    def test_another_torch_than_the_one_that_was_found_is_refused(self):
        with worker_peer.start_python(real_python.require(), "sdpa", "--torch", self.dir) as peer:
            refusal = peer.hello()
            self.assertEqual(refusal.outcome, wire.UNSUPPORTED)
            self.assertIn(str(self.dir), refusal.text)


class Race(mxt.TestCase):
    def tune(self, *args, env=None, status=0):
        (self.dir / "config.json").write_text(json.dumps(SMALL))
        variables = {"PYTHONPATH": str(STAND_INS), **(env or {})}
        self.run_program("autotune", "--device", "cpu", "--python", real_python.require(), "--model",
                         self.dir / "config.json", "--seq-len", 32, "--micro-batch", 1, "--lora-rank", 4,
                         "--budget", 240, *args, status=status, env=variables, timeout=300)
        return json.loads((self.dir / "plan.json").read_text())

    def rows(self, plan, candidate):
        return [row for row in plan["evidence"]["samples"]
                if row["probe"] == "attention" and row["candidate"] == candidate]

    def test_stand_ins_race_and_the_plan_says_simulated(self):
        plan = self.tune()
        self.assertTrue(plan["evidence"]["simulated"])
        for candidate in ("bare", "fa2", "xformers"):
            self.assertTrue(self.rows(plan, candidate), candidate)
        witnesses = json.dumps(plan["evidence"]["witnesses"])
        self.assertIn("flash_attn 0+standin", witnesses)
        self.assertIn('"sdpa"', witnesses)  # bare computes in Python, too

    def test_a_broken_package_costs_nothing_but_itself(self):
        plan = self.tune(env={"MXT_SIM_FLASH_ATTN": "broken"})
        rows = self.rows(plan, "fa2")
        self.assertTrue(all(row["status"] == "unsupported" for row in rows))
        self.assertIn("libcudart.so.99", json.dumps(rows))
        self.assertTrue(any(row["status"] == "ok" for row in self.rows(plan, "bare")))


if __name__ == "__main__":
    mxt.main()
