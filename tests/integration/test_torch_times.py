#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single problems on a CUDA torch of stand-ins, through the program that bench/fidelity.py asks: masks, packed
documents and batches reach every attention backend and library as torch takes them, and are right."""

import json
import os
import pathlib
import subprocess

import mxt
import sim_cuda
from sim_cuda import both

PROGRAM = pathlib.Path(os.environ["MXT_BUILD_ROOT"]) / "bench" / "torch_times"


class TorchTimes(sim_cuda.TestCase):
    def ask(self, *requests, options=(), env=None, **scenario):
        """The answers; a request that fails is one with an error."""
        variables = {**os.environ, **self.variables(scenario), **(env or {})}
        variables = {name: str(value) for name, value in variables.items() if value is not None}
        done = subprocess.run([PROGRAM, "cuda", self.torch.torch, *options], input="\n".join(requests) + "\n",
                              text=True, env=variables, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()[1:]]

    def right(self, answers, backend=None):
        for answer in answers:
            self.assertNotIn("error", answer)
            self.assertLessEqual(answer["error_ppb"], answer["bound_ppb"])
            if backend:
                self.assertEqual(answer["backend"], backend)

    def attention(self, words, heads="4 2", seq=64):
        return [f"attention {1 if 'packed' in words else 2} {seq} {heads} 32 {direction} {words}"
                for direction in ("forward", "backward")]

    def test_every_backend_takes_a_mask(self):
        for words in ("mask", "packed"):
            for seq in (64, 43):  # rows of efficient's bias must be aligned
                with self.subTest(words=words, seq=seq):
                    self.right(self.ask(*self.attention(words, seq=seq)), "cudnn")
                    requests = self.attention(words, heads="4 4", seq=seq)
                    self.right(self.ask(*requests, attention={"efficient": both(1)}), "efficient")
                    self.right(self.ask(*self.attention(words, seq=seq), attention={}), "math")

    def test_flash_takes_none(self):
        """Where only flash is built in, a mask goes to math; without one flash computes."""
        only = {"flash": both(1)}
        self.right(self.ask(*self.attention("mask"), attention=only), "math")
        self.right(self.ask(*self.attention(""), attention=only), "flash")

    def test_a_wrong_backend_is_seen(self):
        answers = self.ask(*self.attention("packed"), faults=[{"at": "attention.cudnn", "kind": "wrong"}])
        for answer in answers:
            self.assertGreater(answer["error_ppb"], answer["bound_ppb"])

    def test_products(self):
        requests = [f"{shape} {words}" for shape in ("gemm 40 24 64", "bmm 6 40 24 64", "bmm 1 24 40 1")
                    for words in ("", "float32", "add") if not (shape.startswith("bmm") and words == "add")]
        for library in ({}, {"TORCH_BLAS_PREFER_CUBLASLT": "1"}):
            self.right(self.ask(*requests, env=library))

    def test_they_repeat(self):
        requests = [*self.attention("mask", heads="4 4"), *self.attention("packed", heads="4 4"), *self.attention(""),
                    "gemm 40 24 64 add", "bmm 6 40 24 64"]
        how = {"options": ["deterministic"], "env": {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"},
               "attention": {name: both(1) for name in ("cudnn", "flash", "efficient")}}
        answers = self.ask(*requests, **how)
        self.right(answers)
        self.assertEqual({answer["repeatable"] for answer in answers}, {True})
        self.assertEqual([answer["backend"] for answer in answers[:6]], ["efficient"] * 4 + ["flash"] * 2)
        fault = [{"at": at, "kind": "unrepeatable"} for at in ("attention", "mm")]
        answers = self.ask(*requests, **how, faults=fault)
        self.assertEqual({answer["repeatable"] for answer in answers}, {False})

    def test_products_need_the_workspace(self):
        answers = self.ask("gemm 40 24 64", options=["deterministic"], env={"CUBLAS_WORKSPACE_CONFIG": ":1:1"})
        self.assertIn("CUBLAS_WORKSPACE_CONFIG", answers[0]["error"])


if __name__ == "__main__":
    mxt.main()
